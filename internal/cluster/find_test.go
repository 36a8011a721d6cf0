package cluster

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFindRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		spec Spec
		want []string
	}{
		{"a port may not be guessed", Spec{System: Etcd, Endpoints: []string{"db1"}}, []string{`ETCD_ENDPOINTS "db1": not host:port`}},
		{"a URL is no endpoint", Spec{System: Consul, Endpoints: []string{"http://db1:8500"}}, []string{`CONSUL_ENDPOINTS "http://db1:8500"`}},
		{"a host is needed", Spec{System: Etcd, Endpoints: []string{":2379"}}, []string{`":2379"`}},
		{"a port is a number", Spec{System: Etcd, Endpoints: []string{"db1:client"}}, []string{`"db1:client"`}},
		{"ports end at 65535", Spec{System: Etcd, Endpoints: []string{"db1:65536"}}, []string{`"db1:65536"`}},
		{"twice the same isn't two nodes", Spec{System: Etcd, Endpoints: []string{"a:1", "b:1", "a:1"}}, []string{`ETCD_ENDPOINTS "a:1": named twice`}},
		{"a version is not a path", Spec{System: ZooKeeper, Version: "../3.9.5"}, []string{`ZOOKEEPER_VERSION "../3.9.5"`}},
		{"a version is no range", Spec{System: Etcd, Version: "latest"}, []string{`ETCD_VERSION "latest"`}},
		{"a version has no prefix", Spec{System: Etcd, Version: "v3.7.3"}, []string{`ETCD_VERSION "v3.7.3"`}},
		{"two nodes have no quorum worth it", Spec{System: Etcd, Nodes: 2}, []string{`BENCH_NODES "2"`}},
		{"an unknown source", Spec{System: Etcd, Force: "cloud"}, []string{`BENCH_SERVERS "cloud"`}},
		{"a limit too small to be one", Spec{System: Etcd, CPUs: 1e-7}, []string{`BENCH_CPUS "1e-07": want 0 for all, or at least 0.01`}},
		{"no such directory", Spec{System: Etcd, DataDir: file + "x"}, []string{"BENCH_DATA_DIR", file + "x", "no such file"}},
		{"not a directory", Spec{System: Etcd, DataDir: file}, []string{"BENCH_DATA_DIR", file, "not a directory"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Ready = at(dial)
			_, err := Find(t.Context(), tt.spec)
			assertError(t, err, tt.want...)
			if errors.Is(err, ErrNone) {
				t.Errorf("%v wraps ErrNone: a wrong setting would be a skip", err)
			}
		})
	}
}

func TestFindAcceptsVersions(t *testing.T) {
	for _, version := range []string{"3.7.3", "3.6.0-rc.1", "4.0", "5.0-beta1"} {
		if err := (Spec{System: Etcd, Version: version, Ready: at(dial)}).validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestFindNothing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where nothing is installed
	t.Setenv("HOME", t.TempDir())
	for _, tt := range []struct {
		system System
		want   []string
	}{
		{Yugabyte, []string{"yugabyte: no servers: set YUGABYTE_ENDPOINTS to a running cluster's host:port list"}},
		{Scylla, []string{"scylla: no servers: set SCYLLA_ENDPOINTS"}},
		{Etcd, []string{`etcd: no servers: no "go" in PATH: install Go`, "or set ETCD_ENDPOINTS"}},
		{Consul, []string{`consul: no servers: no "go" in PATH: install Go`, "or set CONSUL_ENDPOINTS"}},
	} {
		_, err := Find(t.Context(), Spec{System: tt.system, Force: "process", Ready: at(dial)})
		assertError(t, err, tt.want...)
		if !errors.Is(err, ErrNone) {
			t.Errorf("%v doesn't wrap ErrNone", err)
		}
	}
}

// TestFindInstalled doesn't ask for a build tool if there is nothing to build.
func TestFindInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	entry, err := cacheEntry(Etcd, "3.7.3", etcdRecipe())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(entry, 0o755); err != nil {
		t.Fatal(err)
	}
	src, err := Find(t.Context(), Spec{System: Etcd, Version: "3.7.3", Force: "process", Ready: at(dial)})
	if err != nil {
		t.Fatal(err)
	}
	if src.Kind() != "process" || src.Version() != "3.7.3" || src.Nodes() != 1 || len(src.Settings()) == 0 {
		t.Errorf("source %q, version %q, %d nodes, settings %v", src.Kind(), src.Version(), src.Nodes(), src.Settings())
	}
}

func TestEndpoints(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	failures := 3
	ready := func(ctx context.Context, endpoints []string) error {
		if failures--; failures >= 0 {
			return errors.New("no leader yet")
		}
		return dial(ctx, endpoints)
	}
	src, err := Find(t.Context(), Spec{System: Etcd, Endpoints: []string{addr}, Ready: at(ready)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := src.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if src.Kind() != "endpoints" || c.Kind != "endpoints" || src.Nodes() != 1 || c.Owned() || c.Logs(10) != "" || c.Died() != nil || c.Err() != nil {
		t.Errorf("a cluster that isn't ours: source %v, cluster %+v", src, c)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := dial(t.Context(), []string{addr}); err != nil {
		t.Errorf("after Close of a cluster that isn't ours: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	// Nobody listens there any more.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = src.Start(ctx)
	assertError(t, err, "ETCD_ENDPOINTS", addr)
	if !errors.Is(err, context.DeadlineExceeded) || strings.Count(err.Error(), addr) < 1 {
		t.Errorf("error %v, want one that is a deadline's", err)
	}
}

func TestReserve(t *testing.T) {
	for _, policy := range []hosts{oneHost, hostEach} {
		r, err := reserve(policy, 3, 2)
		if err != nil {
			t.Skip(err) // a system without 127.0.0.2; the error says how to get it
		}
		seen := make(map[string]bool)
		for i, host := range r.hosts {
			n := node{host: host, ports: r.ports[i]}
			for p := range n.ports {
				seen[n.addr(p)] = true
				if _, err := net.Listen("tcp", n.addr(p)); err == nil {
					t.Errorf("%s isn't held", n.addr(p))
				}
			}
		}
		if len(seen) != 6 {
			t.Errorf("addresses %v, want six", seen)
		}
		if same := r.ports[0][0] == r.ports[1][0]; same != (policy == hostEach) {
			t.Errorf("hosts %v: ports %v", r.hosts, r.ports)
		}
		if err := r.release(); err != nil {
			t.Error(err)
		}
	}
}
