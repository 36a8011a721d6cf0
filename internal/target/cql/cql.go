// Package cql is the adapter for systems that speak CQL: Apache Cassandra,
// YugabyteDB's YCQL and ScyllaDB. They differ by a [Dialect], which is data; the
// tables of the workloads by a [Schema], which is data too.
//
// It is a thin layer over the gocql driver: one request for each operation,
// nothing retried, and no memory allocated beyond the driver's own.
//
// With access control, all that a role needs is, for BENCH_NAMESPACE=kvbench,
//
//	GRANT CREATE ON ALL KEYSPACES TO bench;
//
// since who creates a keyspace may do everything with it. Where the role may not,
// the keyspace has to be made for it, with the table that marks it as the suite's:
//
//	CREATE KEYSPACE kvbench WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3};
//	CREATE TABLE kvbench.kvbench (name text PRIMARY KEY, value text);
//	GRANT CREATE ON KEYSPACE kvbench TO bench;
//	GRANT SELECT ON KEYSPACE kvbench TO bench;
//	GRANT MODIFY ON KEYSPACE kvbench TO bench;
//
// Without CREATE it needs the tables of the workloads, too, whose statements the
// errors say. MODIFY is to write, and to truncate.
package cql

import (
	"context"
	"fmt"

	"kvbench/internal/target"

	"github.com/gocql/gocql"
)

var _ target.Store = (*Store)(nil)

// A Store is a table. All its clients share the driver's connections, which is
// how the driver is meant to be used.
type Store struct {
	config     Config
	session    *session
	countLevel gocql.Consistency
}

// Open connects to the cluster, claims the keyspace and creates the table, unless
// they exist and are as wanted.
func Open(ctx context.Context, c Config) (*Store, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	dataCenter, err := prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := connect(ctx, c, c.Namespace, dataCenter)
	if err != nil {
		return nil, err
	}
	return &Store{config: c, session: s, countLevel: c.Dialect.countLevel(c.level())}, nil
}

// Client returns a new client. The connections are there since Open.
func (s *Store) Client(context.Context) (target.Client, error) {
	return newClient(s), nil
}

// Close closes the connections.
func (s *Store) Close() error {
	s.session.Close()
	return nil
}

// errorf makes an error that says which table of which system it is about.
func (s *Store) errorf(format string, args ...any) error {
	return fmt.Errorf("%s table %q: "+format, append([]any{s.config.Dialect.System, s.config.Namespace + "." + s.config.Table}, args...)...)
}
