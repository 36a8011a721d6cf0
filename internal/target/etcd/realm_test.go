package etcd

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

func TestRealm(t *testing.T) {
	ep := servers.Start(t).Servers[0].Endpoint
	named := func(name string) Config { return Config{Endpoints: []string{ep}, Namespace: name, Table: "rows"} }
	targettest.TestRealm(t, targettest.Land{
		Alone: true,
		Open: func(t *testing.T, name string) target.Realm {
			r, err := OpenRealm(t.Context(), named(name))
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
		Store: func(t *testing.T, name string) target.Store { return open(t, named(name)) },
		TryOpen: func(ctx context.Context, name string) error {
			store, err := Open(ctx, named(name))
			if err == nil {
				store.Close()
			}
			return err
		},
		Intrude: func(t *testing.T, name string, at bool) func() bool {
			c := open(t, Config{Endpoints: []string{ep}, Namespace: "kvbench", Table: "intruder"})
			t.Cleanup(func() { c.Close() })
			key := name + "-and-more"
			if at {
				key = name + "/theirs"
			}
			if _, err := c.conns[0].Put(t.Context(), key, "1"); err != nil {
				t.Fatal(err)
			}
			remains := func() bool {
				resp, err := c.conns[0].Get(t.Context(), key)
				return err == nil && len(resp.Kvs) == 1
			}
			t.Cleanup(func() {
				if _, err := c.conns[0].Delete(context.Background(), key); err != nil {
					t.Log(err)
				}
			})
			return remains
		},
	})
}

// TestClaimsAtOnce has several runs find nothing and claim it.
func TestClaimsAtOnce(t *testing.T) {
	config := Config{Endpoints: []string{servers.Start(t).Servers[0].Endpoint}, Namespace: "at_once"}
	var realms [8]*Realm
	for i := range realms {
		realms[i] = openRealm(t, config)
	}
	for range 20 {
		var wg sync.WaitGroup
		for _, r := range realms {
			wg.Go(func() {
				if err := r.Claim(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := realms[0].Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOthersBesideMarkedNamespaces has keys that sort among those of namespaces.
func TestOthersBesideMarkedNamespaces(t *testing.T) {
	config := Config{Endpoints: []string{servers.Start(t).Servers[0].Endpoint}, Namespace: "ours"}
	r := openRealm(t, config)
	if err := r.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Drop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, key := range []string{"ours", "ours-", "ours0", "ours.kvbench", "/", "\x00", "~", "zeta/.kvbench", "zeta/x"} {
		if _, err := r.conn.Put(t.Context(), key, "theirs"); err != nil {
			t.Fatal(err)
		}
		other, err := r.Others(t.Context())
		if want := fmt.Sprintf("key %q", key); err != nil || other != want {
			t.Errorf("others: %q, %v; want %s", other, err, want)
		}
		if _, err := r.conn.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if other, err := r.Others(t.Context()); err != nil || other != "" {
			t.Errorf("without %q: others: %q, %v; want none", key, other, err)
		}
	}
}
