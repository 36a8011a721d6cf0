// Package coord measures coordination stores: etcd, ZooKeeper and Consul.
//
// Put writes new keys and Get reads preloaded ones, with 1 to 1,000 clients in
// closed loop, 256-byte keys (decimal numbers with leading zeros) and 1 KB values:
// dbtester's workload ("Write 1M keys, 256-byte key, 1KB value, clients 1 to
// 1,000"), and those of etcd's own benchmark tool.
//
// Each number of clients is a benchmark of its own that does equal work on an
// equal store: before each Put all keys are removed and, on servers that the suite
// started, history is compacted. dbtester lets the data grow from step to step, so
// that client count and data size can't be told apart.
//
// Get has two consistencies, by the names that make systems comparable:
//
//	consistency=linearizable  etcd: range; ZooKeeper: sync, then get; Consul: consistent
//	consistency=stale         etcd: serializable range; ZooKeeper: get; Consul: stale
//
// A ZooKeeper key is a znode below one of 1,024 buckets, so that the children of
// no znode outgrow a reply; dbtester puts all below the root.
//
// Settings begin with COORD_, ETCD_, ZOOKEEPER_, CONSUL_ and BENCH_; see the
// README. For example, exactly a million keys by a thousand clients:
//
//	go test ./coord -run '^$' -bench 'Put/system=etcd/clients=1000$' -benchtime=1000000x
package coord
