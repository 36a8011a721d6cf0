package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

var servers = targettest.Servers{Spec: cluster.Spec{
	System: cluster.ZooKeeper,
	Ready: func(ctx context.Context, endpoints []string) error {
		return Ready(ctx, Config{Endpoints: endpoints, Namespace: "kvbench", Table: "ready"})
	},
}}

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func config(endpoint, table string) Config {
	return Config{Endpoints: []string{endpoint}, Namespace: "kvbench/test", Table: table, Owned: true}
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
	t.Cleanup(func() { store.Close() })
	return store
}

// openClient opens a store and a client of it, or ends the test.
func openClient(t *testing.T, c Config) (*Store, *client) {
	t.Helper()
	store := open(t, c)
	cl, err := store.Client(t.Context())
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
		config := config(proxy.Addr, "contract")
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		store, err := Open(ctx, config)
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

func TestClearSplitsLargeRequests(t *testing.T) {
	store, c := openClient(t, config(servers.Start(t).Servers[0].Endpoint, "large"))
	if err := store.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	// As many long keys in one bucket as need two requests.
	var rows []target.Row
	for n, written := 0, 0; written*(250+opBytes) < deleteBytes+100_000; n++ {
		r := row(fmt.Sprintf("%0250d", n), 1)
		if bucketOf(r.Key) != 7 {
			continue
		}
		written++
		if rows = append(rows, r); len(rows) == 500 {
			if err := c.PutBatch(t.Context(), rows); err != nil {
				t.Fatal(err)
			}
			rows = nil
		}
	}
	if n, err := store.Count(t.Context()); n < 1000 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	if err := store.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("%d rows are left, %v", n, err)
	}
}

func TestVersion(t *testing.T) {
	c := servers.Start(t)
	got, err := Version(t.Context(), config(c.Servers[0].Endpoint, "t"))
	if err != nil || c.Version != "" && got != c.Version {
		t.Errorf("version %q, %v, want %q", got, err, c.Version)
	}
}

func TestServersLimit(t *testing.T) {
	_, c := openClient(t, config(servers.Start(t).Servers[0].Endpoint, "limits"))
	if err := c.Put(t.Context(), row("k", 1<<20-1000)); err != nil {
		t.Errorf("put of little less than jute.maxbuffer: %v", err)
	}
	got := row("k", 0)
	if err := c.Get(t.Context(), got); err != nil || len(got.Values[0]) != 1<<20-1000 {
		t.Errorf("get of the large value: %d bytes, %v", len(got.Values[0]), err)
	}
	if err := c.Put(t.Context(), row("k", 1<<20)); !errors.Is(err, target.ErrTooLarge) {
		t.Errorf("put of 1 MiB: %v, want ErrTooLarge", err)
	}
}

func TestSmallBuffers(t *testing.T) {
	config := config(servers.Start(t).Servers[0].Endpoint, "buffers")
	config.BufferBytes = 4 << 10
	_, c := openClient(t, config)
	if err := c.Put(t.Context(), row("k", 3<<10)); err != nil {
		t.Errorf("put of less than the buffer: %v", err)
	}
	if err := c.Put(t.Context(), row("k", 4<<10)); !errors.Is(err, target.ErrTooLarge) {
		t.Errorf("put of more than the buffer: %v, want ErrTooLarge", err)
	}
}

func TestBatchOverManyBuckets(t *testing.T) {
	store, c := openClient(t, config(servers.Start(t).Servers[0].Endpoint, "batch"))
	if err := store.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows []target.Row
	for n := range 1000 {
		rows = append(rows, row(fmt.Sprint("key", n), 300))
	}
	if err := c.PutBatch(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Count(t.Context()); n != 1000 || err != nil {
		t.Errorf("%d rows, %v, want 1000", n, err)
	}
}

func TestCancelBetweenOperationsKeepsTheSession(t *testing.T) {
	_, c := openClient(t, config(servers.Start(t).Servers[0].Endpoint, "cancel"))
	first := c.link.session
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		if err := c.Put(ctx, row("k", 10)); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	if c.link.session != first || !first.alive() {
		t.Error("contexts that ended between operations have cost the session")
	}
}

func TestNoAllocationsOfOurs(t *testing.T) {
	_, c := openClient(t, config(servers.Start(t).Servers[0].Endpoint, "allocations"))
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := c.link.begin(ctx); err != nil {
			t.Fatal(err)
		}
		c.pathOf([]byte("some-key"))
		c.link.end()
	}); n != 0 {
		t.Errorf("the adapter allocates %v times an operation, want 0", n)
	}
}

