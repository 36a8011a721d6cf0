package cql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gocql/gocql"

	"kvbench/internal/target"
)

// prepare makes the keyspace and the table of c, of what isn't there, and reports
// what is there and differs: a result must not come from another table than its
// configuration lines say. It returns the data center of the endpoints, or "" if
// the system has no use for it.
func prepare(ctx context.Context, c Config) (dataCenter string, err error) {
	a, err := administer(ctx, c)
	if err != nil {
		return "", err
	}
	defer a.Close()
	if dataCenter, err = a.claim(ctx); err != nil {
		return "", err
	}
	if err := a.createTable(ctx, c.Table, c.Schema); err != nil {
		return "", fmt.Errorf("%s table %q: %w", c.Dialect.System, c.Namespace+"."+c.Table, c.explain(err))
	}
	return dataCenter, nil
}

// An adminSession is a session with one node, outside of any keyspace. The node that
// changes the schema is the one to ask who has the change.
type adminSession struct {
	*session
	config Config
}

// administer returns a session with the first endpoint that answers.
func administer(ctx context.Context, c Config) (adminSession, error) {
	var first error
	for i := range c.Endpoints {
		one := c
		one.Endpoints = c.Endpoints[i : i+1]
		s, err := connect(ctx, one, "", "")
		if err == nil {
			return adminSession{s, c}, nil
		}
		if first == nil {
			first = err
		}
		if errors.Is(err, target.ErrDenied) || ctx.Err() != nil {
			break
		}
	}
	return adminSession{}, first
}

// exec executes a statement that changes the schema, and waits until all nodes
// that are up have it.
func (a adminSession) exec(ctx context.Context, stmt string) error {
	if err := a.Query(stmt).WithContext(ctx).Exec(); err != nil {
		return wrap(ctx, err)
	}
	if err := a.agree(ctx); err != nil {
		return fmt.Errorf("the nodes don't agree on the schema: %w", wrap(ctx, err))
	}
	return nil
}

// column returns the strings in the one column of a query's rows.
func (a adminSession) column(ctx context.Context, stmt string, args ...any) ([]string, error) {
	iter := a.Query(stmt, args...).WithContext(ctx).Iter()
	var values []string
	for v := ""; iter.Scan(&v); {
		values = append(values, v)
	}
	return values, wrap(ctx, iter.Close())
}

// checkNodes returns the endpoints' data center, and how many nodes it has, those
// that are down included. It has to be the one that was asked for, if one was.
func (a adminSession) checkNodes(ctx context.Context) (dataCenter string, nodes int, err error) {
	local, err := a.column(ctx, "SELECT data_center FROM system.local WHERE key = 'local'")
	if err != nil {
		return "", 0, fmt.Errorf("read the data center: %w", err)
	}
	if len(local) != 1 {
		return "", 0, fmt.Errorf("system.local has %d rows, want 1", len(local))
	}
	peers, err := a.column(ctx, "SELECT data_center FROM system.peers")
	if err != nil {
		return "", 0, fmt.Errorf("read the nodes: %w", err)
	}
	nodes = 1
	for _, dc := range peers {
		if dc == local[0] {
			nodes++
		}
	}
	if want := a.config.DataCenter; want != "" && want != local[0] {
		all := slices.Sorted(slices.Values(append(peers, local[0])))
		return "", 0, fmt.Errorf("%s=%q: the endpoints are in data center %q; the cluster has %q",
			a.config.variable("DATACENTER"), want, local[0], slices.Compact(all))
	}
	return local[0], nodes, a.config.checkReplication(local[0], nodes)
}

// checkReplication reports a replication factor that is more than the nodes that
// the data center has, or a data center that doesn't know all of them yet: rows
// would be stored less often than they are to be.
func (c Config) checkReplication(dataCenter string, nodes int) error {
	if nodes < c.Nodes {
		return fmt.Errorf("data center %q has %d nodes, and %d are named", dataCenter, nodes, c.Nodes)
	}
	if c.Replication > nodes {
		return fmt.Errorf("CQL_REPLICATION=%d: more copies of a row than nodes: data center %q has %d", c.Replication, dataCenter, nodes)
	}
	return nil
}

// keyspaceDDL returns the statement that creates the keyspace.
func (c Config) keyspaceDDL(dataCenter string) string {
	stmt := "CREATE KEYSPACE IF NOT EXISTS " + c.Namespace
	if c.Dialect.replicated {
		stmt += fmt.Sprintf(" WITH replication = {'class': 'NetworkTopologyStrategy', '%s': %d}",
			strings.ReplaceAll(dataCenter, "'", "''"), c.replication())
	}
	return stmt
}

// checkKeyspace reports an existing keyspace with another replication factor than
// the wanted one.
func (a adminSession) checkKeyspace(ctx context.Context, dataCenter string) error {
	if !a.config.Dialect.replicated {
		return nil
	}
	var replication map[string]string
	q := a.Query("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", a.config.Namespace)
	if err := q.Consistency(gocql.One).WithContext(ctx).Scan(&replication); err != nil {
		return fmt.Errorf("read its replication: %w", wrap(ctx, err))
	}
	return a.config.checkFactor(replication, dataCenter)
}

// checkFactor reports a replication factor that isn't the wanted one.
func (c Config) checkFactor(replication map[string]string, dataCenter string) error {
	factor, ok := replication[dataCenter]
	if !ok {
		factor = replication["replication_factor"]
	}
	if factor == strconv.Itoa(c.replication()) {
		return nil
	}
	return fmt.Errorf("it exists with replication %v, want %d in data center %q: drop it, or set BENCH_NAMESPACE or CQL_REPLICATION",
		replication, c.replication(), dataCenter)
}

// createTable creates a table in the keyspace unless it exists, or reports one
// with other columns.
func (a adminSession) createTable(ctx context.Context, table string, schema Schema) error {
	got, err := a.columns(ctx, table)
	if err != nil {
		return err
	}
	if len(got) == 0 {
		version, err := a.version(ctx)
		if err != nil {
			return err
		}
		properties := a.config.Dialect.properties(schema, version)
		if err := a.exec(ctx, schema.create(a.config.Namespace+"."+table, properties)); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		if got, err = a.columns(ctx, table); err != nil { // somebody else may have been first
			return err
		}
	}
	var want []string
	for _, col := range schema.columns() {
		want = append(want, col.name)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it exists with the columns %v, want %v: drop it or set BENCH_NAMESPACE", got, want)
	}
	return nil
}

// columns returns the names of a table's columns in alphabetical order, none if
// there is no such table.
func (a adminSession) columns(ctx context.Context, table string) ([]string, error) {
	names, err := a.column(ctx, "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?", a.config.Namespace, table)
	if err != nil {
		return nil, fmt.Errorf("read its columns: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

// properties are those of a table with schema that aren't the server's defaults.
func (d Dialect) properties(schema Schema, version string) []string {
	var properties []string
	if schema.uncompressed && d.uncompressed != "" {
		properties = append(properties, d.uncompressed)
	}
	if d.noSnapshot != "" && atLeast(version, d.noSnapshotSince) {
		properties = append(properties, d.noSnapshot)
	}
	return properties
}

// atLeast reports whether version, such as "5.0.6" or "4.1-beta1", is of the
// release wanted (major, minor) or a later one.
func atLeast(version string, wanted [2]int) bool {
	var got [2]int
	if _, err := fmt.Sscanf(version, "%d.%d", &got[0], &got[1]); err != nil {
		return false
	}
	return slices.Compare(got[:], wanted[:]) >= 0
}
