package cql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// three starts three Cassandra nodes that customize has changed, of which the first
// ones have to be ready.
func three(t *testing.T, ready int, customize func(node int, dir string, argv []string) ([]string, error)) *cluster.Cluster {
	t.Helper()
	return targettest.StartOwn(t, cluster.Spec{
		System: cluster.Cassandra, Nodes: 3, Version: os.Getenv("CASSANDRA_VERSION"), Customize: customize,
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			return Ready(ctx, Config{Dialect: Cassandra(), Endpoints: c.Endpoints()[:ready], Namespace: "ready"})
		},
	})
}

// Three nodes, of which one falls silent and then ends.
func TestThreeNodes(t *testing.T) {
	c := three(t, 3, nil)
	t.Run("each row is asked for where it is, through translated addresses", func(t *testing.T) { testOwners(t, c) })
	config := Config{Dialect: Cassandra(), Endpoints: c.Endpoints(), Namespace: "down", Table: "rows", Timeout: 5 * time.Second}
	put(t, open(t, config))
	t.Run("one has another schema", func(t *testing.T) { testDisagreement(t, c, config) })
	if err := syscall.Kill(c.Servers[2].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Died()
	config.Endpoints = c.Endpoints()[:2]
	t.Run("one is down before anybody connects", func(t *testing.T) { testOneDown(t, config) })
}

// testDisagreement stops the third node, which still accepts connections.
func testDisagreement(t *testing.T, c *cluster.Cluster, config Config) {
	if err := syscall.Kill(c.Servers[2].PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	config.Endpoints, config.Table, config.Timeout = c.Endpoints()[:2], "unheard_of", time.Second
	_, err := Open(t.Context(), config)
	if !errors.Is(err, target.ErrTimeout) {
		t.Errorf("%v, want ErrTimeout", err)
	}
	for _, want := range []string{"the nodes don't agree on the schema", fmt.Sprintf("%q", c.Servers[2].Endpoint), "BENCH_TIMEOUT=1s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	t.Log(err)
	if err := syscall.Kill(c.Servers[2].PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// testOneDown has two endpoints of three nodes that hold each row.
func testOneDown(t *testing.T, config Config) {
	config.Table = "later" // so that the schema changes without the third node
	if err := Ready(t.Context(), config); err != nil {
		t.Errorf("ready: %v", err)
	}
	store := open(t, config)
	for range 2 {
		putMany(t, store, 200)
		if n, err := store.Count(t.Context()); n != 200 || err != nil {
			t.Errorf("count %d, error %v", n, err)
		}
		if err := store.Clear(t.Context()); err != nil {
			t.Errorf("clear: %v", err)
		}
		if n, err := store.Count(t.Context()); n != 0 || err != nil {
			t.Errorf("count after clear %d, error %v", n, err)
		}
	}
	realm := openRealm(t, config)
	defer realm.Close()
	if err := realm.SetNote(t.Context(), made, ""); err != nil {
		t.Fatal(err)
	}
	err := store.Clear(t.Context())
	if err == nil || !strings.Contains(err.Error(), "it needs all nodes (BENCH_MAX_DOWN), unless the suite has made the keyspace itself") {
		t.Errorf("clear in a keyspace that somebody else has made: %v", err)
	}
	t.Log(err)
	if err := realm.SetNote(t.Context(), made, "yes"); err != nil {
		t.Fatal(err)
	}
	if err := realm.Drop(t.Context()); err != nil {
		t.Errorf("drop: %v", err)
	}
}

func putMany(t *testing.T, store *Store, rows int) {
	t.Helper()
	client := newClient(store)
	for n := range rows {
		row := target.Row{Key: fmt.Appendf(nil, "key:%d", n), Values: [][]byte{[]byte("v")}}
		if err := client.Put(t.Context(), row); err != nil {
			t.Fatalf("put %d: %v", n, err)
		}
	}
}

// Two data centers: one of them is talked to, and its quorum is enough.
func TestTwoDataCenters(t *testing.T) {
	centers := []string{"east", "east", "west"}
	c := three(t, 2, func(node int, dir string, argv []string) ([]string, error) {
		file := filepath.Join(dir, "conf", "cassandra-rackdc.properties")
		if err := os.WriteFile(file, []byte("dc="+centers[node]+"\nrack=r1\n"), 0o600); err != nil {
			return nil, err
		}
		argv = append([]string{argv[0], "-Dcassandra-rackdc.properties=file://" + file}, argv[1:]...)
		return argv, editYAML(dir, strings.NewReplacer("SimpleSnitch", "GossipingPropertyFileSnitch"), "")
	})
	config := Config{Dialect: Cassandra(), Endpoints: c.Endpoints()[:1], Namespace: "two", Table: "rows", DataCenter: "east"}
	store := open(t, config)
	put(t, store)
	for _, host := range hosts(store) {
		if host != c.Servers[0].Endpoint && host != c.Servers[1].Endpoint {
			t.Errorf("there is a connection to %s, which is in the other data center", host)
		}
	}
	if n, err := store.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("count %d, error %v", n, err)
	}
	both := config
	both.Endpoints, both.DataCenter = []string{c.Endpoints()[0], c.Endpoints()[2]}, ""
	_, err := Open(t.Context(), both)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`%q is in data center "west", another endpoint in "east": name nodes of one`, c.Endpoints()[2])) {
		t.Errorf("endpoints of two data centers: %v", err)
	}
	config.DataCenter = "west"
	_, err = Open(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), `CASSANDRA_DATACENTER="west": the endpoints are in data center "east"; the cluster has ["east" "west"]`) {
		t.Errorf("endpoints of another data center: %v", err)
	}
	config.Endpoints, config.Namespace = c.Endpoints()[2:], "west_only"
	put(t, open(t, config))
}

// hosts returns the nodes that a store has connections to.
func hosts(s *Store) []string {
	d := s.session.dialer
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []string
	for c := range d.conns {
		list = append(list, c.RemoteAddr().String())
	}
	return list
}

// Nodes that know each other by addresses that clients can't reach are reached by
// those that they are translated to.
func TestTranslatedAddresses(t *testing.T) {
	c := servers.Start(t)
	host, port, err := net.SplitHostPort(c.Servers[0].Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := targettest.NewProxy(t, c.Servers[0].Endpoint)
	config := testConfig(t, "translated", KeyValue())
	config.Endpoints = []string{proxy.Addr}
	config.Translate = map[string]string{net.JoinHostPort(host, port): proxy.Addr}
	store := open(t, config)
	put(t, store)
	for _, host := range hosts(store) {
		if len(c.Servers) == 1 && host != proxy.Addr {
			t.Errorf("there is a connection to %s, past the proxy", host)
		}
	}
}
