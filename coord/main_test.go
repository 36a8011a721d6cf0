package coord

import (
	"os"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/suite"
	"kvbench/internal/workload"
)

var bench = suite.New("coord", cluster.Etcd, cluster.ZooKeeper, cluster.Consul)

func TestMain(m *testing.M) { os.Exit(bench.Main(m)) }

// rows are dbtester's: a number with leading zeros, and a value of some size.
func rows(b *testing.B) suite.Rows {
	s := bench.Settings()
	keys, err := workload.PaddedKeys(s.Coord.KeySize, s.Coord.Keys)
	if err != nil {
		b.Fatal(err)
	}
	values, err := workload.NewValues(s.Coord.ValueSize, 0, s.Bench.Seed)
	if err != nil {
		b.Fatal(err)
	}
	return suite.Rows{Keys: keys, Values: values}
}
