package cql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// What the contract doesn't ask for, against a real Cassandra.

func TestReadyAndVersion(t *testing.T) {
	c := Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints(), Namespace: "kvbench_test"}
	for range 2 {
		if err := Ready(t.Context(), c); err != nil {
			t.Fatalf("ready: %v", err)
		}
	}
	version, err := Version(t.Context(), c)
	if err != nil || !atLeast(version, [2]int{4, 0}) {
		t.Errorf("version %q, error %v", version, err)
	}
}

func TestCountOfManyRows(t *testing.T) {
	for _, batch := range []string{"logged", "unlogged"} {
		c := testConfig(t, "count", Partitioned())
		c.Batch = batch
		s := emptied(t, c)
		client := newClient(s)
		const partitions, each = 400, 25
		for p := range partitions {
			if err := client.PutBatch(t.Context(), partition(p, each, 256)); err != nil {
				t.Fatalf("%s batch within one partition: %v", batch, err)
			}
		}
		if n, err := s.Count(t.Context()); err != nil || n != partitions*each {
			t.Errorf("count is %d, error %v; want %d", n, err, partitions*each)
		}
		last := partition(partitions-1, each, 256)[each-1]
		got := target.Row{Key: last.Key, Values: make([][]byte, 1)}
		if err := client.Get(t.Context(), got); err != nil || string(got.Values[0]) != string(last.Values[0]) {
			t.Errorf("row %q of a batch: %q, error %v", last.Key, got.Values[0], err)
		}
	}
}

// TestBatchLimits shows that the servers' limit of batches is for those of
// several partitions, and that what is beyond either limit is ErrTooLarge.
func TestBatchLimits(t *testing.T) {
	s := emptied(t, testConfig(t, "batch_limits", Partitioned()))
	client := newClient(s)
	one := partition(1, 25, 4<<10)
	if err := client.PutBatch(t.Context(), one); err != nil {
		t.Errorf("100 KiB in one partition: %v", err)
	}
	several := partition(2, 25, 4<<10)
	for i := range several {
		several[i].Key = fmt.Appendf(nil, "%d:0", i)
	}
	if err := client.PutBatch(t.Context(), several); !errors.Is(err, target.ErrTooLarge) {
		t.Errorf("100 KiB in 25 partitions: %v, want ErrTooLarge", err)
	}
	if err := client.PutBatch(t.Context(), partition(3, 70, 256<<10)); !errors.Is(err, target.ErrTooLarge) {
		t.Errorf("17.5 MiB in one partition: %v, want ErrTooLarge", err)
	}
	if err := client.CheckBatch(make([]target.Row, batchMax+1)); !errors.Is(err, target.ErrTooLarge) {
		t.Errorf("more rows than the protocol can count: %v, want ErrTooLarge", err)
	}
	for _, wrong := range [][]target.Row{nil, {{Key: []byte("k")}}} {
		if err := client.PutBatch(t.Context(), wrong); err == nil || errors.Is(err, target.ErrTooLarge) {
			t.Errorf("batch %v: %v", wrong, err)
		}
	}
	if n, err := s.Count(t.Context()); err != nil || n != 25 {
		t.Errorf("count is %d, error %v; want 25", n, err)
	}
}

