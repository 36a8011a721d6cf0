package zookeeper

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/target"
)

// TestOneOfThreeIsDead works with the servers that are left, whether the dead one
// is named or not.
func TestOneOfThreeIsDead(t *testing.T) {
	c := Config{Namespace: "kvbench", Table: "rows", Login: bench}
	servers := start(t, 3, change{}, Ready, c)
	if err := syscall.Kill(servers.Servers[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-servers.Died()
	for name, endpoints := range map[string][]string{"not named": servers.Endpoints()[1:], "named": servers.Endpoints()} {
		c.Endpoints = endpoints
		for { // who is left may have to agree on a leader
			err := tryOpen(t.Context(), c)
			if err == nil {
				break
			}
			if !errors.Is(err, target.ErrUnavailable) {
				t.Fatalf("%s: %v", name, err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		store := open(t, c)
		for range 2 * len(endpoints) { // each has its turn
			client, err := store.Client(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			defer client.Close()
			if err := client.Put(t.Context(), row("k", 1)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n, err := store.Count(t.Context()); n != 1 || err != nil {
			t.Errorf("%s: %d rows, %v; want 1", name, n, err)
		}
		drop(t, c)
	}
	for what, try := range map[string]func(context.Context, Config) error{"version": visited, "ready": Ready} {
		if err := try(t.Context(), c); err == nil || !strings.Contains(err.Error(), "zookeeper at "+servers.Servers[0].Endpoint) || target.ClassOf(err).String() != "unavailable" {
			t.Errorf("%s: %v, want one about the dead server", what, err)
		}
	}
}

// TestIPv6 connects to a server at an address with colons, with TLS and without.
func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback: enable it (sysctl net.ipv6.conf.lo.disable_ipv6=0)")
	}
	l.Close()
	ca := accesstest.NewAuthority(t)
	everywhere := func(to change) change { // or the cluster's own look at 127.0.0.1 would find nobody
		return change{options: []string{"-Djava.net.preferIPv4Stack=false"}, config: func(text string) string {
			text = strings.Replace(text, "clientPortAddress=127.0.0.1", "", 1)
			if to.config != nil {
				text = to.config(text)
			}
			return text
		}}
	}
	over := func(c Config) Config {
		_, port, err := net.SplitHostPort(c.Endpoints[0])
		if err != nil {
			t.Error(err)
		}
		c.Endpoints = []string{net.JoinHostPort("::1", port)}
		return c
	}
	ready := func(ctx context.Context, c Config) error { return Ready(ctx, over(c)) }
	for name, to := range map[string]change{"plain": {}, "TLS": secured(ca.Server(t, "::1"), ca, "none")} {
		c := Config{Namespace: "kvbench", Table: "t"}
		if name == "TLS" {
			c.TLS = newTLS(t, access.Options{CA: ca.CA})
		}
		c.Endpoints = start(t, 1, everywhere(to), ready, c).Endpoints()
		if err := tryOpen(t.Context(), over(c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if v, err := Version(t.Context(), over(c)); err != nil || v == "" {
			t.Errorf("%s: version %q, %v", name, v, err)
		}
	}
}

// tryOpen opens a store and closes it.
func tryOpen(ctx context.Context, c Config) error {
	store, err := Open(ctx, c)
	if err == nil {
		store.Close()
	}
	return err
}