func TestOpenUnreachable(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ep := ln.Addr().String()
	ln.Close()
	_, err = Open(t.Context(), config(ep, "t"))
	if !errors.Is(err, target.ErrUnavailable) || !strings.Contains(err.Error(), "zookeeper at "+ep) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("open: %v; want an error that names zookeeper, %s and the refused connection", err, ep)
	}
}

// TestClientWithoutSession has servers that take connections and then say
// nothing, or hang up.
func TestClientWithoutSession(t *testing.T) {
	for _, test := range []struct {
		name   string
		accept func(net.Conn)
		want   error
	}{
		{"silent", func(net.Conn) {}, target.ErrTimeout},
		{"hangs up", func(c net.Conn) { c.Close() }, target.ErrUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					defer conn.Close()
					test.accept(conn)
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			if _, err := Open(ctx, config(ln.Addr().String(), "t")); !errors.Is(err, test.want) {
				t.Errorf("open: %v, want %v", err, test.want)
			}
		})
	}
}

func TestSessionsTakeTurns(t *testing.T) {
	config := Config{Endpoints: []string{"a:1", "b:1", "c:1"}}
	for n, want := range []string{"a:1 b:1 c:1", "b:1 c:1 a:1", "c:1 a:1 b:1", "a:1 b:1 c:1"} {
		if got := strings.Join(newLink(&config, n).servers, " "); got != want {
			t.Errorf("session %d tries %s, want %s", n, got, want)
		}
	}
}

func TestRotation(t *testing.T) {
	vain := make(chan struct{}, 1)
	r := &rotation{servers: []string{"a", "b"}, vain: vain}
	for i, want := range []string{"a false", "b false", "a true", "b false", "a true"} {
		server, again := r.Next()
		if got := fmt.Sprint(server, " ", again); got != want {
			t.Errorf("try %d: %s, want %s", i, got, want)
		}
	}
	if len(vain) != 1 {
		t.Error("nobody was told that all servers were tried in vain")
	}
	r.Connected()
	if server, again := r.Next(); server != "b" || again {
		t.Errorf("after a connection: %s, %v; want b at once", server, again)
	}
}

func TestPaths(t *testing.T) {
	counts := make([]int, buckets)
	for n := range 100 * buckets {
		key := fmt.Appendf(nil, "user%d", n)
		path := string(appendPath(nil, "/n/t", key))
		if want := fmt.Sprintf("/n/t/%03x/%s", bucketOf(key), key); path != want {
			t.Fatalf("path %q, want %q", path, want)
		}
		counts[bucketOf(key)]++
	}
	for n, count := range counts {
		if count < 50 || count > 150 { // 100 expected, standard deviation 10
			t.Errorf("bucket %d has %d of %d rows, want about 100", n, count, 100*buckets)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"Zookeeper version: 3.9.5-0000, built on 2026-01-01 00:00 UTC\n", "3.9.5"},
		{"Zookeeper version: 3.4.9-1757313, built on 08/23/2016 06:50 GMT\n", "3.4.9"},
		{"srvr is not executed because it is not in the whitelist.\n", ""},
		{"", ""},
	} {
		got, err := parseVersion("host:1", test.line)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("version in %q: %q, %v, want %q", test.line, got, err, test.want)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, test := range []struct{ err, want error }{
		{zk.ErrNoNode, target.ErrNotFound},
		{fmt.Errorf("create: %w", zk.ErrConnectionClosed), target.ErrUnavailable},
		{zk.ErrSessionExpired, target.ErrUnavailable},
		{zk.ErrNoAuth, nil},
	} {
		if got := classOf(test.err); got != test.want {
			t.Errorf("class of %q: %v, want %v", test.err, got, test.want)
		}
	}
}

func TestInvalidConfig(t *testing.T) {
	valid := Config{Endpoints: []string{"127.0.0.1:2181"}, Namespace: "n", Table: "t"}
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
