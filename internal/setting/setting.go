// Package setting reads the suite's settings from environment variables.
//
// Settings are environment variables because flags of one test binary break
// "go test ./...". Every setting is a field of [Settings]; its tags are the
// variable's name, its default and the sentence that README prints.
package setting

import "time"

// Settings are all settings of the suite, validated.
type Settings struct {
	Bench     Bench
	KV        KV
	Batch     Batch
	Coord     Coord
	CQL       CQL
	Cassandra System `envPrefix:"CASSANDRA_"`
	Yugabyte  System `envPrefix:"YUGABYTE_"`
	Scylla    System `envPrefix:"SCYLLA_"`
	Etcd      Etcd
	ZooKeeper System `envPrefix:"ZOOKEEPER_"`
	Consul    System `envPrefix:"CONSUL_"`
}

// Bench are the settings of every benchmark.
type Bench struct {
	Rate      float64       `env:"BENCH_RATE" envDefault:"0" doc:"arrival rate in operations a second; makes a benchmark open loop; 0 is closed loop"`
	Arrivals  string        `env:"BENCH_ARRIVALS" envDefault:"uniform" oneof:"uniform poisson" doc:"how open-loop arrivals are spaced"`
	Warmup    string        `env:"BENCH_WARMUP" envDefault:"auto" doc:"unmeasured load before each measurement: a duration, or auto: until latency is steady"`
	Timeout   time.Duration `env:"BENCH_TIMEOUT" envDefault:"10s" doc:"deadline of one operation, and of reaching a cluster"`
	Seed      uint64        `env:"BENCH_SEED" envDefault:"1" doc:"seed of keys, values and arrivals"`
	MaxErrors float64       `env:"BENCH_MAX_ERRORS" envDefault:"0.001" doc:"failed share of the operations above which a benchmark fails"`
	MinRate   float64       `env:"BENCH_MIN_RATE" envDefault:"0.99" doc:"achieved share of the arrival rate below which an open-loop benchmark fails"`
	Namespace string        `env:"BENCH_NAMESPACE" envDefault:"kvbench" doc:"keyspace, prefix or znode that holds everything the suite writes"`
	Nodes     int           `env:"BENCH_NODES" envDefault:"1" oneof:"1 3" doc:"servers per system that the suite starts"`
	Servers   string        `env:"BENCH_SERVERS" envDefault:"auto" oneof:"auto process" doc:"where servers come from if no endpoints are set"`
	DataDir   string        `env:"BENCH_DATA_DIR" doc:"directory for the data of servers that the suite starts; the default is the temporary directory"`
}

// KV are the settings of package kv.
type KV struct {
	Keys      int64   `env:"KV_KEYS" envDefault:"100000" doc:"preloaded rows of Read and Mixed"`
	ValueSize int     `env:"KV_VALUE_SIZE" envDefault:"256" doc:"bytes of a value of Write and Read"`
	Writers   int     `env:"KV_WRITERS" envDefault:"256" doc:"clients of Write"`
	Readers   int     `env:"KV_READERS" envDefault:"256" doc:"clients of Read"`
	Compress  float64 `env:"KV_COMPRESSIBILITY" envDefault:"0" doc:"share of a value that compresses away, 0 to 1"`
	Dist      string  `env:"KV_DISTRIBUTION" envDefault:"uniform" oneof:"sequential uniform zipfian latest hotspot" doc:"distribution of the keys that are read or updated"`

	Rate           float64 `env:"KV_RATE" envDefault:"1" doc:"scale of Mixed's arrival rates of 7,200 reads/s and 1,800 writes/s"`
	MixedReaders   int     `env:"KV_MIXED_READERS" envDefault:"8" doc:"reading clients of Mixed"`
	MixedWriters   int     `env:"KV_MIXED_WRITERS" envDefault:"8" doc:"writing clients of Mixed"`
	MixedInsert    bool    `env:"KV_MIXED_INSERT" envDefault:"false" doc:"Mixed writes new rows; by default it updates preloaded ones"`
	Columns        int     `env:"KV_COLUMNS" envDefault:"8" doc:"value columns of Mixed"`
	MixedValueSize int     `env:"KV_MIXED_VALUE_SIZE" envDefault:"1024" doc:"bytes of each column of Mixed"`
	Values         int     `env:"KV_VALUES" envDefault:"1000" doc:"values in Mixed's pool"`
}

// Batch are the settings of package batch.
type Batch struct {
	Writers   int `env:"BATCH_WRITERS" envDefault:"64" doc:"clients of batch Write"`
	Rows      int `env:"BATCH_ROWS" envDefault:"25" doc:"rows of a batch"`
	ValueSize int `env:"BATCH_VALUE_SIZE" envDefault:"256" doc:"bytes of a value"`
}

// Coord are the settings of package coord.
type Coord struct {
	Clients   []int `env:"COORD_CLIENTS" envDefault:"1,10,50,100,300,500,700,1000" doc:"numbers of clients, a step each"`
	Keys      int64 `env:"COORD_KEYS" envDefault:"10000" doc:"preloaded keys of Get"`
	KeySize   int   `env:"COORD_KEY_SIZE" envDefault:"256" doc:"bytes of a key"`
	ValueSize int   `env:"COORD_VALUE_SIZE" envDefault:"1024" doc:"bytes of a value"`
}

// CQL are the settings of the CQL driver.
type CQL struct {
	Consistency string        `env:"CQL_CONSISTENCY" envDefault:"LOCAL_QUORUM" doc:"consistency level of reads and writes"`
	Conns       int           `env:"CQL_CONNS" envDefault:"1" doc:"connections to each host"`
	Coalesce    time.Duration `env:"CQL_COALESCE" envDefault:"-1ns" doc:"wait for more requests before a write to a connection; negative chooses by clients per connection"`
	Replication int           `env:"CQL_REPLICATION" envDefault:"0" doc:"replication factor of the keyspace; 0 is the smaller of 3 and the number of nodes"`
}

// A System says where one system's servers are, or which ones to start.
type System struct {
	Endpoints []string `env:"ENDPOINTS" doc:"host:port list of a running cluster"`
	Version   string   `env:"VERSION" doc:"version of the servers that the suite starts"`
}

// Etcd is etcd's System and driver settings.
type Etcd struct {
	System `envPrefix:"ETCD_"`
	Conns  int `env:"ETCD_CONNS" envDefault:"0" doc:"client connections; 0 chooses by the number of clients"`
}
