package consul

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

var servers = targettest.Servers{Spec: cluster.Spec{
	System: cluster.Consul,
	Ready: func(ctx context.Context, c *cluster.Cluster) error {
		return Ready(ctx, Config{Endpoints: c.Endpoints(), Namespace: "kvbench", Table: "ready"})
	},
}}

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func config(endpoint, table string) Config {
	return Config{Endpoints: []string{endpoint}, Namespace: "kvbench", Table: table, Owned: true}
}

// openClient opens a store and a client of it, or ends the test.
func openClient(t *testing.T, c Config) (*Store, *client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	store, err := Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	cl, err := store.Client(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cl.Close() })
	return store, cl.(*client)
}

func row(key string, size int) target.Row {
	return target.Row{Key: []byte(key), Values: [][]byte{make([]byte, size)}}
}

func TestContract(t *testing.T) {
	c := servers.Start(t)
	proxy := targettest.NewProxy(t, c.Servers[0].Endpoint)
	targettest.Test(t, func(t *testing.T) target.Store {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		store, err := Open(ctx, config(proxy.Addr, "contract"))
		if err != nil {
			t.Fatal(err)
		}
		return store
	}, targettest.Options{Pause: targettest.Pause(t, c), Break: proxy.Break})
}

func TestClearLeavesOtherTablesAlone(t *testing.T) {
	ep := servers.Start(t).Servers[0].Endpoint
	stores := map[string]*Store{}
	for _, table := range []string{"a", "aa"} {
		store, c := openClient(t, config(ep, table))
		if err := c.Put(t.Context(), row("k", 1)); err != nil {
			t.Fatal(err)
		}
		stores[table] = store
	}
	if err := stores["a"].Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int64{"a": 0, "aa": 1} {
		if got, err := stores[table].Count(t.Context()); err != nil || got != want {
			t.Errorf("table %q has %d rows, %v, want %d", table, got, err, want)
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

func TestLimits(t *testing.T) {
	known := config(servers.Start(t).Servers[0].Endpoint, "limits")
	unknown := known // only the servers know them
	unknown.TxnOps, unknown.TxnBytes, unknown.ValueBytes = 1000, 1<<30, 1<<30
	for name, config := range map[string]Config{"known": known, "unknown": unknown} {
		_, c := openClient(t, config)
		for _, test := range []struct {
			name     string
			n, size  int // no rows: a put
			tooLarge bool
		}{
			{"as large a value as is allowed", 0, 512 << 10, false},
			{"a larger value", 0, 512<<10 + 1, true},
			{"as many rows as are allowed", 128, 100, false},
			{"one row more", 129, 100, true},
			{"nearly as many bytes as are allowed", 50, 7740, false},
			{"more bytes", 50, 7900, true},
		} {
			var err error
			if test.n == 0 {
				err = c.Put(t.Context(), row("key", test.size))
			} else {
				var rows []target.Row
				for n := range test.n {
					rows = append(rows, row(fmt.Sprint("key", n), test.size))
				}
				err = c.PutBatch(t.Context(), rows)
			}
			if (err != nil) != test.tooLarge || errors.Is(err, target.ErrTooLarge) != test.tooLarge {
				t.Errorf("limits %s, %s: %v, want ErrTooLarge: %v", name, test.name, err, test.tooLarge)
			}
		}
	}
}

func TestSizeOfATransaction(t *testing.T) {
	c := testClient(nil)
	for _, n := range []int{1, 3, 25, 3} {
		var rows []target.Row
		size := len("[]") - len(",")
		for i := range n {
			rows = append(rows, row(fmt.Sprint("key", i), i))
			size += opBytes + len("kvbench/t/") + len(rows[i].Key) + (i+2)/3*4
		}
		c.fill(rows)
		body, err := json.Marshal(c.txn)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) != size {
			t.Errorf("%d rows: %d bytes, want %d: %.200s", n, len(body), size, body)
		}
	}
}

// TestClasses has a server that replies as Consul does.
func TestClasses(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   error
	}{
		{500, "No cluster leader", target.ErrUnavailable},
		{500, "rpc error making call: EOF", target.ErrUnavailable},
		{500, "leadership lost while committing log", target.ErrUnavailable},
		{429, "Your IP is issuing too many concurrent connections", target.ErrOverload},
		{500, "RPC rate limit exceeded", target.ErrOverload},
		{413, "Request body(600000 bytes) too large, max size: 524288 bytes.", target.ErrTooLarge},
		{413, "Transaction contains too many operations (129 > 128)", target.ErrTooLarge},
		{403, "Permission denied", target.ErrDenied},
		{403, "ACL not found", target.ErrDenied},
		{500, "No path to datacenter", target.ErrDenied},
		{400, noPartitions, target.ErrDenied},
	} {
		t.Run(test.body, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			}))
			defer server.Close()
			l, err := newLink(config("", "t"), server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer l.close()
			c := testClient(l)
			for name, err := range map[string]error{
				"put":   c.Put(t.Context(), row("k", 1)),
				"batch": c.PutBatch(t.Context(), []target.Row{row("k", 1)}),
			} {
				if name == "batch" && test.status == 429 {
					continue // the library drops the status, and this text is not of a transaction
				}
				if err == nil || test.want != nil && !errors.Is(err, test.want) || test.want == nil && classOf(err) != nil {
					t.Errorf("%s: %v, want %v", name, err, test.want)
				}
			}
		})
	}
}

func TestInvalidConfig(t *testing.T) {
	valid := Config{Endpoints: []string{"127.0.0.1:8500"}, Namespace: "n", Table: "t"}
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

// testClient is a client on l with all defaults.
func testClient(l *link) *client {
	c, err := config("host:1", "t").withDefaults()
	if err != nil {
		panic(err)
	}
	return newClient(&c, l)
}
