package cql

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/target/targettest"
)

// An owner is a node with one token, by the address that clients reach it at.
type owner struct {
	token int64
	at    string
}

// testOwners reaches each node by a proxy alone, and wants each row to be asked for
// at the one node that has it.
func testOwners(t *testing.T, c *cluster.Cluster) {
	config := Config{Dialect: Cassandra(), Namespace: "owners", Table: "rows", Replication: 1, Translate: map[string]string{}}
	var owners []owner
	for _, node := range c.Endpoints() {
		proxy := targettest.NewProxy(t, node)
		config.Endpoints = append(config.Endpoints, proxy.Addr)
		config.Translate[node] = proxy.Addr
		owners = append(owners, owner{tokenOf(t, node), proxy.Addr})
	}
	slices.SortFunc(owners, func(a, b owner) int { return cmp.Compare(a.token, b.token) })
	all := config.Endpoints
	config.Endpoints, config.Nodes = all[:1], 3 // the others are found
	store := open(t, config)
	connected := hosts(store)
	slices.Sort(connected)
	slices.Sort(all)
	if got := slices.Compact(connected); !slices.Equal(got, all) {
		t.Errorf("connections to %q, want %q", got, all)
	}
	putMany(t, store, 100)
	asked := map[string]int{}
	for n := range 100 {
		key := fmt.Sprintf("key:%d", n)
		host, token := askFor(t, store, key)
		asked[host]++
		if want := ownerOf(owners, token); host != want {
			t.Errorf("row %q, token %d: asked for at %s, is at %s", key, token, host, want)
		}
	}
	t.Logf("requests by node: %v", asked)
	if len(asked) != 3 {
		t.Errorf("not all nodes were asked: %v", asked)
	}
}

// tokenOf asks a node for its token.
func tokenOf(t *testing.T, node string) int64 {
	t.Helper()
	r := openRealm(t, Config{Dialect: Cassandra(), Endpoints: []string{node}})
	defer r.Close()
	var tokens []string
	if err := r.Query("SELECT tokens FROM system.local").Scan(&tokens); err != nil || len(tokens) != 1 {
		t.Fatalf("tokens of %s: %q, error %v", node, tokens, err)
	}
	token, err := strconv.ParseInt(tokens[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// askFor reads a row as a client does, and returns which node was asked, and the
// row's token as the servers work it out.
func askFor(t *testing.T, store *Store, key string) (host string, token int64) {
	t.Helper()
	client := newClient(store)
	client.key.setKey([]byte(key), nil)
	iter := client.get.in(t.Context()).Bind(client.key.args...).RoutingKey([]byte(key)).Iter()
	node := iter.Host()
	host = store.config.reach(node.ConnectAddress(), node.Port())
	if err := iter.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.session.Query("SELECT token(k) FROM rows WHERE k = ?", key).Scan(&token); err != nil {
		t.Fatal(err)
	}
	return host, token
}

// ownerOf returns the node that has a token: the first whose own is not smaller.
func ownerOf(owners []owner, token int64) string {
	for _, o := range owners {
		if o.token >= token {
			return o.at
		}
	}
	return owners[0].at
}
