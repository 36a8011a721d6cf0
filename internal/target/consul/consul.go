// Package consul is the adapter of Consul: one key below <namespace>/<table>/
// for each row, through the official client.
//
// Each client has an HTTP connection of its own, made before it is handed out
// and never given back to a pool. The library's default transport keeps few idle
// connections for each server: under load it opens and closes one per request.
// Replies are not compressed, unlike by default, since that is work for the
// server and the client that has nothing to do with the store.
//
// There is one repetition that can't be switched off: if the connection of a read
// is closed before any reply, net/http sends the read once more on a new one.
//
// With access control a token needs this policy, for BENCH_NAMESPACE=kvbench:
//
//	key_prefix "kvbench/" { policy = "write" }
//
// To see whether others use the cluster, without which BENCH_SHARED=true has to be
// set, it needs this, too:
//
//	key_prefix "" { policy = "list" }
//	service_prefix "" { policy = "read" }
//
// And to tell the version, which is "unknown" otherwise, one of these:
//
//	agent_prefix "" { policy = "read" }
//	service "consul" { policy = "read" } node_prefix "" { policy = "read" }
package consul

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// Config says where the store is and how to reach it.
type Config struct {
	Endpoints []string // host:port of the agents' HTTP interfaces; at least one
	Namespace string   // first part of all keys; not a namespace of Consul Enterprise
	Table     string   // second part of all keys; its keys are the store
	Columns   int      // value columns; 0 and 1 are one, Consul has no more

	TLS        *access.TLS   // nil is none
	Login      access.Login  // of HTTP's basic authentication, which proxies ask for; the zero value is nobody
	Token      access.Secret // of Consul's access control; empty is the anonymous one
	DataCenter string        // "" is the agent's
	Partition  string        // of Consul Enterprise; "" is the default

	Clients int           // expected number of clients; each has a connection of its own
	Timeout time.Duration // of connecting to a server; 0 is 10 s

	TxnOps     int // operations that the servers accept in a transaction; 0 is Consul 1.14's, 128 (old ones: 64)
	TxnBytes   int // bytes that they accept as the body of a transaction (txn_max_req_len); 0 is Consul's default, 512 KiB
	ValueBytes int // bytes that they accept as a value (kv_max_value_size); 0 is Consul's default, 512 KiB

	// Owned says that the servers are there for this store only: what the
	// environment says of a namespace of Consul Enterprise isn't meant for them.
	// There is no history in Consul that a client could remove.
	Owned bool
}

// withDefaults returns c with its zero values replaced, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	switch {
	case len(c.Endpoints) == 0:
		return c, errors.New("consul: no endpoints")
	case c.Namespace == "" || c.Table == "":
		return c, fmt.Errorf("consul: namespace %q, table %q: neither may be empty", c.Namespace, c.Table)
	case c.Columns > 1:
		return c, fmt.Errorf("consul: %d value columns: a key has one value", c.Columns)
	}
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	if c.TxnOps <= 0 {
		c.TxnOps = 128
	}
	if c.TxnBytes <= 0 {
		c.TxnBytes = 512 << 10
	}
	if c.ValueBytes <= 0 {
		c.ValueBytes = 512 << 10
	}
	return c, c.checkEnvironment()
}

// checkEnvironment refuses what would change requests, or print, behind our back.
// All else that the library reads from the environment has no effect: see newLink.
func (c Config) checkEnvironment() error {
	if name := api.HTTPNamespaceEnvName; !c.Owned && os.Getenv(name) != "" {
		return fmt.Errorf("consul: %s is set, for which the suite has no setting: unset it, or use the namespace's own agent", name)
	}
	for _, name := range []string{api.HTTPSSLEnvName, api.HTTPSSLVerifyEnvName} { // the library complains on stderr
		if text := os.Getenv(name); text != "" {
			if _, err := strconv.ParseBool(text); err != nil {
				return fmt.Errorf("consul: %s=%q is neither true nor false: unset it", name, text)
			}
		}
	}
	return nil
}

// Settings returns the driver settings that decide results.
func (c Config) Settings() []target.Setting {
	return []target.Setting{
		{Key: "consul-conns", Value: "1 per client"},
		{Key: "consul-compression", Value: "off"},
	}
}

// prefix returns what all keys of the store begin with.
func (c Config) prefix() string { return c.Namespace + "/" + c.Table + "/" }

// A Store is a key prefix.
type Store struct {
	config Config
	admin  *link
	next   atomic.Int64 // number of clients so far
}

// Open connects to the first server and claims the namespace.
func Open(ctx context.Context, config Config) (*Store, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	admin, err := dial(ctx, config, config.Endpoints[0])
	if err != nil {
		return nil, err
	}
	if err := claim(ctx, config, admin); err != nil {
		admin.close()
		return nil, err
	}
	return &Store{config: config, admin: admin}, nil
}

// Client returns a client that is connected to one of the servers, which take turns.
func (s *Store) Client(ctx context.Context) (target.Client, error) {
	n := (s.next.Add(1) - 1) % int64(len(s.config.Endpoints))
	l, err := dial(ctx, s.config, s.config.Endpoints[n])
	if err != nil {
		return nil, err
	}
	return newClient(&s.config, l), nil
}

// Close closes the store's own connection.
func (s *Store) Close() error {
	s.admin.close()
	return nil
}
