package cql

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/target/targettest"
)

// servers are the real Cassandra that the tests of this package share: a
// running cluster named by CASSANDRA_ENDPOINTS, or one of CASSANDRA_VERSION and
// BENCH_NODES that is started once.
var servers = targettest.Servers{Spec: spec()}

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func spec() cluster.Spec {
	s := cluster.Spec{System: cluster.Cassandra, Version: os.Getenv("CASSANDRA_VERSION")}
	if list := os.Getenv("CASSANDRA_ENDPOINTS"); list != "" {
		s.Endpoints = strings.Split(list, ",")
	}
	if nodes := os.Getenv("BENCH_NODES"); nodes != "" {
		var err error
		if s.Nodes, err = strconv.Atoi(nodes); err != nil {
			s.Nodes = -1 // which Find refuses
		}
	}
	owned := len(s.Endpoints) == 0
	s.Ready = func(ctx context.Context, c *cluster.Cluster) error {
		return Ready(ctx, Config{Dialect: Cassandra(), Endpoints: c.Endpoints(), Translate: c.Translate, Owned: owned})
	}
	return s
}

// testConfig returns the configuration of a table of the test's own.
func testConfig(t *testing.T, table string, schema Schema) Config {
	t.Helper()
	return Config{
		Dialect:   Cassandra(),
		Endpoints: servers.Start(t).Endpoints(),
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
