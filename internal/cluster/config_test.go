package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// places returns the places of n nodes as the process source chooses them.
func places(t *testing.T, policy hosts, n int) []node {
	t.Helper()
	var nodes []node
	for i := range n {
		nd := node{dir: t.TempDir(), host: "127.0.0.1", ports: []int{7001, 7002, 7003}}
		if policy == hostEach {
			nd.host = []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}[i]
		} else {
			for j := range nd.ports {
				nd.ports[j] += 10 * i
			}
		}
		nodes = append(nodes, nd)
	}
	return nodes
}

// TestCassandraYAML compares what differs between nodes; what doesn't is in the
// definition for all to read.
func TestCassandraYAML(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		nodes, i int
		want     []string
	}{
		{"a single node is its own seed and has the default number of tokens", 1, 0, []string{
			"listen_address: 127.0.0.1", "storage_port: 7002", "rpc_address: 127.0.0.1", "native_transport_port: 7001",
			`- seeds: "127.0.0.1:7002"`, "num_tokens: 16",
		}},
		{"the first of three nodes has the lowest token", 3, 0, []string{
			"listen_address: 127.0.0.1", "storage_port: 7002", "rpc_address: 127.0.0.1", "native_transport_port: 7001",
			`- seeds: "127.0.0.1:7002,127.0.0.2:7002,127.0.0.3:7002"`, "num_tokens: 1", "initial_token: -9223372036854775808",
		}},
		{"the last of three nodes differs by address and token only", 3, 2, []string{
			"listen_address: 127.0.0.3", "storage_port: 7002", "rpc_address: 127.0.0.3", "native_transport_port: 7001",
			`- seeds: "127.0.0.1:7002,127.0.0.2:7002,127.0.0.3:7002"`, "num_tokens: 1", "initial_token: 3074457345618258602",
		}},
	} {
		yaml, err := cassandraYAML(places(t, hostEach, tc.nodes), tc.i)
		if err != nil {
			t.Fatal(err)
		}
		got := linesWith(yaml, "listen_address:", "storage_port:", "rpc_address:", "native_transport_port:", "- seeds:", "num_tokens:", "initial_token:")
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.sentence, diff)
		}
		if strings.Contains(yaml, "{{") {
			t.Errorf("%s: a name is left:\n%s", tc.sentence, yaml)
		}
	}
}

func TestZooCfg(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		nodes, i int
		want     []string
	}{
		{"a single server knows no others, else it would wait for them", 1, 0, []string{
			"clientPort=7001", "clientPortAddress=127.0.0.1",
		}},
		{"each of three servers has the same list, and a client port of its own", 3, 1, []string{
			"clientPort=7011", "clientPortAddress=127.0.0.1",
			"server.1=127.0.0.1:7002:7003", "server.2=127.0.0.1:7012:7013", "server.3=127.0.0.1:7022:7023",
		}},
	} {
		cfg, err := zooCfg(places(t, oneHost, tc.nodes), tc.i)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, linesWith(cfg, "clientPort", "server.")); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.sentence, diff)
		}
	}
}

// linesWith returns the lines of text that begin with one of the prefixes,
// without their indentation.
func linesWith(text string, prefixes ...string) []string {
	var found []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, p := range prefixes {
			if strings.HasPrefix(line, p) {
				found = append(found, line)
				break
			}
		}
	}
	return found
}

