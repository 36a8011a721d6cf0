package cluster

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/google/go-cmp/cmp"
)

// Tests of servers in real containers, of the image that <SYSTEM>_IMAGE names or
// of the one that "make images" builds.

// readies are one real operation on each system that has local images.
func readies() map[System]func(context.Context, *Cluster) error {
	return map[System]func(context.Context, *Cluster) error{
		Cassandra: cqlBoxed, Etcd: at(putEtcd), ZooKeeper: at(zooReady), Consul: at(putConsul),
	}
}

// cqlBoxed asks each node which address it tells to clients, and looks whether
// that leads to the node.
func cqlBoxed(ctx context.Context, c *Cluster) error {
	for _, ep := range c.Endpoints() {
		if err := cqlTold(ctx, c, ep); err != nil {
			return fmt.Errorf("%s: %w", ep, err)
		}
	}
	return nil
}

func cqlTold(ctx context.Context, c *Cluster, endpoint string) error {
	cfg := gocql.NewCluster(endpoint)
	cfg.ProtoVersion = 4
	cfg.ConnectTimeout = 10 * time.Second
	cfg.Logger = log.New(io.Discard, "", 0)
	cfg.DisableInitialHostLookup = true // this node only
	s, err := cfg.CreateSession()
	if err != nil {
		return err
	}
	defer s.Close()
	var told net.IP
	if err := s.Query(`SELECT rpc_address FROM system.local`).WithContext(ctx).Scan(&told); err != nil {
		return err
	}
	if addr := net.JoinHostPort(told.String(), "9042"); c.Translate[addr] != endpoint {
		return fmt.Errorf("it tells clients that it is %s; translated are %v", addr, c.Translate)
	}
	return nil
}

func TestContainers(t *testing.T) {
	for s, ready := range readies() {
		for _, nodes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", s, nodes), func(t *testing.T) {
				spec := boxedSpec(t, s)
				spec.Nodes, spec.Ready, spec.CPUs, spec.Memory = nodes, ready, 1.5, 2<<30
				testContainers(t, spec)
			})
		}
	}
}

