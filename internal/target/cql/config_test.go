package cql

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"kvbench/internal/access"
)

func TestCoalesceIsChosenByClientsPerConnection(t *testing.T) {
	for _, test := range []struct {
		clients, conns, nodes int
		set, want             time.Duration
	}{
		{0, 0, 1, -1, 0},
		{1, 1, 1, -1, 0},
		{31, 1, 1, -1, 0},
		{32, 1, 1, -1, 200 * time.Microsecond},
		{256, 1, 1, -1, 200 * time.Microsecond},
		{64, 4, 1, -1, 0},
		{64, 1, 3, -1, 0},
		{96, 1, 3, -1, 200 * time.Microsecond},
		{256, 1, 1, 0, 0},
		{1, 1, 1, time.Millisecond, time.Millisecond},
	} {
		c := Config{Clients: test.clients, Conns: test.conns, Nodes: test.nodes, Coalesce: test.set}.withDefaults()
		if c.Coalesce != test.want {
			t.Errorf("%d clients, %d connections to %d nodes, set to %v: %v, want %v",
				test.clients, test.conns, test.nodes, test.set, c.Coalesce, test.want)
		}
	}
}

func TestValidate(t *testing.T) {
	valid := Config{Dialect: Cassandra(), Endpoints: []string{"127.0.0.1:9042"}, Table: "t"}
	for _, test := range []struct {
		change func(c *Config)
		want   []string // words of the error; none: valid
	}{
		{func(c *Config) {}, nil},
		{func(c *Config) { c.Consistency = "local_one" }, nil},
		{func(c *Config) { c.Consistency = "QUORM" }, []string{`CQL_CONSISTENCY="QUORM"`, "cassandra", "LOCAL_QUORUM"}},
		{func(c *Config) { c.Consistency = "ANY" }, []string{`CQL_CONSISTENCY="ANY"`}},
		{func(c *Config) { c.Dialect, c.Consistency = Yugabyte(), "TWO" }, []string{`CQL_CONSISTENCY="TWO"`, "yugabyte", "LOCAL_ONE, LOCAL_QUORUM, ONE, QUORUM"}},
		{func(c *Config) { c.Namespace = "Bench;" }, []string{`BENCH_NAMESPACE="Bench;"`}},
		{func(c *Config) { c.Namespace = strings.Repeat("n", 49) }, []string{"BENCH_NAMESPACE=", "at most 47"}},
		{func(c *Config) { c.Table = "t-1" }, []string{`table "t-1"`}},
		{func(c *Config) { c.Conns = -1 }, []string{"CQL_CONNS=-1"}},
		{func(c *Config) { c.Replication = -2 }, []string{"CQL_REPLICATION=-2"}},
		{func(c *Config) { c.Batch = "counter" }, []string{`"counter"`, "logged"}},
		{func(c *Config) { c.Endpoints = nil }, []string{"cassandra", "no endpoints"}},
		{func(c *Config) { c.Endpoints = []string{"localhost"} }, []string{`"localhost"`, "host:port"}},
		{func(c *Config) { c.Endpoints = []string{"localhost:cql"} }, []string{`"localhost:cql"`}},
		{func(c *Config) { c.Endpoints = []string{"localhost:70000"} }, []string{`"localhost:70000"`}},
		{func(c *Config) { c.Endpoints = []string{"a:9042", "b:9043"} }, []string{`CASSANDRA_ENDPOINTS: "a:9042" and "b:9043"`, "CASSANDRA_TRANSLATE"}},
		{func(c *Config) {
			c.Endpoints = []string{"a:1", "b:2"}
			c.Translate = map[string]string{"10.0.0.1:9042": "a:1", "[fd00::2]:9042": "b:2"}
		}, nil},
		{func(c *Config) { c.Translate = map[string]string{"10.0.0.1:9042": "a:1", "10.0.0.2:9043": "b:1"} },
			[]string{`CASSANDRA_TRANSLATE: "10.0.0.1:9042" and "10.0.0.2:9043"`, "one port"}},
		{func(c *Config) { c.Translate = map[string]string{"node-1:9042": "a:1"} }, []string{`CASSANDRA_TRANSLATE: node "node-1:9042"`, "address"}},
		{func(c *Config) { c.Translate = map[string]string{"[FD00::2]:9042": "a:1"} }, []string{`node "[FD00::2]:9042"`}},
	} {
		c := valid
		test.change(&c)
		err := c.withDefaults().validate()
		if (err != nil) != (test.want != nil) {
			t.Errorf("error is %v, want one with %q", err, test.want)
			continue
		}
		for _, word := range test.want {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("error %q doesn't say %q", err, word)
			}
		}
	}
}

