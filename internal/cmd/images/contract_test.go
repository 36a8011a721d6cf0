package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/gocql/gocql"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kvbench/internal/cluster"
)

const (
	patience = 3 * time.Minute  // that servers may take to become ready, on a busy machine
	attempt  = 15 * time.Second // that an answer may take: one that is only starting may never give any
)

// A contract is what the official images document and ours must do, beside what
// the container source asks of them: internal/cluster tests that, on three nodes
// as well.
type contract struct {
	env, cmd []string
	port     int
	uid      string   // of the server
	volumes  []string // sorted
	args     string   // a part of the server's command line
	try      func(ctx context.Context, endpoint string) error
}

var contracts = map[cluster.System]contract{
	cluster.Etcd: {
		env:  []string{"ETCD_NAME=one", "ETCD_LISTEN_CLIENT_URLS=http://0.0.0.0:2379", "ETCD_ADVERTISE_CLIENT_URLS=http://127.0.0.1:2379"},
		port: 2379, uid: "0", args: "/usr/local/bin/etcd", try: tryEtcd,
	},
	cluster.ZooKeeper: {
		env: []string{"ZOO_TICK_TIME=1500", "ZOO_MAX_CLIENT_CNXNS=7", "ZOO_4LW_COMMANDS_WHITELIST=conf,srvr",
			"ZOO_CFG_EXTRA=maxSessionTimeout=33000 minSessionTimeout=4000", "JVMFLAGS=-Xmx300m"},
		port: 2181, uid: "1000", volumes: []string{"/data", "/datalog", "/logs"}, args: "-Xmx300m", try: tryZooKeeper,
	},
	cluster.Consul: {
		env: []string{`CONSUL_LOCAL_CONFIG={"datacenter":"dc7","server":true,"bootstrap_expect":1}`,
			"CONSUL_BIND_INTERFACE=eth0", "CONSUL_CLIENT_INTERFACE=eth0"},
		cmd:  []string{"agent", "-node=one"},
		port: 8500, uid: "100", volumes: []string{"/consul/data"}, args: "-config-dir=/consul/config -bind=", try: tryConsul,
	},
	cluster.Cassandra: {
		env: []string{"CASSANDRA_CLUSTER_NAME=Own Name", "CASSANDRA_DC=dc7", "CASSANDRA_RACK=r7", "CASSANDRA_ENDPOINT_SNITCH=GossipingPropertyFileSnitch",
			"CASSANDRA_BROADCAST_RPC_ADDRESS=127.0.0.1", "CASSANDRA_NUM_TOKENS=4",
			"MAX_HEAP_SIZE=400M", "HEAP_NEWSIZE=100M", "JVM_EXTRA_OPTS=-Dcassandra.skip_wait_for_gossip_to_settle=0"},
		port: 9042, uid: "999", volumes: []string{"/var/lib/cassandra"}, args: "-Xms400M -Xmx400M", try: tryCassandra,
	},
}

func TestImageContracts(t *testing.T) {
	if testing.Short() {
		t.Skip("starts containers; run without -short")
	}
	if err := checkEngine(t.Context()); err != nil {
		t.Skip(err)
	}
	for _, s := range all(t) {
		t.Run(string(s), func(t *testing.T) { testContract(t, contracts[s], imageOf(t, s)) })
	}
}

