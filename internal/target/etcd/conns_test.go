package etcd

import (
	"context"
	"testing"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// openProxied opens a store with so many connections to two servers, which are
// proxies of the same.
func openProxied(t *testing.T, table string, conns int) (*Store, [2]*targettest.Proxy) {
	t.Helper()
	ep := servers.Start(t).Servers[0].Endpoint
	proxies := [2]*targettest.Proxy{targettest.NewProxy(t, ep), targettest.NewProxy(t, ep)}
	config := config(proxies[0].Addr, table)
	config.Endpoints = append(config.Endpoints, proxies[1].Addr)
	config.Conns = conns
	store := open(t, config)
	t.Cleanup(func() { store.Close() })
	return store, proxies
}

func TestConnectionsTakeTurns(t *testing.T) {
	for conns, want := range map[int][2]int{1: {1, 0}, 5: {3, 2}} {
		store, proxies := openProxied(t, "turns", conns)
		for range 2 * conns {
			c, err := store.Client(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Put(t.Context(), row("k", 1)); err != nil {
				t.Fatal(err)
			}
		}
		if got := [2]int{proxies[0].Accepted(), proxies[1].Accepted()}; got != want {
			t.Errorf("%d connections: %v to the servers, want %v", conns, got, want)
		}
	}
}

// TestNoFailover loses one of two servers.
func TestNoFailover(t *testing.T) {
	store, proxies := openProxied(t, "failover", 2)
	var clients [2]target.Client
	for i := range clients {
		var err error
		if clients[i], err = store.Client(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	defer proxies[1].Break()()
	put := func(c target.Client) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return c.Put(ctx, row("k", 1))
	}
	if err := put(clients[0]); err != nil {
		t.Errorf("client of the other server: %v", err)
	}
	if err := put(clients[1]); err == nil {
		t.Error("client of the lost server works")
	} else if class := target.ClassOf(err); class != record.Unavailable && class != record.Timeout {
		t.Errorf("client of the lost server: %v is %v, want unavailable or timeout", err, class)
	}
}
