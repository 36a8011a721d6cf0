package cluster

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Tests of what goes wrong in the life of a server, with fake ones.

func TestServerDies(t *testing.T) {
	p := fakeSource(t, "", 3)
	c := startFake(t, p)
	if err := syscall.Kill(c.Servers[1].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, c.Died())
	for _, err := range []error{c.Err(), c.Close(t.Context())} {
		assertError(t, err, "fake node 2 (pid ", ") exited: signal: killed", "PATH=") // its log has its environment
	}
	assertGone(t, pids(c), p.spec.DataDir)
}

func TestServerIgnoresTERM(t *testing.T) {
	p := fakeSource(t, "stubborn", 1)
	c := startFake(t, p)
	assertError(t, c.Close(t.Context()), "fake node 1 (pid ", "was killed: it did not end within 20s of TERM")
	assertError(t, c.Close(t.Context()), "was killed") // and says so again
	assertGone(t, pids(c), p.spec.DataDir)
}

func TestStoppedServerIsClosed(t *testing.T) {
	p := fakeSource(t, "", 1)
	c := startFake(t, p)
	if err := syscall.Kill(c.Servers[0].PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	assertGone(t, pids(c), p.spec.DataDir)
}

func TestCloseGivesUpWaiting(t *testing.T) {
	p := fakeSource(t, "stubborn", 1)
	c := startFake(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assertError(t, c.Close(ctx), "still being stopped", "canceled")
	assertGone(t, pids(c), p.spec.DataDir)
}

func TestStartOfBrokenServer(t *testing.T) {
	p := fakeSource(t, "broken", 3)
	_, err := p.Start(t.Context())
	assertError(t, err, "fake", "start: fake node", "exited: exit status 7", "the disk is on fire")
	assertGone(t, nil, p.spec.DataDir)
}

func TestStartIsGivenUp(t *testing.T) {
	p := fakeSource(t, "deaf", 1)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("out of patience"))
	defer cancel()
	_, err := p.Start(ctx)
	assertError(t, err, "out of patience", "connection refused", "last lines of its log")
	assertGone(t, nil, p.spec.DataDir)
}

func TestStartOnOtherPorts(t *testing.T) {
	p := fakeSource(t, "port taken once", 1)
	c := startFake(t, p)
	if _, err := os.Stat(p.entry + ".mark"); err != nil {
		t.Errorf("the first start didn't fail: %v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	assertGone(t, pids(c), p.spec.DataDir)
}

func TestServerEnvironmentIsClean(t *testing.T) {
	t.Setenv("ETCD_VERSION", "3.6.7")
	c := startFake(t, fakeSource(t, "", 1))
	logs := c.Logs(10)
	if !strings.Contains(logs, "PATH=") || strings.Contains(logs, "ETCD_VERSION") || strings.Contains(logs, keeperVariable) {
		t.Errorf("environment of a server: %s", logs)
	}
}

func TestKeeperIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("servers survive a killed keeper: there is no parent death signal on " + runtime.GOOS)
	}
	p := fakeSource(t, "stubborn", 2)
	c := startFake(t, p)
	if err := c.owner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, c.Died())
	assertError(t, c.Err(), "keeper", "signal: killed")
	assertError(t, c.Close(t.Context()), "keeper", "signal: killed")
	assertGone(t, pids(c), p.spec.DataDir)
}

func TestNotAKeeper(t *testing.T) {
	_, err := newOwner("/bin/echo")
	if !errors.Is(err, errNoKeeper) {
		t.Errorf("newOwner of a program that is no keeper: %v", err)
	}
	t.Setenv(keeperVariable, protocol)
	if _, err := newOwner("/bin/echo"); !errors.Is(err, errNoKeeper) {
		t.Errorf("newOwner in a keeper: %v", err)
	}
}

func await(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatal("nothing happened")
	}
}

// assertError checks that err says all of want.
func assertError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", want)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q\ndoesn't contain %q", err, w)
		}
	}
}
