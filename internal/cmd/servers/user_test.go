package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kvbench/internal/cluster"
)

// A user runs the tool with directories and settings of their own.
type user struct {
	t     *testing.T
	state string
	data  string // parent of the servers' directories
	env   []string
}

// newUser returns a user whose servers end with the test.
func newUser(t *testing.T, env ...string) *user {
	t.Helper()
	state, err := os.MkdirTemp("", "kvs-") // t.TempDir's paths are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t, state, t.TempDir(), env}
	t.Cleanup(func() {
		if status, _, stderr := u.run("down", "-all"); status != 0 {
			t.Errorf("down -all: %s", stderr)
		}
		if left, err := os.ReadDir(u.data); err != nil || len(left) > 0 {
			t.Errorf("left in the data directory: %v, %v", left, err)
		}
		if err := os.RemoveAll(state); err != nil {
			t.Error(err)
		}
	})
	return u
}

// servers is the directory of what is known of the user's servers.
func (u *user) servers() string { return filepath.Join(u.state, "kvbench", "servers") }

func (u *user) command(args ...string) *exec.Cmd {
	u.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "DOCKER_HOST"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(append(cmd.Env, toolVariable+"=1", "XDG_STATE_HOME="+u.state, "BENCH_DATA_DIR="+u.data, "BENCH_SERVERS=process"), u.env...)
	return cmd
}

// run runs the tool and returns its exit status and output.
func (u *user) run(args ...string) (status int, stdout, stderr string) {
	u.t.Helper()
	cmd := u.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the status tells
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// must runs the tool, which has to succeed, and returns what it prints.
func (u *user) must(args ...string) string {
	u.t.Helper()
	status, out, stderr := u.run(args...)
	if strings.Contains(stderr, "no servers") {
		u.t.Skip(stderr)
	}
	if status != 0 {
		u.t.Fatalf("servers %q: status %d\n%s%s", args, status, out, stderr)
	}
	return out
}

// fails runs the tool, which has to fail with a status and a text.
func (u *user) fails(status int, want string, args ...string) {
	u.t.Helper()
	got, out, stderr := u.run(args...)
	if got != status || !strings.Contains(stderr, want) || out != "" {
		u.t.Errorf("servers %q: status %d, want %d and %q:\n%s%s", args, got, status, want, out, stderr)
	}
}

// empty fails the test unless no servers are listed.
func (u *user) empty(after string) {
	u.t.Helper()
	if out := u.must("ls"); strings.Count(out, "\n") != 1 {
		u.t.Errorf("after %s there is\n%s", after, out)
	}
}

// awaitState waits until the state of one of the servers has text in it.
func (u *user) awaitState(text string) {
	u.t.Helper()
	var out string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if out = u.must("ls"); strings.Contains(out, text) {
			return
		}
	}
	u.t.Fatalf("ls doesn't say %q:\n%s", text, out)
}

// patience bounds what a test waits for; nothing is measured with it.
const patience = time.Minute

// kept returns what is known of the servers called name.
func (u *user) kept(name string) *cluster.Kept {
	u.t.Helper()
	u.t.Setenv("XDG_STATE_HOME", u.state)
	found, err := named([]string{name})
	if err != nil {
		u.t.Fatal(err)
	}
	return found[0]
}

var exportLine = regexp.MustCompile(`(?m)^export ETCD_ENDPOINTS=(\S+)$`)

// endpoints returns etcd's in the lines that the tool prints for a shell.
func endpoints(t *testing.T, out string) []string {
	t.Helper()
	m := exportLine.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("%q isn't for a shell", out)
	}
	return strings.Split(m[1], ",")
}

// answers reports whether an etcd answers, with no keys in it.
func answers(t *testing.T, endpoints ...string) bool {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	resp, err := c.Get(ctx, "", clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err == nil && resp.Count != 0 {
		t.Errorf("there are %d keys in new servers", resp.Count)
	}
	return err == nil
}

func real(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
}
