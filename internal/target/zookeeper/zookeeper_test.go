package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

var servers = targettest.Servers{Spec: cluster.Spec{
	System: cluster.ZooKeeper,
	Ready: func(ctx context.Context, c *cluster.Cluster) error {
		return Ready(ctx, Config{Endpoints: c.Endpoints(), Namespace: "kvbench", Table: "ready"})
	},
}}

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func config(endpoint, table string) Config {
	return Config{Endpoints: []string{endpoint}, Namespace: "kvbench_test", Table: table, Owned: true}
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