func TestReplicationMustFitTheNodes(t *testing.T) {
	for _, test := range []struct {
		set, named, nodes int
		want              string // part of the error; "": none
	}{
		{0, 1, 1, ""},
		{0, 3, 9, ""},
		{2, 1, 3, ""},
		{0, 3, 2, `data center "dc1" has 2 nodes, and 3 are named`},
		{3, 1, 2, `CQL_REPLICATION=3: more copies of a row than nodes: data center "dc1" has 2`},
	} {
		err := Config{Dialect: Cassandra(), Replication: test.set, Nodes: test.named}.checkReplication("dc1", test.nodes)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("CQL_REPLICATION=%d, %d nodes: error %v, want %q", test.set, test.nodes, err, test.want)
		}
	}
}

func TestKeyspaceMustHaveTheReplication(t *testing.T) {
	for _, test := range []struct {
		set         int // CQL_REPLICATION
		replication map[string]string
		ok          bool
	}{
		{3, map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "3"}, true},
		{3, map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "3", "dc2": "1"}, true},
		{3, map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3"}, true},
		{3, map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1"}, false},
		{3, map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc2": "3"}, false},
		{0, map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1"}, true},
		{0, map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "2"}, true},
		{0, map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc2": "3"}, false},
	} {
		c := Config{Nodes: 3, Replication: test.set}
		if err := c.checkFactor(test.replication, "dc1"); (err == nil) != test.ok {
			t.Errorf("CQL_REPLICATION=%d, %v: %v, want no error: %v", test.set, test.replication, err, test.ok)
		}
	}
}

func TestCountSeesWhatWasAcknowledged(t *testing.T) {
	for _, test := range []struct {
		dialect Dialect
		level   string
		want    gocql.Consistency
	}{
		{Cassandra(), "ONE", gocql.All},
		{Cassandra(), "LOCAL_ONE", gocql.All},
		{Scylla(), "TWO", gocql.All},
		{Cassandra(), "QUORUM", gocql.Quorum},
		{Cassandra(), "LOCAL_QUORUM", gocql.LocalQuorum},
		{Cassandra(), "EACH_QUORUM", gocql.EachQuorum},
		{Cassandra(), "ALL", gocql.LocalQuorum},
		{Yugabyte(), "ONE", gocql.Quorum},
		{Yugabyte(), "LOCAL_QUORUM", gocql.Quorum},
	} {
		level, err := test.dialect.level(test.level)
		if err != nil {
			t.Error(err)
		}
		if got := test.dialect.countLevel(level); got != test.want {
			t.Errorf("%s, written at %s: counted at %v, want %v", test.dialect.System, test.level, got, test.want)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{Dialect: Cassandra(), Nodes: 3, Coalesce: -1},
			"cql-driver: gocql 1.7.0|cql-protocol: 4|cql-conns: 1|cql-coalesce: 0s, 200µs from 32 clients per connection|" +
				"cql-consistency: LOCAL_QUORUM|cql-replication: 3|cql-routing: token-aware, shuffled replicas|cql-retries: none"},
		{Config{Dialect: Cassandra(), Nodes: 1, Coalesce: -1, TLS: new(access.TLS)},
			"cql-driver: gocql 1.7.0|cql-protocol: 4|cql-conns: 1|cql-coalesce: 0s|" +
				"cql-consistency: LOCAL_QUORUM|cql-replication: 1|cql-routing: token-aware, shuffled replicas|cql-retries: none"},
		{Config{Dialect: Scylla(), Conns: 1, Coalesce: 0},
			"cql-driver: gocql 1.7.0|cql-protocol: 4|cql-conns: 1|cql-coalesce: 0s|" +
				"cql-consistency: LOCAL_QUORUM|cql-replication: 3, or as many as nodes|cql-routing: token-aware, shuffled replicas|cql-retries: none"},
		{Config{Dialect: Yugabyte(), Nodes: 3, Conns: 2, Clients: 256, Coalesce: -1},
			"cql-driver: gocql 1.7.0|cql-protocol: 4|cql-conns: 2|cql-coalesce: 200µs|" +
				"cql-consistency: QUORUM|cql-replication: universe|cql-routing: round-robin|cql-retries: none"},
	} {
		var lines []string
		for _, s := range test.config.Settings() {
			lines = append(lines, fmt.Sprintf("%s: %s", s.Key, s.Value))
		}
		if got := strings.Join(lines, "|"); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

// TestDriverIsTheOneInGoMod keeps the configuration line honest.
func TestDriverIsTheOneInGoMod(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`github\.com/gocql/gocql v(\S+)`).FindSubmatch(mod)
	if m == nil || "gocql "+string(m[1]) != driver {
		t.Errorf("go.mod requires %q, the setting says %q", m, driver)
	}
}
