package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Tests of what goes wrong in the life of kept servers, with real ones.

func TestServerDies(t *testing.T) {
	real(t)
	u := newUser(t)
	all := endpoints(t, u.must("up", "etcd", "-nodes", "3"))
	kill(t, u.kept("etcd").Servers[1].PID, syscall.SIGKILL)
	u.awaitState("exited: signal: killed")
	if out := u.must("ls"); !strings.Contains(out, "etcd node 2 (pid ") {
		t.Errorf("ls doesn't say who has died:\n%s", out)
	}
	if !answers(t, all[0]) {
		t.Error("the death of one has taken the others along")
	}
	if out := u.must("logs", "-n", "2"); strings.Count(out, "==> etcd node ") != 3 || strings.Count(out, "\n") != 3*3+2 && strings.Count(out, "\n") != 3*3 {
		t.Errorf("logs:\n%s", out)
	}
	u.fails(1, `exited: signal: killed (see "go tool servers logs etcd", then "go tool servers down etcd")`, "up", "etcd", "-nodes", "3")
	u.must("clean") // which has nothing to do with those that are up
	if !answers(t, all[0]) {
		t.Error("clean has stopped servers")
	}
	u.must("down", "etcd")
	u.empty("down")
}

func TestKeeperIsKilled(t *testing.T) {
	real(t)
	if runtime.GOOS != "linux" {
		t.Skip("servers survive a killed keeper: there is no parent death signal on " + runtime.GOOS)
	}
	for _, remove := range []string{"clean", "down etcd", "up etcd"} {
		t.Run(remove, func(t *testing.T) {
			u := newUser(t)
			first := endpoints(t, u.must("up", "etcd"))
			old := u.kept("etcd")
			other := endpoints(t, u.must("up", "etcd", "-name", "other"))
			kill(t, old.Keeper, syscall.SIGKILL)
			u.awaitState("gone")
			u.must(strings.Fields(remove)...)
			if answers(t, first...) || !answers(t, other...) {
				t.Error("want the servers of the killed keeper to be gone, and no others")
			}
			if _, err := os.Stat(old.Dirs[0]); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", old.Dirs[0], err)
			}
		})
	}
}

// TERM is what a machine sends to all before it stops.
func TestKeeperIsTerminated(t *testing.T) {
	real(t)
	u := newUser(t)
	u.must("up", "etcd")
	kill(t, u.kept("etcd").Keeper, syscall.SIGTERM)
	for deadline := time.Now().Add(patience); strings.Count(u.must("ls"), "\n") > 1 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	u.empty("TERM")
}

// A keeper that lives is not taken for one that is gone, whatever is the matter.
func TestKeeperIsUnreachable(t *testing.T) {
	real(t)
	u := newUser(t)
	ep := endpoints(t, u.must("up", "etcd"))
	socket := filepath.Join(u.servers(), "etcd", "keeper.sock")
	if err := os.Rename(socket, socket+".away"); err != nil {
		t.Fatal(err)
	}
	u.fails(1, "lives, but it doesn't answer", "up", "etcd")
	u.fails(1, "lives, but it doesn't answer", "down", "etcd")
	if out := u.must("ls"); !strings.Contains(out, "lives, but it doesn't answer") {
		t.Errorf("ls:\n%s", out)
	}
	if status, _, stderr := u.run("clean"); status != 1 || !answers(t, ep...) {
		t.Errorf("clean: status %d, want 1, and servers that live\n%s", status, stderr)
	}
	if err := os.Rename(socket+".away", socket); err != nil {
		t.Fatal(err)
	}
	keeper := u.kept("etcd").Keeper
	kill(t, keeper, syscall.SIGSTOP)
	status, _, stderr := u.run("clean")
	kill(t, keeper, syscall.SIGCONT)
	u.awaitState("up") // it would do by now what it had been asked for
	if status != 1 || !strings.Contains(stderr, "lives, but it doesn't answer") || !answers(t, ep...) {
		t.Errorf("clean beside a keeper that is stopped: status %d, want 1, and servers that live\n%s", status, stderr)
	}
	u.must("down", "etcd")
}

func TestLogsAreFollowed(t *testing.T) {
	real(t)
	u := newUser(t)
	u.must("up", "etcd")
	cmd := u.command("logs", "-f", "-n", "1", "etcd")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("there is no log")
	}
	u.must("down", "etcd")
	for lines.Scan() { // until the servers are stopped, which they log
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// An interrupt while servers are being started leaves none, nor does a kill, nor a
// second system that can't be started.
func TestAllOrNone(t *testing.T) {
	real(t)
	u := newUser(t)
	u.must("up", "etcd", "-name", "probe") // built, if it wasn't
	u.must("down", "probe")

	u.env = append(u.env, "CONSUL_VERSION=9.9.9")
	u.fails(1, "9.9.9", "up", "etcd", "consul")
	u.empty("a failure of one of two systems")

	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		cmd := u.command("up", "etcd", "-nodes", "3")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		if !lines.Scan() { // it says that it is starting them
			t.Fatal("up says nothing")
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		var said []string
		for lines.Scan() {
			said = append(said, lines.Text())
		}
		_ = cmd.Wait() // the status tells
		if status := cmd.ProcessState.ExitCode(); signal != os.Kill && (status != 1 || len(said) != 1 || !strings.Contains(said[0], "signal received")) {
			t.Errorf("%v: status %d, want 1, and a line about it: %q", signal, status, said)
		}
		u.empty(fmt.Sprint(signal))
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if left, err := os.ReadDir(u.data); err == nil && len(left) == 0 {
				break
			}
		}
	}
}

// What isn't as the tool has left it is told, and doesn't keep others from working.
func TestDamagedState(t *testing.T) {
	u := newUser(t)
	dir := filepath.Join(u.servers(), "etcd")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	u.awaitState("gone") // of a keeper that was killed before it wrote its state
	u.must("clean")
	u.empty("clean")

	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "keeper.sock"))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	// Not everything that a state names is the tool's to remove.
	precious := t.TempDir()
	link := filepath.Join(t.TempDir(), "kvbench-etcd-1")
	if err := os.Symlink(precious, link); err != nil {
		t.Fatal(err)
	}
	state := fmt.Sprintf(`{"System": "etcd", "Kind": "process", "Dirs": [%q, %q, "/nowhere/kvbench-etcd-1"]}`, precious, link)
	if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	u.awaitState("gone")
	u.fails(1, precious+" is left: it isn't what was made", "down", "etcd")
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
	u.empty("down")

	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	u.awaitState("state.json: unexpected end of JSON input")
	u.fails(1, "state.json: unexpected end of JSON input", "clean")
	u.empty("clean")
}

func TestStateDirectory(t *testing.T) {
	u := newUser(t)
	state := u.state
	u.state = filepath.Join(state, strings.Repeat("deep/", 30))
	u.fails(1, "the path is too long for a socket: set XDG_STATE_HOME", "up", "etcd")
	u.state = "relative"
	u.fails(1, `XDG_STATE_HOME="relative": want an absolute path`, "ls")
	u.state = filepath.Join(state, "file")
	if err := os.WriteFile(u.state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"up etcd", "ls", "down -all", "logs", "clean"} {
		u.fails(1, "not a directory", strings.Fields(args)...)
	}
	u.state = state
}

func kill(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		t.Fatal(err)
	}
}
