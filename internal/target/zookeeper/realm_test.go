package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

func TestRealm(t *testing.T) {
	testRealm(t, Config{Endpoints: servers.Start(t).Endpoints()})
}

// testRealm runs the contract test of realms with the given credentials.
func testRealm(t *testing.T, base Config) {
	named := func(name string) Config {
		c := base
		c.Namespace, c.Table = name, "rows"
		return c
	}
	drop(t, named("kvbench"), named("kvbench_test")) // what other tests have left
	targettest.TestRealm(t, targettest.Land{
		Alone: true,
		Open:  func(t *testing.T, name string) target.Realm { return openRealm(t, named(name)) },
		Store: func(t *testing.T, name string) target.Store {
			store, err := Open(t.Context(), named(name))
			if err != nil {
				t.Fatal(err)
			}
			return store
		},
		TryOpen: func(ctx context.Context, name string) error { return tryOpen(ctx, named(name)) },
		Intrude: func(t *testing.T, name string, at bool) func() bool {
			path := "/" + name + "-and-more"
			if at {
				path = "/" + name
			}
			return intrude(t, named(name), path)
		},
	})
}

func openRealm(t *testing.T, c Config) *Realm {
	t.Helper()
	r, err := OpenRealm(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drop removes namespaces.
func drop(t *testing.T, configs ...Config) {
	t.Helper()
	for _, c := range configs {
		r := openRealm(t, c)
		defer r.Close()
		if err := r.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// intrude makes a znode as somebody else would.
func intrude(t *testing.T, c Config, path string) (remains func() bool) {
	t.Helper()
	r := openRealm(t, c)
	act := func(task func(conn *zk.Conn) error) error { return r.do(context.Background(), "intrude", task) }
	if err := act(func(conn *zk.Conn) error {
		_, err := conn.Create(path, []byte("theirs"), 0, zk.WorldACL(zk.PermAll))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := act(func(conn *zk.Conn) error { return conn.Delete(path, -1) }); err != nil {
			t.Error(err)
		}
		r.Close()
	})
	return func() bool {
		err := act(func(conn *zk.Conn) error {
			data, _, err := conn.Get(path)
			if err == nil && string(data) != "theirs" {
				err = errors.New("it has other data")
			}
			return err
		})
		return err == nil
	}
}

// A realm that is opened as for small rows is dropped with many of them: requests
// that remove rows are larger than the clients' buffers.
func TestDropOfManyRows(t *testing.T) {
	c := config(servers.Start(t).Servers[0].Endpoint, "many")
	c.BufferBytes = 1 << 10
	_, cl := openClient(t, c)
	for n := 0; n < 100; {
		rows := make([]target.Row, 0, 20)
		for i := 0; len(rows) < cap(rows); i++ {
			if r := row(fmt.Sprintf("%d-%d", n, i), 1); bucketOf(r.Key) == 7 { // in one request
				rows = append(rows, r)
			}
		}
		n += len(rows)
		for _, r := range rows {
			if err := cl.Put(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop(t, c)
}
