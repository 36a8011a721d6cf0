package consul

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// start starts servers for one test.
func start(t *testing.T, spec cluster.Spec) *cluster.Cluster {
	t.Helper()
	spec.System, spec.Force = cluster.Consul, "process"
	servers := targettest.Servers{Spec: spec}
	c := servers.Start(t)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil && c.Err() == nil {
			t.Error(err)
		}
	})
	return c
}

// TestOneOfThreeIsDead works with the servers that are left, whose addresses are
// those that the adapter is given.
func TestOneOfThreeIsDead(t *testing.T) {
	c := start(t, cluster.Spec{Nodes: 3, Ready: servers.Spec.Ready})
	if err := syscall.Kill(c.Servers[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Died()
	config := config("", "rows")
	config.Endpoints = c.Endpoints()[1:]
	for { // the servers that are left may have to agree on a leader
		err := Ready(t.Context(), config)
		if err == nil {
			break
		}
		if target.ClassOf(err).String() != "unavailable" && target.ClassOf(err).String() != "timeout" {
			t.Errorf("while there is no leader: %v", err)
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	store, first := openClient(t, config)
	second, err := store.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for _, client := range []target.Client{first, second} {
		if err := client.Put(t.Context(), row("k", 1)); err != nil {
			t.Error(err)
		}
	}
	if n, err := store.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("%d rows, %v; want 1", n, err)
	}
	config.Endpoints = c.Endpoints()
	if _, err := Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.Servers[0].Endpoint) || target.ClassOf(err).String() != "unavailable" {
		t.Errorf("with the address of the dead one: %v, want an error that names it", err)
	}
}

// TestIPv6 connects to an address with colons, with TLS.
func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback: enable it (sysctl net.ipv6.conf.lo.disable_ipv6=0)")
	}
	l.Close()
	s := startSecured(t, secured{hosts: []string{"127.0.0.1", "::1"}, clients: "127.0.0.1 ::1", mutual: true})
	_, port, err := net.SplitHostPort(s.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	s.endpoint = net.JoinHostPort("::1", port)
	store, client := openClient(t, s.config("rows"))
	if err := client.Put(t.Context(), row("k", 1)); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("%d rows, %v; want 1", n, err)
	}
	if err := Ready(t.Context(), s.config("rows")); err != nil { // its key has the address in it
		t.Error(err)
	}
}
