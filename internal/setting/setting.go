// Package setting reads the suite's settings from environment variables.
//
// Settings are environment variables because flags of one test binary break
// "go test ./...". Every setting is a field of [Settings]; its tags are all that
// there is to know about it: the variable's name (env, envPrefix), its default
// (envDefault), the sentence that README prints (doc), and what is allowed:
// oneof a few words, from min to max, or a form (see form.go). What needs endpoints
// is for a cluster that is named by them.
//
// [Load] refuses what isn't allowed, and variables that look like a setting but
// are none: a typing error must not measure something else. An empty variable
// is one that isn't set.
package setting

import (
	"strings"
	"time"

	"kvbench/internal/access"
)

// Settings are all settings of the suite, validated. Formatting them shows no
// secret.
type Settings struct {
	// Borrowed says which settings come from those of the systems' own tools, such
	// as "ETCD_TLS_CA from ETCDCTL_CACERT": names, never values.
	Borrowed []string

	Bench     Bench
	KV        KV
	Batch     Batch
	Coord     Coord
	CQL       CQL
	Cassandra CQLSystem `envPrefix:"CASSANDRA_"`
	Yugabyte  CQLSystem `envPrefix:"YUGABYTE_"`
	Scylla    CQLSystem `envPrefix:"SCYLLA_"`
	Etcd      Etcd
	ZooKeeper System `envPrefix:"ZOOKEEPER_"`
	Consul    Consul `envPrefix:"CONSUL_"`
}

// Bench are the settings of every benchmark.
type Bench struct {
	Rate      float64       `env:"BENCH_RATE" envDefault:"0" min:"0" doc:"arrival rate in operations a second; makes a benchmark open loop; 0 is closed loop"`
	Arrivals  string        `env:"BENCH_ARRIVALS" envDefault:"uniform" oneof:"uniform poisson" doc:"how open-loop arrivals are spaced"`
	Warmup    AutoDuration  `env:"BENCH_WARMUP" envDefault:"auto" min:"0s" max:"24h" doc:"unmeasured load before each measurement; auto is until latency is steady"`
	Timeout   time.Duration `env:"BENCH_TIMEOUT" envDefault:"10s" min:"1ms" max:"10m" doc:"deadline of one operation, and of reaching a cluster"`
	Seed      uint64        `env:"BENCH_SEED" envDefault:"1" min:"0" doc:"seed of keys, values and arrivals"`
	MaxErrors float64       `env:"BENCH_MAX_ERRORS" envDefault:"0.001" min:"0" max:"1" doc:"failed share of the operations above which a benchmark fails"`
	MinRate   float64       `env:"BENCH_MIN_RATE" envDefault:"0.99" min:"0" max:"1" doc:"achieved share of the arrival rate below which an open-loop benchmark fails"`
	Namespace string        `env:"BENCH_NAMESPACE" envDefault:"kvbench" form:"namespace" doc:"keyspace, prefix or znode that holds everything the suite writes"`
	Nodes     int           `env:"BENCH_NODES" envDefault:"1" oneof:"1 3" doc:"servers per system that the suite starts"`
	Servers   string        `env:"BENCH_SERVERS" envDefault:"auto" oneof:"auto container process" doc:"where servers come from if no endpoints are set; auto is containers if a Docker engine has or gets the image, else processes"`
	CPUs      float64       `env:"BENCH_CPUS" envDefault:"0" min:"0" max:"1024" doc:"processors that each container may use; 0 is all"`
	Memory    string        `env:"BENCH_MEMORY" form:"size" doc:"memory that each container may use; the default is all"`
	Borrow    bool          `env:"BENCH_BORROW" envDefault:"true" doc:"whether what etcdctl, consul and cqlsh are told counts where settings of a cluster are unset"`
	DataDir   string        `env:"BENCH_DATA_DIR" form:"path" doc:"directory for the data of servers that the suite starts; the default is the temporary directory"`

	MaxDuration time.Duration `env:"BENCH_MAX_DURATION" envDefault:"0s" min:"0s" max:"720h" doc:"longest time that a warm-up, and a measurement, may load the servers, whatever -benchtime says; 0 is no limit"`
	MaxDown     int           `env:"BENCH_MAX_DOWN" envDefault:"0" min:"0" max:"1000" doc:"endpoints of a cluster that may be unreachable when the run begins"`
	Shared      bool          `env:"BENCH_SHARED" envDefault:"false" doc:"whether to load a cluster that holds what isn't the suite's: others use it"`
	Keep        bool          `env:"BENCH_KEEP" envDefault:"false" doc:"whether what the suite wrote stays in a cluster after the run"`
	Reuse       bool          `env:"BENCH_REUSE" envDefault:"false" doc:"whether to take over rows that an earlier run with BENCH_KEEP preloaded"`
}

