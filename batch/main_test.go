package batch

import (
	"os"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/suite"
)

var bench = suite.New("batch", cluster.Cassandra, cluster.Yugabyte, cluster.Scylla, cluster.Etcd, cluster.ZooKeeper, cluster.Consul)

func TestMain(m *testing.M) { os.Exit(bench.Main(m)) }
