package cluster

import (
	"fmt"
	"math"
	"strings"

	"kvbench/testdata/servers"
)

// Containers of the databases that speak CQL. Each node has an address of its own
// in the network of its cluster, which it tells to clients: see Cluster.Translate.
const cqlPort = 9042

// cassandraBoxing replaces the image's configuration by the process source's. The
// image's entry point puts the container's addresses into it. The image decides
// upon the Java virtual machine and its options, except for the heap.
func cassandraBoxing() boxing {
	return boxing{
		port:     cqlPort,
		data:     "/var/lib/cassandra",
		settings: cassandraSettings,
		boxes: func(nodes int, limit limits) ([]box, error) {
			heap := cassandraHeap(nodes, limit)
			var boxes []box
			for i := range nodes {
				yaml, err := cassandraBoxYAML(i, nodes)
				if err != nil {
					return nil, err
				}
				boxes = append(boxes, box{
					env: []string{
						"CASSANDRA_SEEDS=" + cassandraSeeds(i),
						"MAX_HEAP_SIZE=" + heap,
						"HEAP_NEWSIZE=200M", // of no effect with G1; with another collector the start script wants both or none
						// As in cassandra/jvm.options.
						"JVM_EXTRA_OPTS=-Dcassandra.skip_wait_for_gossip_to_settle=0 -Dcassandra.ring_delay_ms=500 -Dcassandra.shutdown_announce_in_ms=0 -XX:+ExitOnOutOfMemoryError",
					},
					files: map[string]string{"/etc/cassandra/cassandra.yaml": yaml},
				})
			}
			return boxes, nil
		},
	}
}

// cassandraSeeds are the names that are known when a node starts: the first node's
// and its own. A seed starts even if the others are too busy to answer it at once.
func cassandraSeeds(i int) string {
	if i == 0 {
		return nodeHost(0)
	}
	return nodeHost(0) + "," + nodeHost(i)
}

func cassandraBoxYAML(i, nodes int) (string, error) {
	token := ""
	if nodes > 1 {
		token = evenToken(i, nodes)
	}
	return fillIn(servers.Text("cassandra/cassandra.yaml"), map[string]any{
		"Boxed":        true,
		"Host":         nodeHost(i),
		"NativePort":   cqlPort,
		"StoragePort":  7000,
		"Seeds":        cassandraSeeds(i),
		"InitialToken": token,
	})
}

// yugabyteBoxing follows YugabyteDB's guide to running it in containers, where
// the second and the third node join the first. Three nodes have replication
// factor 3 by themselves, and ignore the keyspace's.
func yugabyteBoxing() boxing {
	const data = "/mnt/disk0/yb-data"
	return boxing{
		port: cqlPort,
		data: data,
		settings: func(int, limits) [][2]string {
			return [][2]string{{"wal-sync", "every 1s or 1MB"}}
		},
		boxes: func(nodes int, limit limits) ([]box, error) {
			var boxes []box
			for i := range nodes {
				cmd := []string{"bin/yugabyted", "start", "--base_dir=" + data, "--background=false", "--callhome=false"}
				if i > 0 {
					cmd = append(cmd, "--join="+nodeHost(0))
				}
				boxes = append(boxes, box{cmd: append(cmd, yugabyteFlags(limit)...)})
			}
			return boxes, nil
		},
	}
}

// yugabyteFlags are those of the two servers that make a node. The first are
// their defaults, said because results depend on them. Without a limit they share
// what memory the machine has; they don't see a container's, and are to leave a
// quarter of it to what else runs there.
func yugabyteFlags(limit limits) []string {
	tserver := []string{"durable_wal_write=false", "interval_durable_wal_write_ms=1000", "bytes_durable_wal_write_mb=1"}
	if limit.memory == 0 {
		return []string{"--tserver_flags=" + strings.Join(tserver, ",")}
	}
	tserver = append(tserver, fmt.Sprintf("memory_limit_hard_bytes=%d", limit.memory*6/10))
	return []string{
		"--tserver_flags=" + strings.Join(tserver, ","),
		fmt.Sprintf("--master_flags=memory_limit_hard_bytes=%d", limit.memory*15/100),
	}
}

// scyllaBoxing runs ScyllaDB in developer mode, in which it takes any file system
// and doesn't measure the disk first. It takes the processors and the memory that
// it is given for itself, so there is a limit to both always.
func scyllaBoxing() boxing {
	return boxing{
		port: cqlPort,
		data: "/var/lib/scylla",
		settings: func(nodes int, limit limits) [][2]string {
			smp, memory := scyllaShare(nodes, limit)
			return [][2]string{
				{"developer-mode", "on"},
				{"smp", smp},
				{"smp-memory", memory},
				{"commitlog-sync", "periodic 10s"},
				{"auto-snapshot", "off"},
			}
		},
		boxes: func(nodes int, limit limits) ([]box, error) {
			smp, memory := scyllaShare(nodes, limit)
			var boxes []box
			for range nodes {
				boxes = append(boxes, box{cmd: []string{
					"--developer-mode", "1", "--overprovisioned", "1",
					"--smp", smp, "--memory", memory,
					"--seeds", nodeHost(0),
					"--disable-version-check", // nothing goes out
					"--commitlog-sync", "periodic", "--commitlog-sync-period-in-ms", "10000",
					"--auto-snapshot", "0", // as in cassandra/cassandra.yaml, for the same reason
				}})
			}
			return boxes, nil
		},
	}
}

// scyllaShare returns how many threads a node has, each of them on a processor,
// and how much memory.
func scyllaShare(nodes int, limit limits) (smp, memory string) {
	threads, bytes := 2, int64(2<<30)
	if nodes > 1 {
		threads, bytes = 1, 1<<30
	}
	if limit.cpus > 0 {
		threads = max(1, int(math.Floor(limit.cpus)))
	}
	if limit.memory > 0 {
		bytes = limit.memory * 8 / 10 // what else runs in the container needs some
	}
	return fmt.Sprint(threads), mebibytes(bytes)
}
