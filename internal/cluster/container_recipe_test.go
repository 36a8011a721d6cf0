package cluster

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/types/container"
)

// systems are all systems, as each has an official image.
func systems() []System { return []System{Cassandra, Yugabyte, Scylla, Etcd, ZooKeeper, Consul} }

func TestImages(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		spec     Spec
		image    string
		version  string
	}{
		{"the default is the process source's version", Spec{System: Cassandra}, "cassandra:5.0.5", "5.0.5"},
		{"etcd's tags have a v, its versions don't", Spec{System: Etcd}, "gcr.io/etcd-development/etcd:v3.7.3", "3.7.3"},
		{"a version is the official image's tag", Spec{System: Etcd, Version: "3.6.7"}, "gcr.io/etcd-development/etcd:v3.6.7", "3.6.7"},
		{"builds are part of YugabyteDB's versions", Spec{System: Yugabyte}, "yugabytedb/yugabyte:2025.2.6.0-b111", "2025.2.6.0-b111"},
		{"a named image is taken as it is", Spec{System: ZooKeeper, Image: "kvbench/zookeeper:3.9.5", Version: "3.8.3"}, "kvbench/zookeeper:3.9.5", "3.9.5"},
		{"latest is no version", Spec{System: Consul, Image: "hashicorp/consul:latest"}, "hashicorp/consul:latest", ""},
		{"a line of versions is no version", Spec{System: Consul, Image: "hashicorp/consul:1.14"}, "hashicorp/consul:1.14", ""},
		{"no tag is no version, the registry's port is none", Spec{System: Etcd, Image: "registry:5000/etcd"}, "registry:5000/etcd", ""},
		{"a tag may be pinned", Spec{System: Etcd, Image: "registry:5000/etcd:v3.6.7@sha256:ab"}, "registry:5000/etcd:v3.6.7@sha256:ab", "3.6.7"},
	} {
		if got := tt.spec.image(); got != tt.image {
			t.Errorf("%s: image %q, want %q", tt.sentence, got, tt.image)
		}
		if got := imageVersion(tt.spec.image()); got != tt.version {
			t.Errorf("%s: version %q, want %q", tt.sentence, got, tt.version)
		}
	}
	for _, s := range systems() {
		name := Spec{System: s}.image()
		if version := imageVersion(name); version == "" || !versionForm.MatchString(version) {
			t.Errorf("%s: %s is not pinned to a version", s, name)
		}
	}
}

