package kv

import (
	"os"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/suite"
)

var bench = suite.New("kv", cluster.Cassandra, cluster.Yugabyte, cluster.Scylla)

func TestMain(m *testing.M) { os.Exit(bench.Main(m)) }

// keyValues are the rows of yb-sample-apps.
func keyValues(b *testing.B) suite.Rows {
	kv, seed := bench.Settings().KV, bench.Settings().Bench.Seed
	rows, err := suite.KeyValues(kv.ValueSize, kv.Compress, seed)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}
