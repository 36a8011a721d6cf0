// Package etcd is the adapter of etcd: one key below <namespace>/<table>/ for
// each row, through the official client.
//
// Where it departs from the client's defaults: reads are not retried (the
// client does so up to 100 times, unseen by the caller), lost connections are
// redialled at least every second (not every two minutes), and nothing is logged.
// As by default, a request waits for a connection until its deadline.
//
// A connection is to one server, as those of etcd's own benchmark tool are, and
// the servers take turns. There is no failover: operations on a connection whose
// server is gone fail, as unavailable if it was lost under them and as a timeout
// if they wait for it, and those on the others go on. Counting and clearing are
// up to the first server.
//
// A user is one with a password, or the one whom a client certificate names, if
// the servers have --client-cert-auth. What such a user needs for
// BENCH_NAMESPACE=kvbench, and no more, is
//
//	etcdctl role add kvbench
//	etcdctl role grant-permission kvbench --prefix=true readwrite kvbench/
//	etcdctl user add bench
//	etcdctl user grant-role bench kvbench
//
// To see whether others use the cluster the role must also be allowed to
//
//	etcdctl role grant-permission kvbench --prefix=true read ''
//
// One thing is sent again: a request that the servers have refused, and not done,
// because the token that a login had got was outdated. The new token's time is
// part of the operation's.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// Config says where the store is and how to reach it.
type Config struct {
	Endpoints []string // host:port of the servers; at least one
	Namespace string   // first part of all keys
	Table     string   // second part of all keys; its keys are the store
	Columns   int      // value columns; 0 and 1 are one, etcd has no more

	TLS   *access.TLS  // nil is none
	Login access.Login // the zero value is nobody

	Clients int           // expected number of clients; decides Conns
	Conns   int           // connections in total, shared by the clients; 0 chooses by Clients
	Timeout time.Duration // of connecting to a server; 0 is 10 s

	TxnOps       int // operations that the servers accept in a transaction; 0 is etcd's default, 128
	RequestBytes int // bytes that the servers accept in a request; 0 is etcd's default, 1.5 MiB

	// Owned says that the servers are there for this store only: Clear may
	// then compact their history and defragment them, which blocks each for a moment.
	Owned bool
}

// connsFor returns the number of connections for a number of clients: as many to
// each endpoint, so that the members get equal parts of the load. One connection
// is a single HTTP/2 writer and reader goroutine.
func connsFor(clients, endpoints int) int {
	conns := max(1, (clients+clientsPerConn-1)/clientsPerConn)
	each := (conns + endpoints - 1) / endpoints
	return max(1, min(each*endpoints, clients)) // a client has one
}

// clientsPerConn keeps a connection's writer busy enough to send several
// requests with one system call, and not so busy that they queue for it. Measured
// on one etcd 3.7.3, two processors, medians of three runs in turn, puts of 256 B
// and 1 KB: 100 clients on 1, 7, 25, 100 connections 9.9k, 10.1k, 6.0k, 5.2k ops/s
// and 45, 50, 73, 108 µs of client CPU an operation; 1,000 clients on 1, 4, 10, 63
// connections 9.1k, 13.0k, 10.1k, 7.3k ops/s.
const clientsPerConn = 100

// withDefaults returns c with its zero values replaced, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	switch {
	case len(c.Endpoints) == 0:
		return c, errors.New("etcd: no endpoints")
	case c.Namespace == "" || c.Table == "":
		return c, fmt.Errorf("etcd: namespace %q, table %q: neither may be empty", c.Namespace, c.Table)
	case c.Columns > 1:
		return c, fmt.Errorf("etcd: %d value columns: a key has one value", c.Columns)
	case c.Login.User == "" && !c.Login.Password.IsZero():
		return c, errors.New("etcd: ETCD_PASSWORD without ETCD_USER")
	case c.Login.User != "" && c.Login.Password.IsZero():
		return c, fmt.Errorf("etcd: ETCD_USER=%q without ETCD_PASSWORD; a client certificate names its user by itself", c.Login.User)
	}
	if c.Conns <= 0 {
		c.Conns = connsFor(c.Clients, len(c.Endpoints))
	}
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	if c.TxnOps <= 0 {
		c.TxnOps = 128
	}
	if c.RequestBytes <= 0 {
		c.RequestBytes = 3 << 19
	}
	return c, nil
}

// Settings returns the driver settings that decide results. A number of
// connections that depends on clients whose number isn't set is shown as the rule
// that chooses it.
func (c Config) Settings() []target.Setting {
	value := fmt.Sprintf("1 per %d clients, as many to each endpoint", clientsPerConn)
	switch {
	case c.Conns > 0:
		value = strconv.Itoa(c.Conns)
	case c.Clients > 0:
		value = strconv.Itoa(connsFor(c.Clients, max(1, len(c.Endpoints))))
	}
	return []target.Setting{{Key: "etcd-conns", Value: value}}
}

// prefix returns what all keys of the store begin with.
func (c Config) prefix() string { return c.Namespace + "/" + c.Table + "/" }

// mark returns the key of the namespace's mark. Notes are below it.
func (c Config) mark() string { return c.Namespace + "/.kvbench" }

// A Store is a key prefix.
type Store struct {
	config Config
	conns  []*clientv3.Client // each with one connection to one server
	next   atomic.Int64       // number of clients so far
}

// Open connects to the servers, each of which has to be there if there are as
// many connections, and claims the namespace.
func Open(ctx context.Context, config Config) (*Store, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	s, l := &Store{config: config}, newLogin(config.Login)
	for i := range config.Conns {
		conn, err := dial(ctx, config, l, config.Endpoints[i%len(config.Endpoints)])
		if err != nil {
			s.Close()
			return nil, err
		}
		s.conns = append(s.conns, conn)
	}
	if err := claim(ctx, config, s.conns[0]); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Client returns a client on one of the store's connections.
func (s *Store) Client(context.Context) (target.Client, error) {
	n := s.next.Add(1) - 1
	return &client{
		kv:     s.conns[n%int64(len(s.conns))].KV,
		config: &s.config,
		key:    []byte(s.config.prefix()),
		prefix: len(s.config.prefix()),
		stale:  []clientv3.OpOption{clientv3.WithSerializable()},
	}, nil
}

// Close closes the connections.
func (s *Store) Close() error {
	var errs []error
	for _, c := range s.conns {
		if err := c.Close(); err != nil && !errors.Is(err, context.Canceled) {
			errs = append(errs, fmt.Errorf("etcd: close: %w", err))
		}
	}
	return errors.Join(errs...)
}
