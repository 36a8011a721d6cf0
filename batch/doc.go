// Package batch measures requests that write several rows at once: CQL batches,
// etcd and Consul transactions, ZooKeeper multis.
//
// Write is YugabyteDB's batch workload (yb-sample-apps, CassandraBatchKeyValue):
// 64 writers, 25 rows a batch, 256-byte values, sequential new keys. What varies
// is in the benchmark's name:
//
//   - batch=logged, unlogged: the kind of CQL batch. The source's are logged.
//   - batch=atomic: a transaction of a coordination store.
//   - partitions=25, 1: whether the rows of a CQL batch lie in a partition each,
//     as the source's do, or all in one.
//
// A row of the benchmark with partitions=1 has the key "<batch>:<row>", cut into
// partition and clustering key; else it is "key:<n>", a partition.
//
// ops/s and the latencies are of batches, rows/s counts rows. Before a run one
// batch is sent, so that a size that the servers refuse is an error and not a run
// of failures. The servers' defaults: Cassandra 50 KiB, etcd 128 operations,
// Consul 64 operations, ZooKeeper 1 MiB.
//
// Settings begin with BATCH_, CQL_ and BENCH_; see the README. For example:
//
//	go test ./batch -run '^$' -bench Write/system=cassandra -benchtime=1m
package batch
