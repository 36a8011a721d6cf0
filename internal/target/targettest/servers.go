package targettest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/cluster"
)

// Servers are the real servers of a package's tests, started when a test first
// asks for them. A TestMain ends with os.Exit(servers.Main(m)).
type Servers struct {
	Spec cluster.Spec

	once    sync.Once
	cluster *cluster.Cluster
	err     error
}

// startLimit is how long servers may take, a first build included.
const startLimit = 20 * time.Minute

// Main runs the tests, stops the servers and returns the exit status. In the
// process that keeps the servers it does that instead.
func (s *Servers) Main(m *testing.M) int {
	if cluster.IsKeeper() {
		return cluster.Keep()
	}
	status := m.Run()
	if s.cluster != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.cluster.Close(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return status
}

// Start returns the running servers. It skips the test if there can be none
// here, for the reason that package cluster gives.
func (s *Servers) Start(t *testing.T) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		if s.Spec.Force == "" {
			s.Spec.Force = "process" // they can be paused
		}
		var source cluster.Source
		if source, s.err = cluster.Find(ctx, s.Spec); s.err != nil {
			return
		}
		s.cluster, s.err = source.Start(ctx)
	})
	if errors.Is(s.err, cluster.ErrNone) {
		t.Skip(s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.cluster
}

// StartOwn starts servers of the test's own, which end with it. It skips the test if
// there can be none here. Servers may have ended before, as those do that it kills.
func StartOwn(t *testing.T, spec cluster.Spec) *cluster.Cluster {
	t.Helper()
	own := Servers{Spec: spec}
	c := own.Start(t)
	t.Cleanup(func() {
		died := c.Err()
		if err := c.Close(context.Background()); err != nil && died == nil {
			t.Error(err)
		}
	})
	return c
}

// Pause suspends the server processes until resume is called. It is for
// [Options]; servers of others, whose processes aren't known, give nil.
func Pause(t *testing.T, c *cluster.Cluster) func() (resume func()) {
	for _, server := range c.Servers {
		if server.PID == 0 {
			return nil
		}
	}
	signal := func(sig syscall.Signal) {
		for _, server := range c.Servers {
			if err := syscall.Kill(server.PID, sig); err != nil {
				t.Errorf("signal %v to the server at %s: %v", sig, server.Endpoint, err)
			}
		}
	}
	return func() func() {
		signal(syscall.SIGSTOP)
		for _, server := range c.Servers {
			awaitStopped(t, server.PID)
		}
		return func() { signal(syscall.SIGCONT) }
	}
}

// awaitStopped waits until all threads of a process have stopped: a signal is
// on its way for a while, in which the process may still reply. Where there is
// no /proc it waits for a time that is long compared with that.
func awaitStopped(t *testing.T, pid int) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		states, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(states) == 0 {
			time.Sleep(200 * time.Millisecond)
			return
		}
		if !slices.ContainsFunc(states, running) {
			return
		}
	}
	t.Errorf("process %d doesn't stop", pid)
}

// running reports whether a thread, given by its stat file, hasn't stopped.
func running(stat string) bool {
	text, err := os.ReadFile(stat)
	if err != nil {
		return false // the thread has ended
	}
	// "pid (name) state …", where the name may have parentheses of its own.
	return !bytes.HasPrefix(text[bytes.LastIndexByte(text, ')')+1:], []byte(" T"))
}