// TestSettingsMatchDefinitions: what is printed with the results is what the
// servers are told.
func TestSettingsMatchDefinitions(t *testing.T) {
	yaml, err := cassandraYAML(places(t, hostEach, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := zooCfg(places(t, oneHost, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		settings   [][2]string
		key, value string
		text, line string
	}{
		{cassandraSettings(1, limits{}), "commitlog-sync", "periodic 10s", yaml, "commitlog_sync_period: 10000ms"},
		{cassandraSettings(1, limits{}), "hinted-handoff", "on", yaml, "hinted_handoff_enabled: true"},
		{cassandraSettings(1, limits{}), "auto-snapshot", "off", yaml, "auto_snapshot: false"},
		{cassandraSettings(1, limits{}), "compaction-throughput", "64MiB/s", yaml, "compaction_throughput: 64MiB/s"},
		{cassandraSettings(1, limits{}), "concurrent-reads", "32", yaml, "concurrent_reads: 32"},
		{cassandraSettings(1, limits{}), "concurrent-writes", "32", yaml, "concurrent_writes: 32"},
		{cassandraSettings(1, limits{}), "batch-limit", "50KiB", yaml, "batch_size_fail_threshold: 50KiB"},
		{zookeeperSettings(1, limits{}), "max-client-cnxns", "unlimited", cfg, "maxClientCnxns=0"},
	} {
		if got := value(tc.settings, tc.key); got != tc.value {
			t.Errorf("setting %s is %q, want %q", tc.key, got, tc.value)
		}
		if len(linesWith(tc.text, tc.line)) != 1 {
			t.Errorf("setting %s is %q, but there is no line %q", tc.key, tc.value, tc.line)
		}
	}
	// ZooKeeper's own defaults hold only if nothing is said of them.
	if lines := linesWith(cfg, "forceSync", "snapCount", "jute.maxbuffer"); len(lines) != 0 {
		t.Errorf("printed as defaults, but set: %q", lines)
	}
}

func value(settings [][2]string, key string) string {
	for _, s := range settings {
		if s[0] == key {
			return s[1]
		}
	}
	return ""
}

// TestHeap: a heap is what is printed, and does not grow.
func TestHeap(t *testing.T) {
	skipWithoutJava(t)
	for _, tc := range []struct {
		name  string
		r     recipe
		nodes int
		want  string
	}{
		{"one Cassandra", cassandraRecipe(), 1, "2G"},
		{"three Cassandras", cassandraRecipe(), 3, "768M"},
		{"one ZooKeeper", zookeeperRecipe(), 1, "4G"},
		{"three ZooKeepers", zookeeperRecipe(), 3, "3G"},
	} {
		if got := value(tc.r.settings(tc.nodes), "heap"); got != tc.want {
			t.Errorf("%s: heap %q is printed, want %q", tc.name, got, tc.want)
		}
		cmds, err := tc.r.commands(installation{dir: fakeInstall(t), version: "1.2.3", nodes: places(t, tc.r.hosts, tc.nodes)})
		if err != nil {
			t.Fatal(err)
		}
		for _, cmd := range cmds {
			got := linesWith(strings.Join(cmd.argv, "\n"), "-Xm")
			if diff := cmp.Diff([]string{"-Xms" + tc.want, "-Xmx" + tc.want}, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.name, diff)
			}
		}
	}
}

// fakeInstall returns an installation with nothing in it but a name.
func fakeInstall(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := writeFiles(dir, map[string]string{"lib/jamm-0.4.0.jar": ""}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCommandsKeepToNodeDir: commands writes below each node's directory only.
func TestCommandsKeepToNodeDir(t *testing.T) {
	skipWithoutJava(t)
	nodes := places(t, hostEach, 3)
	install := fakeInstall(t)
	if _, err := cassandraCommands(installation{dir: install, version: "5.0.5", nodes: nodes}); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		for _, name := range []string{"cassandra.yaml", "jvm.options", "logback.xml"} {
			if _, err := os.Stat(filepath.Join(n.dir, "conf", name)); err != nil {
				t.Error(err)
			}
		}
	}
	entries, err := os.ReadDir(install)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("the installation was changed: %v", entries)
	}
}

// TestUnknownVersion: a version that was never released is one error that names
// the setting and its value.
func TestUnknownVersion(t *testing.T) {
	skipShort(t)
	skipWithoutMaven(t)
	for _, tc := range []struct {
		system System
		want   string
	}{
		{Cassandra, `CASSANDRA_VERSION "9.9.9": Maven has no such version`},
		{ZooKeeper, `ZOOKEEPER_VERSION "9.9.9": Maven has no such version`},
	} {
		r, _ := recipeOf(tc.system)
		err := r.install(t.Context(), "9.9.9", site{dir: t.TempDir()})
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: error %v, want %s", tc.system, err, tc.want)
		}
	}
}

func TestOldVersion(t *testing.T) {
	for _, tc := range []struct {
		system  System
		version string
		want    string // of the error
	}{
		{Cassandra, "4.0.17", `CASSANDRA_VERSION "4.0.17": want 4.1 or later`},
		{Cassandra, "3.11.19", `CASSANDRA_VERSION "3.11.19": want 4.1 or later`},
		{ZooKeeper, "3.7.2", `ZOOKEEPER_VERSION "3.7.2": want 3.8 or later`},
	} {
		r, _ := recipeOf(tc.system)
		if err := r.install(t.Context(), tc.version, site{dir: t.TempDir()}); err == nil || err.Error() != tc.want {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
	for _, v := range []string{"4.1-beta1", "4.1.10", "5.0.5", "10.0.0"} {
		if lineOf(v).before(line{4, 1}) {
			t.Errorf("%s is before 4.1", v)
		}
	}
}