// KV are the settings of package kv.
type KV struct {
	Keys      int64   `env:"KV_KEYS" envDefault:"100000" min:"1" max:"1000000000000" doc:"preloaded rows of Read"`
	ValueSize int     `env:"KV_VALUE_SIZE" envDefault:"256" min:"0" max:"16777216" doc:"bytes of a value of Write and Read; 0 is the text val: and the key's number"`
	Writers   int     `env:"KV_WRITERS" envDefault:"256" min:"1" max:"100000" doc:"clients of Write"`
	Readers   int     `env:"KV_READERS" envDefault:"256" min:"1" max:"100000" doc:"clients of Read"`
	Compress  float64 `env:"KV_COMPRESSIBILITY" envDefault:"0" min:"0" max:"1" doc:"share of a value that compresses away"`
	Dist      string  `env:"KV_DISTRIBUTION" envDefault:"uniform" form:"distribution" doc:"distribution of the keys that are read or updated"`

	Rate           float64 `env:"KV_RATE" envDefault:"1" min:"0.0001" max:"10000" doc:"scale of Mixed's arrival rates of 7,200 reads/s and 1,800 writes/s"`
	MixedKeys      int64   `env:"KV_MIXED_KEYS" envDefault:"10000" min:"1" max:"1000000000000" doc:"preloaded rows of Mixed"`
	MixedReaders   int     `env:"KV_MIXED_READERS" envDefault:"8" min:"1" max:"100000" doc:"reading clients of Mixed"`
	MixedWriters   int     `env:"KV_MIXED_WRITERS" envDefault:"8" min:"1" max:"100000" doc:"writing clients of Mixed"`
	MixedInsert    bool    `env:"KV_MIXED_INSERT" envDefault:"false" doc:"whether Mixed writes new rows instead of updating preloaded ones"`
	Columns        int     `env:"KV_COLUMNS" envDefault:"8" min:"1" max:"1000" doc:"value columns of Mixed"`
	MixedValueSize int     `env:"KV_MIXED_VALUE_SIZE" envDefault:"1024" min:"1" max:"16777216" doc:"bytes of each column of Mixed"`
	Values         int     `env:"KV_VALUES" envDefault:"1000" min:"1" max:"1000000" doc:"values in Mixed's pool"`
}

// Batch are the settings of package batch.
type Batch struct {
	Writers   int `env:"BATCH_WRITERS" envDefault:"64" min:"1" max:"100000" doc:"clients of batch Write"`
	Rows      int `env:"BATCH_ROWS" envDefault:"25" min:"1" max:"65535" doc:"rows of a batch"`
	ValueSize int `env:"BATCH_VALUE_SIZE" envDefault:"256" min:"0" max:"16777216" doc:"bytes of a value; 0 is the text val: and the key's number"`
}

// Coord are the settings of package coord.
type Coord struct {
	Clients   Counts `env:"COORD_CLIENTS" envDefault:"1,10,50,100,300,500,700,1000" min:"1" max:"100000" doc:"numbers of clients, a step each"`
	Keys      int64  `env:"COORD_KEYS" envDefault:"10000" min:"1" max:"1000000000000" doc:"preloaded keys of Get"`
	KeySize   int    `env:"COORD_KEY_SIZE" envDefault:"256" min:"8" max:"256" doc:"bytes of a key; Put's keys are numbers of 8 digits, and adapters take keys of at most 256 bytes"`
	ValueSize int    `env:"COORD_VALUE_SIZE" envDefault:"1024" min:"0" max:"16777216" doc:"bytes of a value; 0 is the text val: and the key's number"`
}

// CQL are the settings of the CQL driver.
type CQL struct {
	Consistency string       `env:"CQL_CONSISTENCY" envDefault:"LOCAL_QUORUM" oneof:"ONE TWO THREE QUORUM ALL LOCAL_QUORUM EACH_QUORUM LOCAL_ONE" doc:"consistency level of reads and writes"`
	Conns       int          `env:"CQL_CONNS" envDefault:"1" min:"1" max:"1000" doc:"connections to each host"`
	Serial      string       `env:"CQL_SERIAL_CONSISTENCY" envDefault:"LOCAL_SERIAL" oneof:"SERIAL LOCAL_SERIAL" doc:"serial consistency level of conditional writes"`
	Coalesce    AutoDuration `env:"CQL_COALESCE" envDefault:"auto" min:"0s" max:"1s" doc:"wait for more requests before a write to a connection; auto chooses by clients per connection"`
	Replication int          `env:"CQL_REPLICATION" envDefault:"0" min:"0" max:"100" doc:"replication factor of the keyspace; 0 is the smaller of 3 and the number of nodes"`
}