// testContainers starts the servers of spec, checks what the cluster says of
// itself and what the engine says of it, and that nothing is left of it.
func testContainers(t *testing.T, spec Spec) {
	t.Helper()
	c := startBoxed(t, spec)
	label := labelOf(t, c)
	inside := map[string]bool{}
	for from, to := range c.Translate {
		inside[to] = true
		if addr, err := netip.ParseAddrPort(from); err != nil || addr.Addr().IsLoopback() {
			t.Errorf("the servers' address %q is no address of a network: %v", from, err)
		}
	}
	for i, s := range c.Servers {
		if s.PID != 0 || s.LogFile == "" || !inside[s.Endpoint] {
			t.Errorf("node %d: %+v; translated are %v", i+1, s, c.Translate)
		}
		if got, want := inspect(t, s.Container, "{{.HostConfig.NanoCpus}} {{.HostConfig.Memory}} {{.HostConfig.MemorySwap}}"), "1500000000 2147483648 2147483648"; got != want {
			t.Errorf("node %d: limits %q, want %q", i+1, got, want)
		}
		if got := inspect(t, s.Container, `{{range .NetworkSettings.Ports}}{{range .}}{{.HostIp}} {{end}}{{end}}`); strings.TrimSpace(got) != "127.0.0.1" {
			t.Errorf("node %d: published at %q, want loopback only", i+1, got)
		}
		// Every server does the operation, not only one that answers for all.
		if err := spec.Ready(t.Context(), &Cluster{Servers: []Server{s}, Translate: c.Translate}); err != nil {
			t.Errorf("node %d: %v", i+1, err)
		}
	}
	if logs := c.Logs(3); strings.Count(logs, "last lines of its log") != len(c.Servers) || strings.Count(logs, "(container ") != len(c.Servers) {
		t.Errorf("Logs(3) doesn't show a log per server:\n%s", logs)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	if c.Err() != nil {
		t.Errorf("Died after an orderly Close: %v", c.Err())
	}
	assertBoxesGone(t, label)
	assertGone(t, pids(c)[:1], spec.DataDir)
}

func TestContainerDies(t *testing.T) {
	spec := boxedSpec(t, Etcd)
	spec.Nodes, spec.Ready = 3, at(putEtcd)
	c := startBoxed(t, spec)
	label := labelOf(t, c)
	docker(t, "kill", c.Servers[1].Container)
	await(t, c.Died())
	for _, err := range []error{c.Err(), c.Close(t.Context())} {
		assertError(t, err, "etcd node 2 (container "+c.Servers[1].Container[:12]+") exited: exit status 137", "\n\t", "etcd")
	}
	assertBoxesGone(t, label)
}

func TestContainerOfBrokenServer(t *testing.T) {
	spec := boxedSpec(t, Etcd)
	spec.Ready = func(context.Context, *Cluster) error { return nil }
	src, err := Find(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	s := src.(*containers)
	s.boxing.boxes = func(int, limits) ([]box, error) {
		return []box{{cmd: []string{"/usr/local/bin/etcd", "--version"}}}, nil
	}
	_, err = s.Start(t.Context())
	assertError(t, err, "etcd in "+spec.Image, "start:", "etcd node 1 (container ", "exited: exit status 0", "etcd Version")
	s.boxing.boxes = func(int, limits) ([]box, error) { return []box{{cmd: []string{"/no/such/program"}}}, nil }
	_, err = s.Start(t.Context())
	assertError(t, err, "etcd node 1", "/no/such/program")
	assertGone(t, nil, spec.DataDir)
}

// boxedSpec returns a spec of servers in containers, or skips the test if there
// is no image or no engine.
func boxedSpec(t *testing.T, s System) Spec {
	t.Helper()
	if testing.Short() {
		t.Skip("starts containers; run without -short")
	}
	image := os.Getenv(s.variable("IMAGE"))
	if image == "" {
		image = "kvbench/" + string(s) + ":" + official(s).tag
	}
	spec := Spec{System: s, Force: "container", Image: image, DataDir: t.TempDir(), Ready: at(dial)}
	src, err := findContainers(t.Context(), spec)
	if err == nil && !src.local {
		err = errNoImage
	}
	if err != nil {
		t.Skipf("%v: start a Docker engine and run make images, or set %s", err, s.variable("IMAGE"))
	}
	return spec
}

func startBoxed(t *testing.T, spec Spec) *Cluster {
	t.Helper()
	src, err := Find(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if src.Kind() != "container" || src.Version() != imageVersion(spec.Image) || src.Nodes() != max(spec.Nodes, 1) {
		t.Errorf("source %q, version %q, %d nodes", src.Kind(), src.Version(), src.Nodes())
	}
	if diff := cmp.Diff([2]string{"image", spec.Image}, src.Settings()[0]); diff != "" {
		t.Error(diff)
	}
	c, err := src.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) }) // the test looks at the error of its own Close
	return c
}

// docker runs the engine's command line client, if it is there.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("docker"); err != nil {
		t.Skip("install Docker's command line client, docker")
	}
	out, err := exec.CommandContext(t.Context(), "docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func inspect(t *testing.T, container, format string) string {
	t.Helper()
	return docker(t, "inspect", "--format", format, container)
}

// labelOf returns the label that all of the cluster has on the engine.
func labelOf(t *testing.T, c *Cluster) string {
	t.Helper()
	value := inspect(t, c.Servers[0].Container, fmt.Sprintf("{{index .Config.Labels %q}}", labelCluster))
	if value == "" {
		t.Fatal("a container without a label")
	}
	return labelCluster + "=" + value
}

// assertBoxesGone waits until nothing with the label is left on the engine.
func assertBoxesGone(t *testing.T, label string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		left := leftOf(t, label)
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %s", left)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// leftOf returns the containers and networks with a label, given as key=value.
func leftOf(t *testing.T, label string) string {
	t.Helper()
	filter := "label=" + label
	return strings.TrimSpace(docker(t, "ps", "-aq", "--filter", filter) + "\n" + docker(t, "network", "ls", "-q", "--filter", filter))
}
