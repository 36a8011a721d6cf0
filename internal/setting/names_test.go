package setting

import (
	"strings"
	"testing"
)

func TestUnknownNames(t *testing.T) {
	for _, test := range []struct{ why, name, want string }{
		{"a letter left out", "BENCH_RTE", "BENCH_RTE: no such setting; did you mean BENCH_RATE?"},
		{"a plural forgotten", "KV_KEY", "KV_KEY: no such setting; did you mean KV_KEYS?"},
		{"our prefix, nothing like it", "KV_REST_API_TOKEN", "KV_REST_API_TOKEN: no such setting; README lists all"},
		{"a setting of another package", "BATCH_READERS", "BATCH_READERS: no such setting; did you mean BATCH_WRITERS?"},
		{"nearly a system's setting", "CASSANDRA_ENDPOINT", "CASSANDRA_ENDPOINT: no such setting; did you mean CASSANDRA_ENDPOINTS?"},
		{"the name of the product", "YUGABYTEDB_ENDPOINTS", "YUGABYTEDB_ENDPOINTS: no such setting; did you mean YUGABYTE_ENDPOINTS?"},
		{"an underscore forgotten", "BENCHRATE", "BENCHRATE: no such setting; did you mean BENCH_RATE?"},
	} {
		_, err := Load([]string{test.name + "=hush"})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s:\n got %v\nwant %s", test.why, err, test.want)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %q shows the value, which may be a secret", test.why, err)
		}
	}
}

func TestNamesOfOthersAreLeftAlone(t *testing.T) {
	for _, name := range []string{
		"CASSANDRA_HOME", "CASSANDRA_CONF", "CASSANDRA_SEEDS", "CASSANDRA_CLUSTER_NAME", "YUGABYTE_HOME", "SCYLLA_CONF", "ETCD_NAME", "ETCD_CORS",
		"ETCD_DATA_DIR", "ETCDCTL_CERT", "ETCDCTL_KEY", "ETCDCTL_API", "ETCD_LISTEN_CLIENT_URLS", "ETCD_CERT_FILE", "ETCD_KEY_FILE", "CONSUL_HTTP_TOKEN_FILE", "CONSUL_CACERT", "CONSUL_CLIENT_KEY", "CONSUL_TLS_SERVER_NAME", "CONSUL_PARTITION", "ZOOKEEPER_HOME", "ZOO_MY_ID", "CONSUL_HTTP_TOKEN", "CONSUL_NAMESPACE",
		"PATH", "GOFLAGS", "BENCHMARK", "KVM", "CQLSH_PORT", "", "_",
	} {
		if _, err := Load([]string{name + "=x"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		why, a, b string
		want      int
	}{
		{"equal", "kv", "kv", 0},
		{"insert", "kv", "kvs", 1},
		{"delete", "kvs", "vs", 1},
		{"replace", "kvs", "kbs", 1},
		{"two neighbours swapped", "kv", "vk", 2},
		{"nothing in common", "abc", "xyz", 3},
		{"from nothing", "", "abc", 3},
		{"to nothing", "abc", "", 3},
		{"the textbook's", "kitten", "sitting", 3},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%s: %q to %q takes %d edits, want %d", test.why, test.a, test.b, got, test.want)
		}
	}
}