// TestBoxes compares what is particular to each container with what the images
// document, in one piece where it is short.
func TestBoxes(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		system   System
		nodes, i int
		limit    limits
		want     box
	}{
		{"etcd alone", Etcd, 1, 0, limits{}, box{cmd: strings.Fields(
			"/usr/local/bin/etcd --listen-client-urls http://0.0.0.0:2379 --advertise-client-urls http://node1:2379" +
				" --listen-peer-urls http://0.0.0.0:2380 --initial-advertise-peer-urls http://node1:2380" +
				" --name node1 --data-dir /etcd-data --initial-cluster node1=http://node1:2380 --initial-cluster-state new" +
				" --quota-backend-bytes 8589934592 --max-txn-ops 128 --log-outputs stderr")}},
		{"members of etcd know each other from the beginning", Etcd, 3, 1, limits{}, box{cmd: strings.Fields(
			"/usr/local/bin/etcd --listen-client-urls http://0.0.0.0:2379 --advertise-client-urls http://node2:2379" +
				" --listen-peer-urls http://0.0.0.0:2380 --initial-advertise-peer-urls http://node2:2380" +
				" --name node2 --data-dir /etcd-data" +
				" --initial-cluster node1=http://node1:2380,node2=http://node2:2380,node3=http://node3:2380 --initial-cluster-state new" +
				" --quota-backend-bytes 8589934592 --max-txn-ops 128 --log-outputs stderr")}},
		{"ZooKeeper alone is in no ensemble", ZooKeeper, 1, 0, limits{}, box{env: []string{
			"ZOO_TICK_TIME=2000", "ZOO_INIT_LIMIT=10", "ZOO_SYNC_LIMIT=5", "ZOO_MAX_CLIENT_CNXNS=0",
			"ZOO_AUTOPURGE_PURGEINTERVAL=1", "ZOO_AUTOPURGE_SNAPRETAINCOUNT=3", "ZOO_ADMINSERVER_ENABLED=false", "ZOO_4LW_COMMANDS_WHITELIST=srvr",
			"JVMFLAGS=-Xms4G -Xmx4G -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Djava.net.preferIPv4Stack=true",
		}}},
		{"a server of an ensemble has a number; half of the memory is heap", ZooKeeper, 3, 2, limits{memory: 1 << 30}, box{env: []string{
			"ZOO_TICK_TIME=2000", "ZOO_INIT_LIMIT=10", "ZOO_SYNC_LIMIT=5", "ZOO_MAX_CLIENT_CNXNS=0",
			"ZOO_AUTOPURGE_PURGEINTERVAL=1", "ZOO_AUTOPURGE_SNAPRETAINCOUNT=3", "ZOO_ADMINSERVER_ENABLED=false", "ZOO_4LW_COMMANDS_WHITELIST=srvr",
			"JVMFLAGS=-Xms512M -Xmx512M -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Djava.net.preferIPv4Stack=true",
			"ZOO_MY_ID=3", "ZOO_SERVERS=server.1=node1:2888:3888;2181 server.2=node2:2888:3888;2181 server.3=node3:2888:3888;2181",
		}}},
		{"YugabyteDB alone", Yugabyte, 1, 0, limits{}, box{cmd: strings.Fields(
			"bin/yugabyted start --base_dir=/mnt/disk0/yb-data --background=false --callhome=false" +
				" --tserver_flags=durable_wal_write=false,interval_durable_wal_write_ms=1000,bytes_durable_wal_write_mb=1")}},
		{"the others join the first; servers that don't see their limit are told", Yugabyte, 3, 2, limits{memory: 4000 << 20}, box{cmd: strings.Fields(
			"bin/yugabyted start --base_dir=/mnt/disk0/yb-data --background=false --callhome=false --join=node1" +
				" --tserver_flags=durable_wal_write=false,interval_durable_wal_write_ms=1000,bytes_durable_wal_write_mb=1,memory_limit_hard_bytes=2516582400" +
				" --master_flags=memory_limit_hard_bytes=629145600")}},
		{"ScyllaDB alone has two threads and 2 GiB", Scylla, 1, 0, limits{}, box{cmd: strings.Fields(
			"--developer-mode 1 --overprovisioned 1 --smp 2 --memory 2048M --seeds node1 --disable-version-check" +
				" --commitlog-sync periodic --commitlog-sync-period-in-ms 10000 --auto-snapshot 0")}},
		{"ScyllaDB takes what the container may use", Scylla, 3, 1, limits{cpus: 4.5, memory: 5000 << 20}, box{cmd: strings.Fields(
			"--developer-mode 1 --overprovisioned 1 --smp 4 --memory 4000M --seeds node1 --disable-version-check" +
				" --commitlog-sync periodic --commitlog-sync-period-in-ms 10000 --auto-snapshot 0")}},
	} {
		got := boxesOf(t, tt.system, tt.nodes, tt.limit)[tt.i]
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(box{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.sentence, diff)
		}
	}
}

