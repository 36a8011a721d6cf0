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
	servers := targettest.Servers{Spec: cluster.Spec{
		System: cluster.Cassandra, Force: "process", Nodes: 3, Version: os.Getenv("CASSANDRA_VERSION"), Customize: customize,
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			return Ready(ctx, Config{Dialect: Cassandra(), Endpoints: c.Endpoints()[:ready], Namespace: "ready"})
		},
	}}
	return servers.Start(t)
}

// Of three nodes that hold each row one is down before anybody connects.
func TestOneNodeDown(t *testing.T) {
	c := three(t, 3, nil)
	defer c.Close(context.Background()) // fails: a node was killed
	config := Config{Dialect: Cassandra(), Endpoints: c.Endpoints(), Namespace: "down", Table: "rows", Timeout: 5 * time.Second}
	put(t, open(t, config))
	if err := syscall.Kill(c.Servers[2].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Died()
	config.Endpoints = c.Endpoints()[:2]
	config.Table = "later" // so that the schema changes without the third node
	if err := Ready(t.Context(), config); err != nil {
		t.Errorf("ready: %v", err)
	}
	store := open(t, config)
	client := newClient(store)
	for n := range 200 { // on all replicas
		row := target.Row{Key: fmt.Appendf(nil, "key:%d", n), Values: [][]byte{[]byte("v")}}
		if err := client.Put(t.Context(), row); err != nil {
			t.Fatalf("put %d: %v", n, err)
		}
	}
	if n, err := store.Count(t.Context()); n != 200 || err != nil {
		t.Errorf("count %d, error %v", n, err)
	}
	realm := openRealm(t, config)
	defer realm.Close()
	if err := realm.Drop(t.Context()); err != nil {
		t.Errorf("drop: %v", err)
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
	defer func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
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
	config.DataCenter = "west"
	_, err := Open(t.Context(), config)
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

// A server that speaks no version of the protocol that the suite does.
func TestOtherProtocol(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go refuseVersion(conn)
		}
	}()
	c := Config{Dialect: Cassandra(), Endpoints: []string{l.Addr().String()}, Namespace: "n", Timeout: 5 * time.Second}
	_, err = Version(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "the suite speaks version 4 of CQL's protocol") {
		t.Errorf("got %v", err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it took the whole timeout: %v", err)
	}
}

// refuseVersion answers each request as a Cassandra of the time before version 4.
func refuseVersion(conn net.Conn) {
	defer conn.Close()
	header := make([]byte, 9)
	for {
		if _, err := conn.Read(header); err != nil {
			return
		}
		message := "Invalid or unsupported protocol version (4); the lowest supported version is 3 and the greatest is 3"
		body := append([]byte{0, 0, 0, 0x0a, 0, byte(len(message))}, message...) // a protocol error
		reply := append([]byte{0x83, 0, header[2], header[3], 0, 0, 0, 0, byte(len(body))}, body...)
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}