// A System says where one system's servers are and how to reach them, or which
// ones to start.
type System struct {
	Endpoints Endpoints `env:"ENDPOINTS" doc:"addresses of a running cluster, without a port for the system's usual one; etcd's and Consul's may be URLs"`
	Version   string    `env:"VERSION" form:"version" doc:"version of the servers that the suite starts as processes; the default is the suite's choice"`
	Image     string    `env:"IMAGE" form:"image" doc:"container image of the servers that the suite starts; the default is the suite's choice"`

	TLS          string        `env:"TLS" needs:"endpoints" envDefault:"auto" oneof:"auto true false" doc:"whether to speak TLS with a running cluster; auto is if a setting of it or an endpoint says so"`
	CA           string        `env:"TLS_CA" needs:"endpoints" form:"path" doc:"PEM file, or directory of such, of the authorities to trust; the default is the machine's"`
	Cert         string        `env:"TLS_CERT" needs:"endpoints" form:"path" doc:"PEM file of the client's certificate"`
	Key          string        `env:"TLS_KEY" needs:"endpoints" form:"path" doc:"PEM file of the client's private key"`
	ServerName   string        `env:"TLS_SERVER_NAME" needs:"endpoints" form:"host" doc:"name that the servers' certificates must have; the default is the endpoint's"`
	Insecure     bool          `env:"TLS_INSECURE" needs:"endpoints" envDefault:"false" doc:"whether servers need not prove who they are"`
	User         string        `env:"USER" needs:"endpoints" form:"name" doc:"user to log in as"`
	Password     access.Secret `env:"PASSWORD" needs:"endpoints" doc:"password of the user"`
	PasswordFile string        `env:"PASSWORD_FILE" needs:"endpoints" form:"path" doc:"file that holds the password"`
}

// A CQLSystem is a database that speaks CQL.
type CQLSystem struct {
	System
	DataCenter string      `env:"DATACENTER" needs:"endpoints" form:"name" doc:"data center of the endpoints, and the only one to talk to; the default is the first endpoint's"`
	Translate  Translation `env:"TRANSLATE" needs:"endpoints" doc:"where clients reach nodes that know each other by other addresses, as behind a NAT"`
}

// Etcd is etcd's System and driver settings.
type Etcd struct {
	System `envPrefix:"ETCD_"`
	Conns  int `env:"ETCD_CONNS" envDefault:"0" min:"0" max:"10000" doc:"client connections in all, to the endpoints in turn; 0 is 1 for 100 clients, as many to each endpoint"`
}

// Consul is Consul's System and what else its requests carry.
type Consul struct {
	System
	Token      access.Secret `env:"TOKEN" needs:"endpoints" doc:"ACL token"`
	TokenFile  string        `env:"TOKEN_FILE" needs:"endpoints" form:"path" doc:"file that holds the ACL token"`
	DataCenter string        `env:"DATACENTER" needs:"endpoints" form:"name" doc:"data center to write to and read from; the default is the agent's"`
	Partition  string        `env:"PARTITION" needs:"endpoints" form:"name" doc:"admin partition, in Consul Enterprise"`
}

// System returns the settings of the system called name, such as "etcd". It
// returns a zero System for a name that is none.
func (s *Settings) System(name string) System {
	if p := s.system(name); p != nil {
		return *p
	}
	return System{}
}

// systems are the names of all systems.
var systems = []string{"cassandra", "yugabyte", "scylla", "etcd", "zookeeper", "consul"}

// system returns what System does, to change, or nil.
func (s *Settings) system(name string) *System {
	switch name {
	case "cassandra":
		return &s.Cassandra.System
	case "yugabyte":
		return &s.Yugabyte.System
	case "scylla":
		return &s.Scylla.System
	case "etcd":
		return &s.Etcd.System
	case "zookeeper":
		return &s.ZooKeeper
	case "consul":
		return &s.Consul.System
	}
	return nil
}

// Prefix returns what the variables of the system called name begin with,
// without the underscore: ETCD for "etcd".
func Prefix(name string) string { return strings.ToUpper(name) }
