package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Tests that no end of a run leaves a container, and none of the engine goes
// unseen.

func TestNoContainerIsLeft(t *testing.T) {
	spec := boxedSpec(t, Etcd)
	for _, tt := range []struct {
		how    string
		signal syscall.Signal // sent by the test; 0: the victim ends by itself
		status string         // of the victim
	}{
		{how: "return without Close", status: "exit status 0"},
		{how: "panic", status: "exit status 2"},
		{how: "killed", signal: syscall.SIGKILL, status: "signal: killed"},
		{how: "ctrl-C", signal: syscall.SIGINT, status: "signal: interrupt"},
		{how: "killed during start", signal: syscall.SIGKILL, status: "signal: killed"},
	} {
		t.Run(tt.how, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of claims
			dataDir := t.TempDir()
			will, state := runVictim(t, tt.how, tt.signal, dataDir, spec.Image)
			if state != tt.status {
				t.Errorf("the victim's end: %s, want %s", state, tt.status)
			}
			if len(will.Labels) != 1 {
				t.Fatalf("labels %q, want the one of the victim's containers", will.Labels)
			}
			assertBoxesGone(t, labelCluster+"="+will.Labels[0])
			assertGone(t, nil, dataDir)
			awaitNoClaims(t)
		})
	}
}

// TestKilledKeeperIsSwept: a keeper that is killed leaves its containers, and the
// next start of any cluster removes them, and no others.
func TestKilledKeeperIsSwept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of claims
	spec := boxedSpec(t, Etcd)
	spec.Ready = at(putEtcd)
	c, alive := startBoxed(t, spec), startBoxed(t, spec)
	label := labelOf(t, c)
	if err := c.owner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, c.Died())
	assertError(t, c.Close(t.Context()), "keeper", "signal: killed")
	if leftOf(t, label) == "" {
		t.Fatal("nothing is left of a killed keeper: the test tests nothing")
	}
	next := startBoxed(t, spec)
	if left := leftOf(t, label); left != "" {
		t.Errorf("left after the next start: %s", left)
	}
	for _, c := range []*Cluster{alive, next} {
		if err := errors.Join(c.Err(), c.Close(t.Context())); err != nil {
			t.Error(err)
		}
	}
	awaitNoClaims(t)
}

// TestEngineIsGone loses the engine during a run, by way of a socket of ours.
func TestEngineIsGone(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of claims
	spec := boxedSpec(t, Etcd)
	spec.Ready = at(putEtcd)
	cut := viaSocket(t)
	c := startBoxed(t, spec)
	label := labelOf(t, c)
	cut()
	await(t, c.Died())
	assertError(t, c.Err(), "etcd node 1 (container ", "is lost: the Docker engine is gone", "ready to serve client requests")
	assertError(t, c.Close(t.Context()), "the Docker engine is gone", "containers of etcd are left, which the next start of any removes")

	t.Setenv("DOCKER_HOST", "")
	if leftOf(t, label) == "" {
		t.Fatal("the container went with the engine: the test tests nothing")
	}
	if err := startBoxed(t, spec).Close(t.Context()); err != nil {
		t.Error(err)
	}
	assertBoxesGone(t, label)
	awaitNoClaims(t)
}

func TestContainerOutOfMemory(t *testing.T) {
	spec := boxedSpec(t, Etcd)
	spec.Memory = 16 << 20
	spec.Ready = at(func(ctx context.Context, endpoints []string) error {
		c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), Context: ctx})
		if err != nil {
			return err
		}
		defer c.Close()
		for i := 0; err == nil; i++ { // until there is no room for more
			_, err = c.Put(ctx, fmt.Sprint(i), strings.Repeat("x", 1<<20))
		}
		return err
	})
	src, err := Find(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	_, err = src.Start(t.Context())
	assertError(t, err, "etcd node 1", "out of memory: its limit is BENCH_MEMORY, 16M")
}

// viaSocket has the engine reached by a socket of the test, until the returned
// function cuts all connections.
func viaSocket(t *testing.T) (cut func()) {
	t.Helper()
	const engine = "/var/run/docker.sock"
	if os.Getenv("DOCKER_HOST") != "" {
		t.Skip("the engine isn't at " + engine + ": unset DOCKER_HOST")
	}
	socket := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_HOST", "unix://"+socket)
	var conns []net.Conn
	var mu sync.Mutex
	var pipes sync.WaitGroup
	pipes.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", engine)
			if err != nil {
				client.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, client, server)
			mu.Unlock()
			pipes.Go(func() { pass(client, server) })
			pipes.Go(func() { pass(server, client) })
		}
	})
	cut = sync.OnceFunc(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		pipes.Wait()
	})
	t.Cleanup(cut)
	return cut
}

func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from) // ends when either is closed
	to.Close()
	from.Close()
}

// awaitNoClaims waits until the keepers have dropped their claims.
func awaitNoClaims(t *testing.T) {
	t.Helper()
	dir, err := claimsDir()
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		left, err := os.ReadDir(dir)
		if err == nil && len(left) == 0 {
			return
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("claims are left: %v, %v", left, err)
		}
	}
}

func TestClaims(t *testing.T) {
	dir := t.TempDir()
	own, err := newClaim(dir, "engine 1")
	if err != nil {
		t.Fatal(err)
	}
	lost, err := newClaim(dir, "engine 1")
	if err != nil {
		t.Fatal(err)
	}
	other, err := newClaim(dir, "engine 2")
	if err != nil {
		t.Fatal(err)
	}
	if own.label() == lost.label() || strings.ContainsAny(own.label(), "/= ") {
		t.Errorf("labels %q and %q", own.label(), lost.label())
	}
	if found, err := abandoned(dir, "engine 1"); err != nil || len(found) != 0 {
		t.Errorf("abandoned claims %v, %v, while all are held", found, err)
	}
	// A keeper's end closes its files.
	if err := errors.Join(lost.file.Close(), other.file.Close()); err != nil {
		t.Fatal(err)
	}
	found, err := abandoned(dir, "engine 1")
	if err != nil || len(found) != 1 || found[0].label() != lost.label() {
		t.Fatalf("abandoned claims %v, %v, want the one to this engine whose keeper is gone", found, err)
	}
	if again, err := abandoned(dir, "engine 1"); err != nil || len(again) != 0 {
		t.Errorf("abandoned claims %v, %v, while somebody else sweeps", again, err)
	}
	if err := errors.Join(found[0].drop(), own.drop()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v, want the claim to the other engine", left, err)
	}
}
