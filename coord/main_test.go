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

// manyKeys is more than a run writes in hours, so that all its keys have equal
// sizes: it is not known beforehand how many there will be.
const manyKeys = 100_000_000

// rows are dbtester's: a number below count with leading zeros, and a value of
// some size.
func rows(b *testing.B, count int64) suite.Rows {
	s := bench.Settings()
	keys, err := workload.PaddedKeys(s.Coord.KeySize, count)
	if err != nil {
		b.Fatal(err)
	}
	values, err := workload.NewValues(s.Coord.ValueSize, 0, s.Bench.Seed)
	if err != nil {
		b.Fatal(err)
	}
	return suite.Rows{Keys: keys, Values: values}
}
