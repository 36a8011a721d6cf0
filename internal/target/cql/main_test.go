package cql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/cluster"
)

// servers are the real Cassandra that the tests of this package share: a
// running cluster named by CASSANDRA_ENDPOINTS, or one of CASSANDRA_VERSION and
// BENCH_NODES that is started once.
var servers = sync.OnceValues(startServers)

func TestMain(m *testing.M) {
	if cluster.IsKeeper() {
		os.Exit(cluster.Keep())
	}
	code := m.Run()
	if c := started.cluster; c != nil {
		if err := c.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// started is what TestMain has to close.
var started struct{ cluster *cluster.Cluster }

func startServers() (*cluster.Cluster, error) {
	spec := cluster.Spec{System: cluster.Cassandra, Version: os.Getenv("CASSANDRA_VERSION")}
	if list := os.Getenv("CASSANDRA_ENDPOINTS"); list != "" {
		spec.Endpoints = strings.Split(list, ",")
	}
	if nodes := os.Getenv("BENCH_NODES"); nodes != "" {
		n, err := strconv.Atoi(nodes)
		if err != nil {
			return nil, err
		}
		spec.Nodes = n
	}
	spec.Ready = func(ctx context.Context, endpoints []string) error {
		return Ready(ctx, Config{Dialect: Cassandra(), Endpoints: endpoints, Owned: len(spec.Endpoints) == 0})
	}
	src, err := cluster.Find(spec)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	started.cluster, err = src.Start(ctx)
	return started.cluster, err
}

// testCluster returns the servers, or skips the test and says what is missing.
func testCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	if testing.Short() && os.Getenv("CASSANDRA_ENDPOINTS") == "" {
		t.Skip("starts a real Cassandra: run without -short, or set CASSANDRA_ENDPOINTS")
	}
	c, err := servers()
	if errors.Is(err, cluster.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testConfig returns the configuration of a table of the test's own.
func testConfig(t *testing.T, table string, schema Schema) Config {
	t.Helper()
	return Config{
		Dialect:   Cassandra(),
		Endpoints: testCluster(t).Endpoints(),
		Namespace: "kvbench_test",
		Table:     table,
		Schema:    schema,
	}
}

// open opens the store of c and closes it when t ends.
func open(t *testing.T, c Config) *Store {
	t.Helper()
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// pause stops the server processes; nil if they aren't ours to stop.
func pause(t *testing.T, c *cluster.Cluster) func() (resume func()) {
	if !c.Owned() {
		return nil
	}
	signal := func(sig syscall.Signal) {
		for _, s := range c.Servers {
			if err := syscall.Kill(s.PID, sig); err != nil {
				t.Errorf("%v: %v", sig, err)
			}
		}
	}
	return func() func() {
		signal(syscall.SIGSTOP)
		return func() { signal(syscall.SIGCONT) }
	}
}
