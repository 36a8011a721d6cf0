// Package zookeeper is the adapter of ZooKeeper: one persistent znode for each
// row, and one session for each client.
//
// Rows are spread by a hash of their key over a fixed number of parent znodes,
// /<namespace>/<table>/<bucket>/<key>, because the list of a znode's children
// has to fit into one packet (jute.maxbuffer, 1 MiB): a million children of one
// znode could be counted but never be listed, and so never be cleared.
//
// With a user, all znodes are for this user alone (the digest scheme), and all that
// the servers have to allow it is to create the namespace's znode, and to delete it.
// Where it may not, the znode has to be made for it, with the mark as its data, by an
// administrator in zkCli:
//
//	addauth digest bench:<password>
//	create /kvbench kvbench auth::cdrw
//
// A client certificate is no user, as certificates change and user names don't:
// without a user znodes are for everybody who gets a session. SASL is not supported
// by the library.
package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// Config says where the store is and how to reach it.
type Config struct {
	Endpoints []string // host:port of the servers; at least one
	Namespace string   // name of the znode below the root that holds all tables
	Table     string   // name of the znode that holds the store
	Columns   int      // value columns; 0 and 1 are one, ZooKeeper has no more

	TLS   *access.TLS  // nil is none
	Login access.Login // of the digest scheme; its znodes are then for this user only. The zero value is nobody

	Clients int           // expected number of clients; each has a session of its own
	Timeout time.Duration // of one operation; 0 is 10 s. The servers are asked to keep a silent session for three times that

	// RequestBytes is the servers' jute.maxbuffer; 0 is ZooKeeper's default, 1 MiB - 1.
	RequestBytes int

	// BufferBytes is the largest request or reply that a Client can have. The
	// library allocates two buffers of this size for every session, which counts
	// with a thousand of them. 0, and the most, is RequestBytes and a little more,
	// as the session that counts and removes rows has it.
	BufferBytes int

	// Owned says that the servers are there for this store only. There is no
	// history in ZooKeeper that a client could remove, so it changes nothing.
	Owned bool
}

// withDefaults returns c with its zero values replaced, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	switch {
	case len(c.Endpoints) == 0:
		return c, errors.New("zookeeper: no endpoints")
	case c.Namespace == "" || c.Table == "":
		return c, fmt.Errorf("zookeeper: namespace %q, table %q: neither may be empty", c.Namespace, c.Table)
	case strings.Contains(c.Login.User, ":"):
		return c, fmt.Errorf("zookeeper: ZOOKEEPER_USER=%q: a user of the digest scheme has no colon in its name", c.Login.User)
	case c.Columns > 1:
		return c, fmt.Errorf("zookeeper: %d value columns: a znode has one value", c.Columns)
	}
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	if c.RequestBytes <= 0 {
		c.RequestBytes = 1<<20 - 1
	}
	if most := c.RequestBytes + packetBytes; c.BufferBytes <= 0 || c.BufferBytes > most {
		c.BufferBytes = most
	}
	return c, nil
}

// sessionTimeout is what the servers are asked for; they grant between 2 and 20
// ticks, 4 s and 40 s by default.
func (c Config) sessionTimeout() time.Duration { return 3 * c.Timeout }

// Settings returns the driver settings that decide results.
func (c Config) Settings() []target.Setting {
	return []target.Setting{
		{Key: "zookeeper-sessions", Value: "1 per client"},
		{Key: "zookeeper-parents", Value: strconv.Itoa(buckets)},
	}
}

// acl returns the access control list of all znodes that are made: for the user
// alone if there is one, else for everybody.
func (c Config) acl() []zk.ACL {
	if c.Login.IsZero() {
		return zk.WorldACL(zk.PermAll)
	}
	return zk.DigestACL(zk.PermAll, c.Login.User, c.Login.Password.Reveal())
}

// root returns the path of the znode that is the store.
func (c Config) root() string { return c.namespace() + "/" + c.Table }

// namespace returns the path of the znode that holds all tables.
func (c Config) namespace() string { return "/" + c.Namespace }

// A Store is a znode.
type Store struct {
	config Config
	next   atomic.Int64 // number of sessions so far

	mu    sync.Mutex // for one administrative task at a time
	admin *link
}

// Open connects to the servers, claims the namespace and makes the znodes that
// hold the rows.
func Open(ctx context.Context, config Config) (*Store, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{config: config}
	admin := config
	admin.BufferBytes = config.RequestBytes + packetBytes // replies to it may be longer than a client's
	s.admin = newLink(&admin, int(s.next.Add(1)-1))
	if err := s.administer(ctx, s.claimAndMake); err != nil {
		s.admin.close()
		return nil, fmt.Errorf("zookeeper at %s: open %q: %w", strings.Join(config.Endpoints, ","), config.root(), err)
	}
	return s, nil
}

// Client returns a client with a session of its own on one of the servers, which
// take turns.
func (s *Store) Client(ctx context.Context) (target.Client, error) {
	l := newLink(&s.config, int(s.next.Add(1)-1))
	if _, err := l.begin(ctx); err != nil {
		l.close()
		return nil, fmt.Errorf("zookeeper at %s: client: %w", strings.Join(s.config.Endpoints, ","), err)
	}
	l.end()
	return newClient(&s.config, l), nil
}

// Close ends the store's own session.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admin.close()
	return nil
}
