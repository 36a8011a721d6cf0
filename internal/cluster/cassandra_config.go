package cluster

import (
	"math/big"
	"strings"

	"kvbench/testdata/servers"
)

// writeCassandraConfig writes what node i reads when it starts.
func writeCassandraConfig(nodes []node, i int) error {
	yaml, err := cassandraYAML(nodes, i)
	if err != nil {
		return err
	}
	return writeFiles(nodes[i].dir, map[string]string{
		"conf/cassandra.yaml": yaml,
		"conf/jvm.options":    servers.Text("cassandra/jvm.options"),
		"conf/logback.xml":    servers.Text("cassandra/logback.xml"),
	})
}

func cassandraYAML(nodes []node, i int) (string, error) {
	var seeds []string
	for _, n := range nodes {
		seeds = append(seeds, n.addr(cassandraStorage))
	}
	token := ""
	if len(nodes) > 1 {
		token = evenToken(i, len(nodes))
	}
	return fillIn(servers.Text("cassandra/cassandra.yaml"), map[string]any{
		"Boxed":        false,
		"Host":         nodes[i].host,
		"NativePort":   nodes[i].ports[cassandraNative],
		"StoragePort":  nodes[i].ports[cassandraStorage],
		"Seeds":        strings.Join(seeds, ","),
		"InitialToken": token,
	})
}

// evenToken returns the token of node i of n, if they are to own equal parts of
// Murmur3Partitioner's ring, which goes from -2^63 to 2^63-1.
func evenToken(i, n int) string {
	t := new(big.Int).Lsh(big.NewInt(int64(i)), 64)
	t.Quo(t, big.NewInt(int64(n)))
	return t.Sub(t, new(big.Int).Lsh(big.NewInt(1), 63)).String()
}
