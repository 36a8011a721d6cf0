package cql

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// An owner is a node, the proxy that clients reach it by, and its tokens.
type owner struct {
	proxy  *targettest.Proxy
	tokens []int64
}

// testOwners reaches each node by a proxy alone, and wants each row to be asked for
// at the one node that has it.
func testOwners(t *testing.T, c *cluster.Cluster) {
	config := Config{Dialect: Cassandra(), Namespace: "owners", Table: "rows", Replication: 1, Nodes: 3, Translate: map[string]string{}}
	var owners []owner
	var all []string
	for known, reached := range addresses(c) {
		proxy := targettest.NewProxy(t, reached)
		config.Translate[known] = proxy.Addr
		all = append(all, proxy.Addr)
		owners = append(owners, owner{proxy, tokensOf(t, c, reached)})
	}
	config.Endpoints = all[:1] // the others are found
	store := open(t, config)
	connected := hosts(store)
	slices.Sort(connected)
	slices.Sort(all)
	if got := slices.Compact(connected); !slices.Equal(got, all) {
		t.Errorf("connections to %q, want %q", got, all)
	}
	putMany(t, store, 100)
	client, asked := newClient(store), map[string]int{}
	for n := range 100 {
		key := fmt.Sprintf("key:%d", n)
		want, got := ownerOf(owners, tokenOf(t, store, key)), askedFor(t, client, owners, key)
		if got != want {
			t.Errorf("row %q: asked for at %s, is at %s", key, got, want)
		}
		asked[got]++
	}
	t.Logf("requests by node: %v", asked)
	if len(asked) != 3 {
		t.Errorf("not all nodes were asked: %v", asked)
	}
}

// addresses returns where clients reach the nodes, by how they know each other.
func addresses(c *cluster.Cluster) map[string]string {
	if len(c.Translate) > 0 {
		return c.Translate
	}
	same := map[string]string{}
	for _, endpoint := range c.Endpoints() {
		same[endpoint] = endpoint
	}
	return same
}

// tokensOf asks a node for its tokens.
func tokensOf(t *testing.T, c *cluster.Cluster, node string) (tokens []int64) {
	t.Helper()
	r := openRealm(t, Config{Dialect: Cassandra(), Endpoints: []string{node}, Translate: c.Translate})
	defer r.Close()
	var texts []string
	if err := r.Query("SELECT tokens FROM system.local").Scan(&texts); err != nil || len(texts) == 0 {
		t.Fatalf("tokens of %s: %q, error %v", node, texts, err)
	}
	for _, text := range texts {
		token, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// tokenOf returns a row's token as the servers work it out.
func tokenOf(t *testing.T, store *Store, key string) (token int64) {
	t.Helper()
	if err := store.session.Query("SELECT token(k) FROM rows WHERE k = ?", key).Scan(&token); err != nil {
		t.Fatal(err)
	}
	return token
}

// askedFor reads a row, and returns through which proxy the request went: the one
// that sent most, since the driver asks all now and then whether they are there.
func askedFor(t *testing.T, client *client, owners []owner, key string) (address string) {
	t.Helper()
	before := make([]int64, len(owners))
	for i, o := range owners {
		before[i] = o.proxy.Sent()
	}
	row := target.Row{Key: []byte(key), Values: [][]byte{nil}}
	if err := client.Get(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	var most int64
	for i, o := range owners {
		if sent := o.proxy.Sent() - before[i]; sent > most {
			most, address = sent, o.proxy.Addr
		}
	}
	return address
}

// ownerOf returns the node that has a token: that of the first that isn't smaller.
func ownerOf(owners []owner, token int64) (address string) {
	least, next := int64(math.MaxInt64), int64(math.MaxInt64)
	var first string
	for _, o := range owners {
		for _, own := range o.tokens {
			if own <= least {
				least, first = own, o.proxy.Addr
			}
			if own >= token && own <= next {
				next, address = own, o.proxy.Addr
			}
		}
	}
	return cmp.Or(address, first)
}

// Three nodes in containers know each other by addresses that clients can't reach:
// all are used through the ports that the engine maps, each for its own rows.
func TestContainerOwners(t *testing.T) {
	image := os.Getenv("CASSANDRA_IMAGE")
	if image == "" {
		t.Skip("no CASSANDRA_IMAGE: start a Docker engine and run make containers")
	}
	testOwners(t, targettest.StartOwn(t, cluster.Spec{
		System: cluster.Cassandra, Force: "container", Image: image, Nodes: 3,
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			return Ready(ctx, Config{Dialect: Cassandra(), Endpoints: c.Endpoints(), Translate: c.Translate, Namespace: "ready"})
		},
	}))
}