// imageOf returns the image to test: the named one, or the newest of ours.
func imageOf(t *testing.T, s cluster.System) string {
	t.Helper()
	variable := strings.ToUpper(string(s)) + "_IMAGE"
	if name := os.Getenv(variable); name != "" {
		return name
	}
	names := strings.Fields(docker(t, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", "kvbench/"+string(s)))
	if len(names) == 0 {
		t.Skipf("no image: run make images, or set %s", variable)
	}
	return names[0]
}

func testContract(t *testing.T, c contract, image string) {
	args := []string{"run", "--detach", "--label", "kvbench=contract", "--publish", fmt.Sprintf("127.0.0.1::%d", c.port)}
	for _, e := range c.env {
		args = append(args, "--env", e)
	}
	id := docker(t, append(append(args, image), c.cmd...)...)
	t.Cleanup(func() { _ = exec.Command("docker", "rm", "--force", "--volumes", id).Run() })
	endpoint := docker(t, "port", id, fmt.Sprint(c.port))
	if err := await(t, c, endpoint); err != nil {
		t.Fatalf("%v\n%s", err, docker(t, "logs", "--tail", "20", id))
	}

	// The server is the only process, so it gets the signals; a line of titles comes first.
	processes := strings.Split(docker(t, "top", id, "-eo", "uid,pid,args"), "\n")
	if len(processes) != 2 || !strings.HasPrefix(strings.TrimSpace(processes[1]), c.uid+" ") || !strings.Contains(processes[1], c.args) {
		t.Errorf("processes are, want one of user %s with %q:\n%s", c.uid, c.args, strings.Join(processes, "\n"))
	}
	volumes := strings.Fields(docker(t, "inspect", "--format", "{{range .Mounts}}{{.Destination}} {{end}}", id))
	if slices.Sort(volumes); !slices.Equal(volumes, c.volumes) {
		t.Errorf("volumes at %q, want %q", volumes, c.volumes)
	}
	if docker(t, "logs", id) == "" {
		t.Error("it logs nothing")
	}
	docker(t, "stop", "--time", "60", id)
	if status := docker(t, "inspect", "--format", "{{.State.ExitCode}}", id); status == "137" {
		t.Error("TERM didn't end it")
	}
}

// await tries the server until it works.
func await(t *testing.T, c contract, endpoint string) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, attempt)
		err := c.try(try, endpoint)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func tryEtcd(ctx context.Context, endpoint string) error {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop(), Context: ctx})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Put(ctx, "k", "v"); err != nil {
		return err
	}
	members, err := c.MemberList(ctx)
	if err == nil && members.Members[0].Name != "one" {
		err = fmt.Errorf("its name is %q", members.Members[0].Name)
	}
	return err
}

func tryZooKeeper(ctx context.Context, endpoint string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := conn.Write([]byte("conf")); err != nil {
		return err
	}
	conf, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	for _, want := range []string{"tickTime=1500", "maxClientCnxns=7", "maxSessionTimeout=33000", "minSessionTimeout=4000", "dataDir=/data/", "dataLogDir=/datalog/"} {
		if !strings.Contains(string(conf), want) {
			return fmt.Errorf("no %s in its configuration:\n%s", want, conf)
		}
	}
	c, _, err := zk.Connect([]string{endpoint}, attempt, zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, c.Close)()
	_, err = c.Create("/k", []byte("v"), 0, zk.WorldACL(zk.PermAll))
	return err
}

func tryConsul(ctx context.Context, endpoint string) error {
	c, err := api.NewClient(&api.Config{Address: endpoint, HttpClient: &http.Client{Timeout: attempt, Transport: &http.Transport{DisableKeepAlives: true}}})
	if err != nil {
		return err
	}
	if _, err := c.KV().Put(&api.KVPair{Key: "k", Value: []byte("v")}, new(api.WriteOptions).WithContext(ctx)); err != nil {
		return err
	}
	self, err := c.Agent().Self()
	if err == nil && (self["Config"]["Datacenter"] != "dc7" || self["Config"]["NodeName"] != "one") {
		err = fmt.Errorf("it is %v of %v", self["Config"]["NodeName"], self["Config"]["Datacenter"])
	}
	return err
}

func tryCassandra(ctx context.Context, endpoint string) error {
	cfg := gocql.NewCluster(endpoint)
	cfg.ProtoVersion, cfg.ConnectTimeout, cfg.Timeout = 4, attempt, attempt
	cfg.Logger = log.New(io.Discard, "", 0)
	cfg.DisableInitialHostLookup = true // the addresses inside aren't for us
	s, err := cfg.CreateSession()
	if err != nil {
		return err
	}
	defer s.Close()
	var name, dc, rack string
	var listen, rpc net.IP
	var tokens []string
	err = s.Query(`SELECT cluster_name, data_center, rack, listen_address, rpc_address, tokens FROM system.local`).
		WithContext(ctx).Scan(&name, &dc, &rack, &listen, &rpc, &tokens)
	if err == nil && (name != "Own Name" || dc != "dc7" || rack != "r7" || listen.IsLoopback() || !rpc.IsLoopback() || len(tokens) != 4) {
		err = fmt.Errorf("it is %q in %q, %q, listens at %v, tells %v, has %d tokens", name, dc, rack, listen, rpc, len(tokens))
	}
	return err
}

// docker runs the engine's command line client.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
