package etcd

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/target"
)

// TestOneOfThreeIsDead works with the members that are left, whose addresses are
// those that the adapter is given.
func TestOneOfThreeIsDead(t *testing.T) {
	c := start(t, cluster.Spec{Nodes: 3, Ready: servers.Spec.Ready})
	if err := syscall.Kill(c.Servers[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	config := config("", "rows")
	config.Endpoints, config.Conns, config.Owned = c.Endpoints()[1:], 4, false
	for { // the members that are left may have to agree on a leader
		err := Ready(t.Context(), config)
		if err == nil {
			break
		}
		t.Log(err)
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	<-c.Died()
	store := open(t, config)
	defer store.Close()
	for range 4 {
		client, err := store.Client(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Put(t.Context(), row("k", 1)); err != nil {
			t.Error(err)
		}
	}
	if n, err := store.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("%d rows, %v; want 1", n, err)
	}
	if err := store.Clear(t.Context()); err != nil {
		t.Error(err)
	}
	config.Endpoints, config.Timeout = c.Endpoints(), time.Second
	if _, err := Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.Servers[0].Endpoint) || target.ClassOf(err).String() != "timeout" {
		t.Errorf("with the address of the dead one: %v, want a timeout that names it", err)
	}
}

// TestIPv6 connects to an address with colons, with TLS and without.
func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback: enable it (sysctl net.ipv6.conf.lo.disable_ipv6=0)")
	}
	l.Close()
	ca := accesstest.NewAuthority(t)
	pair := ca.Server(t, "127.0.0.1", "::1")
	for _, scheme := range []string{"http", "https"} {
		c := start(t, cluster.Spec{
			Ready: func(ctx context.Context, c *cluster.Cluster) error {
				return Ready(ctx, overIPv6(t, c.Servers[0].Endpoint, scheme, ca))
			},
			Customize: func(_ int, _ string, argv []string) ([]string, error) {
				for i := range argv[1:] {
					if argv[i] == "--listen-client-urls" {
						v4 := strings.Replace(argv[i+1], "http", scheme, 1)
						argv[i+1] = v4 + "," + strings.Replace(v4, "127.0.0.1", "[::1]", 1)
					}
				}
				return append(argv, "--cert-file", pair.Cert, "--key-file", pair.Key), nil
			},
		})
		if err := tryOpen(t, overIPv6(t, c.Servers[0].Endpoint, scheme, ca)); err != nil {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

// overIPv6 is the configuration for a server on loopback with the port of endpoint.
func overIPv6(t *testing.T, endpoint, scheme string, ca *accesstest.Authority) Config {
	_, port, err := net.SplitHostPort(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	config := config(net.JoinHostPort("::1", port), "t")
	if scheme == "https" {
		config.TLS = newTLS(t, access.Options{CA: ca.CA})
	}
	return config
}