// TestPartitionWithTwoRowsIsCorrupt has a second row in a partition of NDBench's
// table, as nothing in the suite would write it.
func TestPartitionWithTwoRowsIsCorrupt(t *testing.T) {
	c := testConfig(t, "two_rows", Wide(8))
	s := emptied(t, c)
	client := newClient(s)
	row := target.Row{Key: []byte("T1"), Values: make([][]byte, 8)}
	for i := range row.Values {
		row.Values[i] = fmt.Appendf(nil, "value of column %d", i)
	}
	if err := client.Put(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	got := target.Row{Key: row.Key, Values: make([][]byte, 8)}
	if err := client.Get(t.Context(), got); err != nil || string(got.Values[7]) != string(row.Values[7]) {
		t.Errorf("read %q, error %v", got.Values, err)
	}
	if err := s.session.Query("INSERT INTO two_rows (key, column1, value0) VALUES ('T1', 2, 'x')").Exec(); err != nil {
		t.Fatal(err)
	}
	if err := client.Get(t.Context(), got); !errors.Is(err, target.ErrCorrupt) {
		t.Errorf("a partition with 2 rows: %v, want ErrCorrupt", err)
	}
}

func TestRowOfAnotherShape(t *testing.T) {
	client := newClient(open(t, testConfig(t, "shape", KeyValue())))
	row := target.Row{Key: []byte("k"), Values: make([][]byte, 2)}
	for name, err := range map[string]error{
		"put": client.Put(t.Context(), row),
		"get": client.Get(t.Context(), row),
	} {
		if err == nil || !strings.Contains(err.Error(), "2 values, want 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConnections counts them on the wire side: one to each node for operations
// if nothing is said, and the driver's own.
func TestConnections(t *testing.T) {
	nodes := len(servers.Start(t).Servers)
	for _, conns := range []int{0, 1, 4} {
		c := testConfig(t, "conns", KeyValue())
		c.Conns = conns
		s := open(t, c)
		d := s.session.dialer
		d.mu.Lock()
		got := len(d.conns)
		d.mu.Unlock()
		if want := max(conns, 1)*nodes + 1; got != want {
			t.Errorf("CQL_CONNS=%d: %d connections to %d nodes, want %d", conns, got, nodes, want)
		}
	}
}

// TestOpenReports has one clear error for each thing that can be wrong.
func TestOpenReports(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unreachable := taken.Addr().String()
	taken.Close()
	open(t, testConfig(t, "exists", KeyValue()))
	for _, test := range []struct {
		name   string
		change func(c *Config)
		want   []string
	}{
		{"unreachable endpoint", func(c *Config) { c.Endpoints = []string{unreachable} }, []string{"cassandra", unreachable, "refused"}},
		{"unknown host", func(c *Config) { c.Endpoints = []string{"no-such-host.invalid:9042"} }, []string{"no-such-host.invalid"}},
		{"more copies than nodes", func(c *Config) { c.Replication = 9 }, []string{"CQL_REPLICATION=9", "more copies of a row than nodes"}},
		{"table of another shape", func(c *Config) { c.Schema = Partitioned() }, []string{"kvbench_test.exists", "[k v]", "[k p v]"}},
		{"wrong namespace", func(c *Config) { c.Namespace = "no good" }, []string{`BENCH_NAMESPACE="no good"`}},
		{"system's namespace", func(c *Config) { c.Namespace = "system" }, []string{`keyspace "system"`}},
	} {
		c := testConfig(t, "exists", KeyValue())
		test.change(&c)
		s, err := Open(t.Context(), c)
		if err == nil {
			s.Close()
			t.Errorf("%s: no error", test.name)
			continue
		}
		for _, word := range test.want {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: error %q doesn't say %q", test.name, err, word)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %q", test.name, err)
		}
	}
}

// TestOpenEndsWithItsContext connects to a server that accepts and says nothing.
func TestOpenEndsWithItsContext(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c := Config{Dialect: Cassandra(), Endpoints: []string{mute.Addr().String()}, Table: "t", Timeout: time.Hour}
	_, err = Open(ctx, c)
	if !errors.Is(err, target.ErrTimeout) {
		t.Errorf("%v, want ErrTimeout", err)
	}
}

// TestSilentServerLosesItsConnection waits, with no deadline, for a server that
// stopped: the operation must end with its connection.
func TestSilentServerLosesItsConnection(t *testing.T) {
	stop := targettest.Pause(t, servers.Start(t))
	if stop == nil {
		t.Skip("the servers aren't ours to stop: unset CASSANDRA_ENDPOINTS")
	}
	c := testConfig(t, "silent", KeyValue())
	c.Timeout = time.Second
	s := open(t, c)
	client := newClient(s)
	row := target.Row{Key: []byte("k"), Values: [][]byte{[]byte("v")}}
	if err := client.Put(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	resume := stop()
	err := client.Put(t.Context(), row)
	resume()
	if !errors.Is(err, target.ErrTimeout) {
		t.Errorf("%v, want ErrTimeout", err)
	}
	for client.Put(t.Context(), row) != nil {
		if t.Context().Err() != nil {
			t.Fatal("the client doesn't reconnect")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// emptied opens an empty store.
func emptied(t *testing.T, c Config) *Store {
	t.Helper()
	s := open(t, c)
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// partition makes n rows of partition p with values of size bytes.
func partition(p, n, size int) []target.Row {
	rows := make([]target.Row, n)
	for i := range rows {
		rows[i] = target.Row{
			Key:    fmt.Appendf(nil, "%d:%02d", p, i),
			Values: [][]byte{[]byte(strings.Repeat(string(rune('a'+i%26)), size))},
		}
	}
	return rows
}

// TestRoutingKey compares the routing key that a client sets, which saves the
// driver from working it out for each operation, with what the driver finds.
func TestRoutingKey(t *testing.T) {
	for table, schema := range map[string]Schema{"routing_kv": KeyValue(), "routing_wide": Wide(2), "routing_partitioned": Partitioned()} {
		client := newClient(open(t, testConfig(t, table, schema)))
		row := target.Row{Key: []byte("17:03"), Values: make([][]byte, len(schema.values))}
		client.bind(client.row, row)
		got, err := client.put.in(t.Context()).Bind(client.row.args...).GetRoutingKey()
		want, _ := schema.cut(row.Key)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: the driver's routing key is %q, error %v; ours is %q", table, got, err, want)
		}
	}
}
