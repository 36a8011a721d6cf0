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
		one.Endpoints, one.Consistency = c.Endpoints[i:i+1], "LOCAL_QUORUM" // so that notes are found again
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
		return fmt.Errorf("%s: %w", stmt, wrap(ctx, err))
	}
	if err := a.agree(ctx); err != nil {
		return fmt.Errorf("%s: the nodes don't agree on the schema: %w", stmt, wrap(ctx, err))
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

// keyspaceDDL returns the statement that creates the keyspace. It fails if there is
// one: else somebody else's would be taken for the suite's.
func (c Config) keyspaceDDL(dataCenter string) string {
	stmt := "CREATE KEYSPACE " + c.Namespace
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
	replication, err := a.readReplication(ctx)
	if err != nil {
		return err
	}
	return a.config.checkFactor(replication, dataCenter)
}

// readReplication returns how the keyspace is replicated, nil if there is none.
func (a adminSession) readReplication(ctx context.Context) (map[string]string, error) {
	var replication map[string]string
	q := a.Query("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", a.config.Namespace)
	if err := q.WithContext(ctx).Scan(&replication); err != nil && !errors.Is(err, gocql.ErrNotFound) {
		return nil, fmt.Errorf("read its replication: %w", wrap(ctx, err))
	}
	return replication, nil
}

// factorIn returns how often rows are stored in a data center, "" if they aren't.
func factorIn(replication map[string]string, dataCenter string) string {
	if factor, ok := replication[dataCenter]; ok {
		return factor
	}
	return replication["replication_factor"]
}

// checkFactor reports a replication factor that isn't the wanted one, or none.
func (c Config) checkFactor(replication map[string]string, dataCenter string) error {
	switch factor := factorIn(replication, dataCenter); {
	case factor == "":
		return fmt.Errorf("it exists with replication %v, and has no rows in data center %q: alter it, or set BENCH_NAMESPACE", replication, dataCenter)
	case c.Replication > 0 && factor != strconv.Itoa(c.Replication):
		return fmt.Errorf("it exists with replication %v, want CQL_REPLICATION=%d in data center %q: drop it, or set BENCH_NAMESPACE or CQL_REPLICATION",
			replication, c.Replication, dataCenter)
	}
	return nil
}

// createTable creates a table in the keyspace unless it exists, or reports one
// with other columns.
func (a adminSession) createTable(ctx context.Context, table string, schema Schema) error {
	got, err := a.columns(ctx, table)
	if err != nil {
		return err
	}
	if len(got) == 0 {
		if err := a.create(ctx, table, schema); err != nil {
			return err
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

// create creates a table in the keyspace unless there is one of its name.
func (a adminSession) create(ctx context.Context, table string, schema Schema) error {
	version, err := a.version(ctx)
	if err != nil {
		return err
	}
	return a.exec(ctx, schema.create(a.config.Namespace+"."+table, a.config.Dialect.properties(schema, version)))
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