// boxesOf returns the containers of a cluster.
func boxesOf(t *testing.T, s System, nodes int, limit limits) []box {
	t.Helper()
	boxes, err := boxingOf(s).boxes(nodes, limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(boxes) != nodes {
		t.Fatalf("%s: %d containers, want %d", s, len(boxes), nodes)
	}
	return boxes
}

func TestCassandraBox(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		nodes, i int
		limit    limits
		heap     string
		seeds    string
		yaml     []string
	}{
		{"a single node", 1, 0, limits{}, "2G", "node1", []string{
			"listen_address: node1", "rpc_address: node1", "broadcast_address: node1", "broadcast_rpc_address: node1",
			"native_transport_port: 9042", `- seeds: "node1"`, "num_tokens: 16",
		}},
		{"the last of three finds the others by the first, and owns a third", 3, 2, limits{memory: 1 << 30}, "512M", "node1,node3", []string{
			"listen_address: node3", "rpc_address: node3", "broadcast_address: node3", "broadcast_rpc_address: node3",
			"native_transport_port: 9042", `- seeds: "node1,node3"`, "num_tokens: 1", "initial_token: 3074457345618258602",
		}},
	} {
		b := boxesOf(t, Cassandra, tt.nodes, tt.limit)[tt.i]
		env := []string{
			"CASSANDRA_SEEDS=" + tt.seeds, "MAX_HEAP_SIZE=" + tt.heap, "HEAP_NEWSIZE=200M",
			"JVM_EXTRA_OPTS=-Dcassandra.skip_wait_for_gossip_to_settle=0 -Dcassandra.ring_delay_ms=500 -Dcassandra.shutdown_announce_in_ms=0 -XX:+ExitOnOutOfMemoryError",
		}
		if diff := cmp.Diff(env, b.env); diff != "" || b.cmd != nil {
			t.Errorf("%s: command %q, environment: -want +got\n%s", tt.sentence, b.cmd, diff)
		}
		yaml := b.files["/etc/cassandra/cassandra.yaml"]
		got := linesWith(yaml, "listen_address:", "rpc_address:", "broadcast", "native_transport_port:", "- seeds:", "num_tokens:", "initial_token:")
		if diff := cmp.Diff(tt.yaml, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.sentence, diff)
		}
	}
}

func TestConsulBox(t *testing.T) {
	for i, b := range boxesOf(t, Consul, 3, limits{}) {
		name, config, _ := strings.Cut(b.env[0], "=")
		if name != "CONSUL_LOCAL_CONFIG" || len(b.env) != 1 || !cmp.Equal(b.cmd, []string{"agent"}) {
			t.Errorf("node %d: command %q, environment %q", i+1, b.cmd, b.env)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(config), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"server": true, "node_name": nodeHost(i), "bootstrap_expect": 3.0, "client_addr": "0.0.0.0",
			"retry_join": []any{"node1", "node2", "node3"}, "retry_interval": "250ms", "disable_update_check": true,
			"performance": map[string]any{"raft_multiplier": 1.0}, "limits": map[string]any{"http_max_conns_per_client": 0.0},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("node %d: -want +got\n%s", i+1, diff)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		limit limits
		want  [][2]string
	}{
		{limits{}, [][2]string{{"cpus", "unlimited"}, {"memory", "unlimited"}}},
		{limits{cpus: 1.5, memory: 512 << 20}, [][2]string{{"cpus", "1.5"}, {"memory", "512M"}}},
	} {
		if diff := cmp.Diff(tt.want, tt.limit.settings()); diff != "" {
			t.Errorf("%+v: -want +got\n%s", tt.limit, diff)
		}
	}
}

func TestEnding(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		state    container.State
		memory   int64
		want     string
	}{
		{"a server ends by itself", container.State{ExitCode: 1}, 16 << 20, "exited: exit status 1"},
		{"somebody kills it", container.State{ExitCode: 137}, 0, "exited: exit status 137"},
		{"the kernel kills it", container.State{ExitCode: 137, OOMKilled: true}, 16 << 20, "exited: exit status 137, out of memory: its limit is BENCH_MEMORY, 16M"},
		{"the machine is full", container.State{ExitCode: 137, OOMKilled: true}, 0, "exited: exit status 137, out of memory"},
		{"it is killed, and the engine doesn't know by whom", container.State{ExitCode: 137}, 16 << 20, "exited: exit status 137, perhaps out of memory: its limit is BENCH_MEMORY, 16M"},
		{"it can't be started", container.State{ExitCode: 127, Error: "no such file"}, 0, "exited: exit status 127: no such file"},
	} {
		if got := ending(&tt.state, tt.memory); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.sentence, got, tt.want)
		}
	}
}
