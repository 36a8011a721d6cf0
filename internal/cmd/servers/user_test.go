package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// A user runs the tool with a state directory and settings of their own.
type user struct {
	t     *testing.T
	state string
	env   []string
}

// newUser returns a user whose servers end with the test.
func newUser(t *testing.T, env ...string) *user {
	t.Helper()
	state, err := os.MkdirTemp("", "kvs-") // t.TempDir's paths are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t, state, env}
	t.Cleanup(func() {
		u.run("down", "-all")
		if err := os.RemoveAll(state); err != nil {
			t.Error(err)
		}
	})
	return u
}

func (u *user) command(args ...string) *exec.Cmd {
	u.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(append(cmd.Env, toolVariable+"=1", "XDG_STATE_HOME="+u.state, "BENCH_SERVERS=process", "BENCH_BORROW=false"), u.env...)
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

var exportLine = regexp.MustCompile(`^export ETCD_ENDPOINTS=(\S+)\n$`)

// endpoints returns those in the line that the tool prints for a shell.
func endpoints(t *testing.T, out string) []string {
	t.Helper()
	m := exportLine.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("%q isn't a line for a shell", out)
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
