package cql

import (
	"strings"
	"testing"
)

// The text of all statements that differ by dialect or schema.

func TestKeyspaceDDL(t *testing.T) {
	for _, test := range []struct {
		dialect     Dialect
		nodes, repl int
		want        string
	}{
		{Cassandra(), 1, 0, "CREATE KEYSPACE ks WITH replication = {'class': 'NetworkTopologyStrategy', 'eu''1': 1}"},
		{Cassandra(), 3, 0, "CREATE KEYSPACE ks WITH replication = {'class': 'NetworkTopologyStrategy', 'eu''1': 3}"},
		{Scylla(), 9, 0, "CREATE KEYSPACE ks WITH replication = {'class': 'NetworkTopologyStrategy', 'eu''1': 3}"},
		{Scylla(), 9, 5, "CREATE KEYSPACE ks WITH replication = {'class': 'NetworkTopologyStrategy', 'eu''1': 5}"},
		{Yugabyte(), 3, 0, "CREATE KEYSPACE ks"},
	} {
		c := Config{Dialect: test.dialect, Namespace: "ks", Nodes: test.nodes, Replication: test.repl}
		if got := c.keyspaceDDL("eu'1"); got != test.want {
			t.Errorf("%s with %d nodes, replication %d:\n got %s\nwant %s", test.dialect.System, test.nodes, test.repl, got, test.want)
		}
	}
}

func TestTableDDL(t *testing.T) {
	for _, test := range []struct {
		name    string
		dialect Dialect
		schema  Schema
		version string
		want    string
	}{
		{"key-value on Cassandra keeps the default compression and leaves no snapshots", Cassandra(), KeyValue(), "5.0.5",
			"CREATE TABLE IF NOT EXISTS t (k varchar, v blob, PRIMARY KEY (k)) WITH allow_auto_snapshot = false"},
		{"Cassandra 4.1 can't be told about snapshots", Cassandra(), KeyValue(), "4.1.10",
			"CREATE TABLE IF NOT EXISTS t (k varchar, v blob, PRIMARY KEY (k))"},
		{"wide on Cassandra", Cassandra(), Wide(2), "5.0.8",
			"CREATE TABLE IF NOT EXISTS t (key text, column1 int, value0 text, value1 text, PRIMARY KEY (key, column1)) WITH compression = {'enabled': 'false'} AND allow_auto_snapshot = false"},
		{"wide on Scylla", Scylla(), Wide(1), "2025.4.1",
			"CREATE TABLE IF NOT EXISTS t (key text, column1 int, value0 text, PRIMARY KEY (key, column1)) WITH compression = {'sstable_compression': ''}"},
		{"partitioned on Scylla", Scylla(), Partitioned(), "6.2.0",
			"CREATE TABLE IF NOT EXISTS t (p varchar, k varchar, v blob, PRIMARY KEY (p, k))"},
		{"wide on Yugabyte has no property that it would ignore", Yugabyte(), Wide(1), "",
			"CREATE TABLE IF NOT EXISTS t (key text, column1 int, value0 text, PRIMARY KEY (key, column1))"},
		{"the zero schema is key-value", Yugabyte(), Schema{}.orDefault(), "",
			"CREATE TABLE IF NOT EXISTS t (k varchar, v blob, PRIMARY KEY (k))"},
	} {
		if got := test.schema.create("t", test.dialect.properties(test.schema, test.version)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestStatements(t *testing.T) {
	for _, test := range []struct {
		schema Schema
		hash   string
		want   []string
	}{
		{KeyValue(), Cassandra().hash, []string{
			"INSERT INTO t (k, v) VALUES (?, ?)",
			"SELECT k, v FROM t WHERE k = ?",
			"SELECT count(*) FROM t WHERE token(k) >= ? AND token(k) <= ?",
		}},
		{Wide(3), Scylla().hash, []string{
			"INSERT INTO t (key, column1, value0, value1, value2) VALUES (?, 1, ?, ?, ?)",
			"SELECT key, column1, value0, value1, value2 FROM t WHERE key = ?",
			"SELECT count(*) FROM t WHERE token(key) >= ? AND token(key) <= ?",
		}},
		{Partitioned(), Yugabyte().hash, []string{
			"INSERT INTO t (p, k, v) VALUES (?, ?, ?)",
			"SELECT p, k, v FROM t WHERE p = ? AND k = ?",
			"SELECT count(*) FROM t WHERE partition_hash(p) >= ? AND partition_hash(p) <= ?",
		}},
	} {
		got := []string{test.schema.insert("t"), test.schema.read("t"), test.schema.count("t", test.hash)}
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestPartitionedCutsKeys(t *testing.T) {
	for _, test := range []struct{ key, partition, clustering string }{
		{"17:03", "17:", "03"},
		{"kv:17:03", "kv:17:", "03"},
		{"17:", "17:", ""},
		{"alone", "alone", ""},
		{":x", ":", "x"},
	} {
		partition, clustering := Partitioned().cut([]byte(test.key))
		if string(partition) != test.partition || string(clustering) != test.clustering || clustering == nil {
			t.Errorf("%q: partition %q, clustering key %q; want %q, %q", test.key, partition, clustering, test.partition, test.clustering)
		}
	}
	for _, s := range []Schema{KeyValue(), Wide(1)} {
		if partition, clustering := s.cut([]byte("17:03")); string(partition) != "17:03" || clustering != nil {
			t.Errorf("a schema without partitions cuts %q, %q", partition, clustering)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{
		"4.0.17": false, "4.1.10": true, "4.1-beta1": true, "5.0.5": true, "10.0": true, "3.11.19": false, "": false, "trunk": false,
	} {
		if got := atLeast(version, [2]int{4, 1}); got != want {
			t.Errorf("%q is at least 4.1: %v, want %v", version, got, want)
		}
	}
}
