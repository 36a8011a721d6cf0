package etcd

import (
	"context"
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
