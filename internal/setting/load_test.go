package setting

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/workload"
)

func load(t *testing.T, environ ...string) *Settings {
	t.Helper()
	s, err := Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	want := &Settings{
		Bench: Bench{
			Arrivals: "uniform", Warmup: AutoDuration{Auto: true}, Timeout: 10 * time.Second, Seed: 1,
			MaxErrors: 0.001, MinRate: 0.99, Namespace: "kvbench", Nodes: 1, Servers: "auto", Borrow: true,
		},
		KV: KV{
			Keys: 100_000, ValueSize: 256, Writers: 256, Readers: 256, Dist: "uniform", Rate: 1, MixedKeys: 10_000,
			MixedReaders: 8, MixedWriters: 8, Columns: 8, MixedValueSize: 1024, Values: 1000,
		},
		Batch: Batch{Writers: 64, Rows: 25, ValueSize: 256},
		Coord: Coord{Clients: Counts{1, 10, 50, 100, 300, 500, 700, 1000}, Keys: 10_000, KeySize: 256, ValueSize: 1024},
		CQL:   CQL{Consistency: "LOCAL_QUORUM", Conns: 1, Serial: "LOCAL_SERIAL", Coalesce: AutoDuration{Auto: true}},
	}
	for _, name := range systems {
		want.system(name).TLS = "auto"
	}
	for _, test := range []struct {
		why     string
		environ []string
	}{
		{"nothing set", nil},
		{"variables of others", []string{"HOME=/root", "CASSANDRA_HOME=/opt/cassandra", "CONSUL_HTTP_TOKEN=x", "CONSUL_PARTITION=x", "CONSUL_TLS_SERVER_NAME=x", "ETCD_CORS=*", "ETCDCTL_CACERT=x", "=C:=C:\\", "odd"}},
		{"empty variables", []string{"BENCH_RATE=", "BENCH_DATA_DIR=", "COORD_CLIENTS=", "ETCD_ENDPOINTS="}},
	} {
		if diff := cmp.Diff(want, load(t, test.environ...), secrets); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

func TestEverySettingIsLoaded(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair := ca.Client(t, "bench")
	secure := System{
		TLS: "true", CA: ca.CA, Cert: pair.Cert, Key: pair.Key, ServerName: "db.example.org",
		User: "me", Password: access.NewSecret("pass word"),
	}
	at := func(s System, version, image string, endpoints ...string) System {
		s.Version, s.Image, s.Endpoints = version, image, endpoints
		return s
	}
	want := &Settings{
		Bench: Bench{
			Rate: 2000.5, Arrivals: "poisson", Warmup: AutoDuration{Duration: 30 * time.Second}, Timeout: time.Second, Seed: math.MaxUint64,
			MaxErrors: 1, MinRate: 0, Namespace: "team_7", Nodes: 3, Servers: "container", DataDir: "/mnt/nvme0", CPUs: 1.5, Memory: "2GiB", Borrow: false,
			MaxDuration: time.Hour, MaxDown: 1, Shared: true, Keep: true, Reuse: true,
		},
		KV: KV{
			Keys: 1_000_000_000, ValueSize: 0, Writers: 1, Readers: 100_000, Compress: 0.5, Dist: "hotspot:0.1:0.9", Rate: 0.5, MixedKeys: 20_000_000,
			MixedReaders: 2, MixedWriters: 3, MixedInsert: true, Columns: 1, MixedValueSize: 10, Values: 7,
		},
		Batch:     Batch{Writers: 2, Rows: 100, ValueSize: 17},
		Coord:     Coord{Clients: Counts{1000, 1}, Keys: 1, KeySize: 8, ValueSize: 1},
		CQL:       CQL{Consistency: "ONE", Conns: 4, Serial: "SERIAL", Coalesce: AutoDuration{Duration: 200 * time.Microsecond}, Replication: 3},
		Cassandra: CQLSystem{at(secure, "5.0.5", "", "10.0.0.1:9042", "10.0.0.2:9042"), "dc 1", Translation{"172.18.0.2:9042": "127.0.0.1:32768", "172.18.0.3:9042": "127.0.0.1:32769"}},
		Yugabyte:  CQLSystem{at(secure, "2025.1.0.0-b168", "", "[::1]:9042"), "dc2", Translation{"a:1": "b:2"}},
		Scylla:    CQLSystem{at(secure, "", "scylladb/scylla:2025.2", "scylla-1.example.org:19042"), "dc3", Translation{"[fe80::1]:9042": "c:3"}},
		Etcd:      Etcd{System: at(secure, "3.7.3", "", "localhost:2379"), Conns: 8},
		ZooKeeper: at(secure, "3.9.5", "", "zk_1:2181", "zk_2:2181", "zk_3:2181"),
		Consul: Consul{
			System: at(secure, "1.14.11", "", "127.0.0.1:8500"), Token: access.NewSecret("token"), DataCenter: "dc4", Partition: "team",
		},
	}
	environ := []string{
		"BENCH_RATE=2000.5", "BENCH_ARRIVALS=poisson", "BENCH_WARMUP=30s", "BENCH_TIMEOUT=1s", "BENCH_SEED=18446744073709551615",
		"BENCH_MAX_ERRORS=1", "BENCH_MIN_RATE=0", "BENCH_NAMESPACE=team_7", "BENCH_NODES=3", "BENCH_SERVERS=container", "BENCH_DATA_DIR=/mnt/nvme0",
		"BENCH_CPUS=1.5", "BENCH_MEMORY=2GiB", "BENCH_BORROW=false", "BENCH_MAX_DURATION=1h", "BENCH_MAX_DOWN=1", "BENCH_SHARED=true", "BENCH_KEEP=1", "BENCH_REUSE=true",
		"KV_KEYS=1000000000", "KV_VALUE_SIZE=0", "KV_WRITERS=1", "KV_READERS=100000", "KV_COMPRESSIBILITY=0.5", "KV_DISTRIBUTION=hotspot:0.1:0.9", "KV_RATE=0.5", "KV_MIXED_KEYS=20000000",
		"KV_MIXED_READERS=2", "KV_MIXED_WRITERS=3", "KV_MIXED_INSERT=true", "KV_COLUMNS=1", "KV_MIXED_VALUE_SIZE=10", "KV_VALUES=7",
		"BATCH_WRITERS=2", "BATCH_ROWS=100", "BATCH_VALUE_SIZE=17",
		"COORD_CLIENTS=1000, 1", "COORD_KEYS=1", "COORD_KEY_SIZE=8", "COORD_VALUE_SIZE=1",
		"CQL_CONSISTENCY=ONE", "CQL_CONNS=4", "CQL_SERIAL_CONSISTENCY=SERIAL", "CQL_COALESCE=200us", "CQL_REPLICATION=3",
		"CASSANDRA_ENDPOINTS=10.0.0.1:9042,10.0.0.2:9042", "CASSANDRA_VERSION=5.0.5", "CASSANDRA_DATACENTER=dc 1", "CASSANDRA_TRANSLATE=172.18.0.2:9042=127.0.0.1:32768, 172.18.0.3:9042=127.0.0.1:32769",
		"YUGABYTE_ENDPOINTS=[::1]:9042", "YUGABYTE_VERSION=2025.1.0.0-b168", "YUGABYTE_DATACENTER=dc2", "YUGABYTE_TRANSLATE=a:1=b:2",
		"SCYLLA_ENDPOINTS=scylla-1.example.org:19042", "SCYLLA_IMAGE=scylladb/scylla:2025.2", "SCYLLA_DATACENTER=dc3", "SCYLLA_TRANSLATE=[fe80::1]:9042=c:3",
		"ETCD_ENDPOINTS=localhost:2379", "ETCD_VERSION=3.7.3", "ETCD_CONNS=8",
		"ZOOKEEPER_ENDPOINTS=zk_1:2181 zk_2:2181 , zk_3:2181", "ZOOKEEPER_VERSION=3.9.5",
		"CONSUL_ENDPOINTS=127.0.0.1:8500", "CONSUL_VERSION=1.14.11", "CONSUL_TOKEN=token", "CONSUL_DATACENTER=dc4", "CONSUL_PARTITION=team",
	}
	for _, name := range systems {
		for _, set := range []string{
			"TLS=auto", "TLS_CA=" + ca.CA, "TLS_CERT=" + pair.Cert, "TLS_KEY=" + pair.Key, "TLS_SERVER_NAME=db.example.org",
			"TLS_INSECURE=false", "USER=me", "PASSWORD=pass word",
		} {
			environ = append(environ, Prefix(name)+"_"+set)
		}
	}
	if diff := cmp.Diff(want, load(t, environ...), secrets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	excluded := 6 + 6 + 1 // a version or an image, a password or a file of it, a token or a file of it
	if rows := Table(); len(rows) != len(environ)+excluded {
		t.Errorf("%d variables are tested, there are %d", len(environ), len(rows)-excluded)
	}
}

// secrets compares secrets by what they hide.
var secrets = cmp.Comparer(func(a, b access.Secret) bool { return a.Reveal() == b.Reveal() })

func TestWrongValues(t *testing.T) {
	for _, test := range []struct{ why, entry, want string }{
		{"a word for a duration", "BENCH_WARMUP=fast", `BENCH_WARMUP="fast": want auto, or a duration from 0s to 24h`},
		{"a duration without a unit", "BENCH_TIMEOUT=10", `BENCH_TIMEOUT="10": want a duration from 1ms to 10m`},
		{"a duration that is too short", "BENCH_TIMEOUT=0s", `BENCH_TIMEOUT="0s": want a duration from 1ms to 10m`},
		{"a negative duration", "BENCH_WARMUP=-1s", `BENCH_WARMUP="-1s": want auto, or a duration from 0s to 24h`},
		{"a word for a number", "BENCH_RATE=max", `BENCH_RATE="max": want a number of at least 0`},
		{"a negative rate", "BENCH_RATE=-1", `BENCH_RATE="-1": want a number of at least 0`},
		{"an endless rate", "BENCH_RATE=Inf", `BENCH_RATE="Inf": want a number of at least 0`},
		{"no number", "BENCH_RATE=NaN", `BENCH_RATE="NaN": want a number of at least 0`},
		{"a percentage", "BENCH_MAX_ERRORS=5", `BENCH_MAX_ERRORS="5": want a number from 0 to 1`},
		{"a share above all", "BENCH_MIN_RATE=1.01", `BENCH_MIN_RATE="1.01": want a number from 0 to 1`},
		{"a negative seed", "BENCH_SEED=-1", `BENCH_SEED="-1": want a whole number of at least 0`},
		{"one of two words", "BENCH_ARRIVALS=Poisson", `BENCH_ARRIVALS="Poisson": want uniform or poisson`},
		{"one of two numbers", "BENCH_NODES=2", `BENCH_NODES="2": want 1 or 3`},
		{"a number that is a word", "BENCH_NODES=one", `BENCH_NODES="one": want 1 or 3`},
		{"one of many words", "CQL_CONSISTENCY=ANY", `CQL_CONSISTENCY="ANY": want ONE, TWO, THREE, QUORUM, ALL, LOCAL_QUORUM, EACH_QUORUM or LOCAL_ONE`},
		{"no clients", "KV_WRITERS=0", `KV_WRITERS="0": want a whole number from 1 to 100000`},
		{"a fraction of a client", "KV_READERS=1.5", `KV_READERS="1.5": want a whole number from 1 to 100000`},
		{"a number that no integer holds", "KV_KEYS=99999999999999999999", `KV_KEYS="99999999999999999999": want a whole number from 1 to 1000000000000`},
		{"a value that no request holds", "KV_VALUE_SIZE=16777217", `KV_VALUE_SIZE="16777217": want a whole number from 0 to 16777216`},
		{"a bool with another word", "KV_MIXED_INSERT=yes", `KV_MIXED_INSERT="yes": want true or false`},
		{"an unknown distribution", "KV_DISTRIBUTION=zipf", `KV_DISTRIBUTION="zipf": want ` + workload.Specs},
		{"a distribution with a wrong parameter", "KV_DISTRIBUTION=zipfian:1", `KV_DISTRIBUTION="zipfian:1": want ` + workload.Specs},
		{"a list with a gap in it is fine, with a word isn't", "COORD_CLIENTS=1,,ten", `COORD_CLIENTS="1,,ten": "ten" is no whole number; want a list such as 1,10,100 of whole numbers from 1 to 100000`},
		{"a list of nothing", "COORD_CLIENTS=,", `COORD_CLIENTS=",": the list is empty; want a list such as 1,10,100 of whole numbers from 1 to 100000`},
		{"a step twice", "COORD_CLIENTS=10,10", `COORD_CLIENTS="10,10": 10 is there twice; want a list such as 1,10,100 of whole numbers from 1 to 100000`},
		{"a step of no clients", "COORD_CLIENTS=1,0", `COORD_CLIENTS="1,0": want a list such as 1,10,100 of whole numbers from 1 to 100000`},
		{"a wait of seconds", "CQL_COALESCE=2s", `CQL_COALESCE="2s": want auto, or a duration from 0s to 1s`},
		{"a key too short for Put's numbers", "COORD_KEY_SIZE=7", `COORD_KEY_SIZE="7": want a whole number from 8 to 256`},
		{"a key too long for the adapters", "COORD_KEY_SIZE=257", `COORD_KEY_SIZE="257": want a whole number from 8 to 256`},
		{"a version with a letter in front", "ETCD_VERSION=v3.7.3", `ETCD_VERSION="v3.7.3": want a version such as 3.7.3`},
		{"a version that is a path", "ETCD_VERSION=3.7/../x", `ETCD_VERSION="3.7/../x": want a version such as 3.7.3`},
		{"a relative path", "BENCH_DATA_DIR=data", `BENCH_DATA_DIR="data": want an absolute path, since tests run in their package's directory`},
		{"a port too large", "SCYLLA_ENDPOINTS=a:70000", `SCYLLA_ENDPOINTS="a:70000": "a:70000" has the port "70000", not one from 1 to 65535; want a list of hosts with or without ports such as 10.0.0.1:9042,[::1]:9042,db3`},
	} {
		s, err := Load([]string{test.entry})
		if err == nil || err.Error() != test.want || s != nil {
			t.Errorf("%s:\n got %v\nwant %s", test.why, err, test.want)
		}
	}
}

func TestNamespaces(t *testing.T) {
	for _, test := range []struct {
		why, name string
		ok        bool
	}{
		{"a letter is enough", "k", true},
		{"digits and underscores may follow", "k_2", true},
		{"a keyspace has 48 letters at most", strings.Repeat("k", 48), true},
		{"and not one more", strings.Repeat("k", 49), false},
		{"CQL folds upper case", "Kvbench", false},
		{"a digit can't be first", "2k", false},
		{"a hyphen would need quotes", "kv-bench", false},
		{"a slash would be a level more", "a/b", false},
		{"it's not a place to inject CQL", "k;drop", false},
		{"Cassandra's own keyspaces begin so", "system_auth", false},
		{"ZooKeeper's own znode", "zookeeper", false},
	} {
		if _, err := Load([]string{"BENCH_NAMESPACE=" + test.name}); (err == nil) != test.ok {
			t.Errorf("%s: BENCH_NAMESPACE=%q: %v", test.why, test.name, err)
		}
	}
}

func TestSettingsThatDoNotFitEachOther(t *testing.T) {
	for _, test := range []struct {
		why     string
		environ []string
		want    string
	}{
		{"a pool of 16 GB", []string{"KV_VALUES=1000000", "KV_MIXED_VALUE_SIZE=16384"}, "KV_VALUES=1000000 of KV_MIXED_VALUE_SIZE=16384 bytes"},
		{"keys too short for their number", []string{"COORD_KEY_SIZE=8", "COORD_KEYS=100000001"}, "COORD_KEY_SIZE=8, COORD_KEYS=100000001"},
		{"an image for processes", []string{"ETCD_IMAGE=etcd:1", "BENCH_SERVERS=process"}, `ETCD_IMAGE="etcd:1": BENCH_SERVERS=process starts no container`},
		{"two ways to say which servers", []string{"SCYLLA_IMAGE=scylla:1", "SCYLLA_VERSION=1.0"}, `SCYLLA_IMAGE="scylla:1", SCYLLA_VERSION="1.0": both say`},
	} {
		if s, err := Load(test.environ); err == nil || !strings.Contains(err.Error(), test.want) || s != nil {
			t.Errorf("%s: error %v, want %q in it", test.why, err, test.want)
		}
	}
}

func TestWrongVariablesAreReportedTogether(t *testing.T) {
	_, err := Load([]string{"KV_WRITERS=0", "KV_READERS=8", "BENCH_RTE=5", "BENCH_NODES=2", "ETCD_ENDPOINT=a:1"})
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	names := []string{"BENCH_NODES", "KV_WRITERS", "BENCH_RTE", "ETCD_ENDPOINT"}
	for i, name := range names {
		if len(lines) != len(names) || !strings.HasPrefix(lines[i], name) {
			t.Fatalf("lines %q, want one for each of %q", lines, names)
		}
	}
}

// Whatever a variable holds, Load returns settings that are allowed or an error
// that names the variable.
func FuzzLoad(f *testing.F) {
	names := make([]string, 0)
	for _, r := range Table() {
		f.Add(uint(len(names)), r.Default)
		names = append(names, r.Name)
	}
	for _, value := range []string{"-1", "1e400", "NaN", "auto", "1,2 3", "[::1]:1", "zipfian:", "\x00", "${HOME}", "9999999999999999999"} {
		f.Add(uint(slices.Index(names, "COORD_CLIENTS")), value)
	}
	f.Fuzz(func(t *testing.T, i uint, value string) {
		name := names[i%uint(len(names))]
		s, err := Load([]string{name + "=" + value})
		if err != nil {
			if s != nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%q: settings %v with error %v", name, value, s, err)
			}
			return
		}
		for _, f := range fields(s) {
			if unset := f.value.IsZero() && f.tag.Get("envDefault") == ""; !unset && !f.allows() {
				t.Errorf("%s=%q: %s is %v, which isn't allowed", name, value, f.name, f.value)
			}
		}
	})
}
