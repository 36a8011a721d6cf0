package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

var servers = targettest.Servers{Spec: cluster.Spec{
	System: cluster.Etcd,
	Ready: func(ctx context.Context, c *cluster.Cluster) error {
		return Ready(ctx, Config{Endpoints: c.Endpoints(), Namespace: "kvbench", Table: "ready"})
	},
}}

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func config(endpoint, table string) Config {
	return Config{Endpoints: []string{endpoint}, Namespace: "kvbench", Table: table, Owned: true}
}

// open opens a store or ends the test.
func open(t *testing.T, c Config) *Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	store, err := Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestContract(t *testing.T) {
	c := servers.Start(t)
	proxy := targettest.NewProxy(t, c.Servers[0].Endpoint)
	for _, conns := range []int{1, 3} {
		t.Run("conns="+strconv.Itoa(conns), func(t *testing.T) {
			targettest.Test(t, func(t *testing.T) target.Store {
				config := config(proxy.Addr, "contract")
				config.Conns = conns
				return open(t, config)
			}, targettest.Options{Pause: targettest.Pause(t, c), Break: proxy.Break})
		})
	}
}

func TestClearLeavesOtherTablesAlone(t *testing.T) {
	ep := servers.Start(t).Servers[0].Endpoint
	ctx := t.Context()
	stores := map[string]*Store{}
	for _, table := range []string{"a", "aa", "b"} {
		store := open(t, config(ep, table))
		defer store.Close()
		c, err := store.Client(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Put(ctx, target.Row{Key: []byte("k"), Values: [][]byte{[]byte("v")}}); err != nil {
			t.Fatal(err)
		}
		stores[table] = store
	}
	if err := stores["a"].Clear(ctx); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int64{"a": 0, "aa": 1, "b": 1} {
		if got, err := stores[table].Count(ctx); err != nil || got != want {
			t.Errorf("table %q has %d rows, %v, want %d", table, got, err, want)
		}
	}
}

func TestClearOfMoreThanAPage(t *testing.T) {
	store := open(t, config(servers.Start(t).Servers[0].Endpoint, "pages"))
	defer store.Close()
	c, err := store.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]target.Row, 128)
	for n := 0; n < clearPage+1000; n += len(rows) {
		for i := range rows {
			rows[i] = target.Row{Key: []byte(time.Duration(n + i).String()), Values: [][]byte{{1}}}
		}
		if err := c.(target.Batcher).PutBatch(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("%d rows are left, %v", n, err)
	}
}

func TestClearRemovesHistoryOfOwnedServersOnly(t *testing.T) {
	ep := servers.Start(t).Servers[0].Endpoint
	for _, owned := range []bool{false, true} {
		config := config(ep, "history")
		config.Owned = owned
		store := open(t, config)
		defer store.Close()
		put, err := store.conns[0].Put(t.Context(), store.config.prefix()+"k", "v")
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err = store.conns[0].Compact(t.Context(), put.Header.Revision)
		if compacted := err != nil && strings.Contains(err.Error(), "has been compacted"); compacted != owned {
			t.Errorf("owned %v: history is gone: %v (%v)", owned, compacted, err)
		}
	}
}

func TestVersion(t *testing.T) {
	c := servers.Start(t)
	got, err := Version(t.Context(), config(c.Servers[0].Endpoint, "t"))
	if err != nil || c.Version != "" && got != c.Version {
		t.Errorf("version %q, %v, want %q", got, err, c.Version)
	}
}

// TestServersLimits compares limits that we know with those of the servers, which
// are asked if we know of none.
func TestServersLimits(t *testing.T) {
	known := config(servers.Start(t).Servers[0].Endpoint, "limits")
	unknown := known
	unknown.TxnOps, unknown.RequestBytes = 1<<20, 1<<30
	for name, config := range map[string]Config{"known": known, "unknown": unknown} {
		store := open(t, config)
		defer store.Close()
		c, err := store.Client(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1600 << 10, 3 << 20} { // over the server's limit, and over the client's too
			if err := c.Put(t.Context(), row("k", size)); !errors.Is(err, target.ErrTooLarge) {
				t.Errorf("limit %s: put of %d bytes: %v, want ErrTooLarge", name, size, err)
			}
		}
		if err := c.Put(t.Context(), row("k", 3<<19-1000)); err != nil {
			t.Errorf("limit %s: put of little less than the limit: %v", name, err)
		}
		rows := make([]target.Row, 129)
		for i := range rows {
			rows[i] = row(fmt.Sprint(i), 1)
		}
		if err := c.(target.Batcher).PutBatch(t.Context(), rows); !errors.Is(err, target.ErrTooLarge) {
			t.Errorf("limit %s: batch of 129 rows: %v, want ErrTooLarge", name, err)
		}
	}
}

func row(key string, size int) target.Row {
	return target.Row{Key: []byte(key), Values: [][]byte{make([]byte, size)}}
}

// TestTooLargeIsNotSent needs no server.
func TestTooLargeIsNotSent(t *testing.T) {
	config, err := Config{Endpoints: []string{"127.0.0.1:1"}, Namespace: "n", Table: "t", RequestBytes: 4 << 10}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{config: &config}
	for name, err := range map[string]error{
		"put":   c.Put(t.Context(), row("k", 4<<10)),
		"batch": c.PutBatch(t.Context(), []target.Row{row("a", 2<<10), row("b", 2<<10)}),
	} {
		if !errors.Is(err, target.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
}

func TestOpenUnreachable(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ep := ln.Addr().String()
	ln.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, config(ep, "t"))
	if err == nil || !errors.Is(err, target.ErrTimeout) || !strings.Contains(err.Error(), "etcd at "+ep) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("open: %v; want an error that names etcd, %s and the refused connection", err, ep)
	}
}

func TestInvalidConfig(t *testing.T) {
	valid := Config{Endpoints: []string{"127.0.0.1:2379"}, Namespace: "n", Table: "t"}
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no endpoints", func(c *Config) { c.Endpoints = nil }, "no endpoints"},
		{"no namespace", func(c *Config) { c.Namespace = "" }, `namespace ""`},
		{"no table", func(c *Config) { c.Table = "" }, `table ""`},
		{"more than one column", func(c *Config) { c.Columns = 8 }, "8 value columns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := valid
			test.change(&config)
			if _, err := Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestConnectionsAreEquallyManyToEachEndpoint(t *testing.T) {
	for _, tc := range []struct{ clients, endpoints, want int }{
		{0, 1, 1}, {1, 1, 1}, {100, 1, 1}, {101, 1, 2}, {1000, 1, 10},
		{1, 3, 1}, {2, 3, 2}, {100, 3, 3}, {400, 3, 6}, {1000, 3, 12},
	} {
		if got := connsFor(tc.clients, tc.endpoints); got != tc.want {
			t.Errorf("%d clients of %d endpoints: %d connections, want %d", tc.clients, tc.endpoints, got, tc.want)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		clients, conns int
		want           string
	}{
		{0, 0, "1 per 100 clients, as many to each endpoint"},
		{1, 0, "1"},
		{clientsPerConn, 0, "1"},
		{clientsPerConn + 1, 0, "2"},
		{1000, 7, "7"},
	} {
		got := Config{Clients: test.clients, Conns: test.conns}.Settings()
		if want := (target.Setting{Key: "etcd-conns", Value: test.want}); len(got) != 1 || got[0] != want {
			t.Errorf("settings of %d clients, %d connections: %v, want %v", test.clients, test.conns, got, want)
		}
	}
}
