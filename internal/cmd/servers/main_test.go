package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/cluster"
)

// The tests run this test binary as the tool.
const toolVariable = "KVBENCH_SERVERS_TOOL"

func TestMain(m *testing.M) {
	if cluster.IsKeeper() || os.Getenv(toolVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestServersStay(t *testing.T) {
	real(t)
	u := newUser(t)
	one := endpoints(t, u.must("up", "etcd"))
	if !answers(t, one...) {
		t.Fatal("the servers don't answer")
	}
	if again := endpoints(t, u.must("up", "etcd")); again[0] != one[0] {
		t.Errorf("up again: %q, want %q", again, one)
	}
	u.fails(1, "etcd is up with etcd, 1 nodes", "up", "etcd", "-nodes", "3")
	three := endpoints(t, u.must("up", "-nodes", "3", "etcd", "-name", "trio"))
	if len(three) != 3 || !answers(t, three...) {
		t.Errorf("three nodes: %q", three)
	}
	if out := u.must("ls"); !regexp.MustCompile(`(?m)^etcd +etcd +3\.\S+ +process .*`+one[0]+` +up$`).MatchString(out) || !strings.Contains(out, "trio") {
		t.Errorf("ls:\n%s", out)
	}
	if out := u.must("logs", "trio", "-n", "3"); strings.Count(out, "last lines of its log") != 3 {
		t.Errorf("logs:\n%s", out)
	}
	u.must("down", "trio")
	if answers(t, three...) || !answers(t, one...) {
		t.Error("down has stopped other servers than those that were named")
	}
	u.must("down", "-all")
	if out := u.must("ls"); answers(t, one...) || strings.Count(out, "\n") != 1 {
		t.Errorf("after down there is\n%s", out)
	}
	if left, err := os.ReadDir(filepath.Join(u.state, "kvbench", "servers")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Two users have servers of the same name at the same time.
func TestTwoUsers(t *testing.T) {
	real(t)
	a, b := newUser(t), newUser(t)
	first, second := endpoints(t, a.must("up", "etcd")), endpoints(t, b.must("up", "etcd"))
	a.must("down", "-all")
	if answers(t, first...) || !answers(t, second...) {
		t.Error("the servers of one user aren't apart from the other's")
	}
}

func TestDeaths(t *testing.T) {
	real(t)
	u := newUser(t)
	u.must("up", "etcd")
	kept := keptOf(t, u)
	if err := syscall.Kill(kept.Servers[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if strings.Contains(u.must("ls"), "signal: killed") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if out := u.must("ls"); !strings.Contains(out, "etcd node 1 (pid ") || !strings.Contains(out, "exited: signal: killed") {
		t.Errorf("ls doesn't show the death:\n%s", out)
	}
	u.must("logs", "etcd")
	u.fails(1, "exited: signal: killed: go tool servers down etcd", "up", "etcd")
	u.must("down", "etcd")

	// The keeper is killed, and its servers with it.
	second := endpoints(t, u.must("up", "etcd"))
	kept = keptOf(t, u)
	dir := filepath.Dir(kept.Servers[0].LogFile)
	if err := syscall.Kill(kept.Keeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if strings.Contains(u.must("ls"), "gone") && !answers(t, second...) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if out := u.must("ls"); !strings.Contains(out, "gone") {
		t.Errorf("ls doesn't show that they are gone:\n%s", out)
	}
	u.must("clean")
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
	if out := u.must("ls"); strings.Count(out, "\n") != 1 {
		t.Errorf("after clean there is\n%s", out)
	}
}

// keptOf returns what is known of a user's only cluster.
func keptOf(t *testing.T, u *user) *cluster.Kept {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", u.state)
	all, err := cluster.FindKept()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d clusters, %v", len(all), err)
	}
	return all[0]
}

// An interrupt while servers are being started leaves none, nor does a second
// system that can't be started.
func TestAllOrNone(t *testing.T) {
	real(t)
	u := newUser(t)
	u.must("up", "etcd", "-name", "probe") // built, if it wasn't
	u.must("down", "probe")

	u.fails(1, `CONSUL_VERSION "9.9.9"`, "up", "consul", "-version", "9.9.9")
	u.env = append(u.env, "CONSUL_VERSION=9.9.9")
	u.fails(1, `CONSUL_VERSION "9.9.9"`, "up", "etcd", "consul")
	if out := u.must("ls"); strings.Count(out, "\n") != 1 {
		t.Errorf("one of two systems is up:\n%s", out)
	}

	cmd := u.command("up", "etcd", "-nodes", "3")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	if _, err := stderr.Read(buf); err != nil { // it says that it is starting them
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status tells
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("status %d after an interrupt, want 1", cmd.ProcessState.ExitCode())
	}
	if out := u.must("ls"); strings.Count(out, "\n") != 1 {
		t.Errorf("after an interrupt there is\n%s", out)
	}
}

func TestWrongArguments(t *testing.T) {
	u := newUser(t)
	for _, tc := range []struct{ args, want string }{
		{"", "no command"},
		{"start", `"start": no such command, want up, down, ls, logs or clean`},
		{"up", "which system?"},
		{"up mysql", `"mysql": no such system, want one of ["cassandra"`},
		{"up etcd consul -version 1.2.3", "-version, -image and -name are of one system, not of 2"},
		{"up etcd -source cloud", `-source "cloud"`},
		{"up etcd -memory lots", `-memory "lots" is no number of bytes`},
		{"up etcd -x", "flag provided but not defined: -x"},
		{"down", "want names, or -all"},
		{"down -all etcd", "want names, or -all"},
		{"logs", "want a name"},
	} {
		u.fails(2, tc.want, strings.Fields(tc.args)...)
	}
	for _, tc := range []struct{ args, want string }{
		{"down nobody", `"nobody": no such servers; there are []`},
		{"logs nobody", `"nobody": no such servers`},
		{"up etcd -nodes 2", "BENCH_NODES"},
		{"up etcd -name Bad/Name", `name "Bad/Name"`},
	} {
		u.fails(1, tc.want, strings.Fields(tc.args)...)
	}
	if status, out, _ := u.run("-h"); status != 0 || !strings.Contains(out, "usage: go tool servers") {
		t.Errorf("-h: status %d\n%s", status, out)
	}
	u.state = filepath.Join(u.state, strings.Repeat("deep/", 30))
	u.fails(1, "the path is too long for a socket: set XDG_STATE_HOME", "up", "etcd")
}
