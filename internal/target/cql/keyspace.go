package cql

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gocql/gocql"
)

// prepare creates the keyspace and the table of c if they aren't there, and
// reports one that is there and differs: a result must not come from another
// table than its configuration lines say. It returns the data center of the
// endpoints, or "" if the system has no use for it.
func prepare(ctx context.Context, c Config) (dataCenter string, err error) {
	admin, err := connect(ctx, c, "", "")
	if err != nil {
		return "", err
	}
	defer admin.Close()
	a := adminSession{admin, c}
	if c.Dialect.replicated {
		if dataCenter, err = a.checkNodes(ctx); err != nil {
			return "", fmt.Errorf("%s: %w", c.Dialect.System, err)
		}
	}
	if err := a.createKeyspace(ctx, dataCenter); err != nil {
		return "", fmt.Errorf("%s keyspace %q: %w", c.Dialect.System, c.Namespace, err)
	}
	if err := a.createTable(ctx); err != nil {
		return "", fmt.Errorf("%s table %q: %w", c.Dialect.System, c.Namespace+"."+c.Table, err)
	}
	return dataCenter, nil
}

// An adminSession is a session outside of any keyspace.
type adminSession struct {
	*session
	config Config
}

// exec executes a statement that changes the schema, and waits until all nodes
// have it: the driver does so, too, but goes on if they don't agree.
func (a adminSession) exec(ctx context.Context, stmt string) error {
	if err := a.Query(stmt).WithContext(ctx).Exec(); err != nil {
		return wrap(ctx, err)
	}
	if err := a.AwaitSchemaAgreement(ctx); err != nil {
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

// checkNodes returns the endpoints' data center, if it has the nodes that the
// replication factor needs, and not more than those it was chosen by.
func (a adminSession) checkNodes(ctx context.Context) (dataCenter string, err error) {
	local, err := a.column(ctx, "SELECT data_center FROM system.local WHERE key = 'local'")
	if err != nil {
		return "", fmt.Errorf("read the data center: %w", err)
	}
	if len(local) != 1 {
		return "", fmt.Errorf("system.local has %d rows, want 1", len(local))
	}
	peers, err := a.column(ctx, "SELECT data_center FROM system.peers")
	if err != nil {
		return "", fmt.Errorf("read the nodes: %w", err)
	}
	nodes := 1
	for _, dc := range peers {
		if dc == local[0] {
			nodes++
		}
	}
	return local[0], a.config.checkReplication(local[0], nodes)
}

// checkReplication reports a replication factor that doesn't fit the number of
// nodes that the data center has.
func (c Config) checkReplication(dataCenter string, nodes int) error {
	if want := c.replication(); want > nodes {
		return fmt.Errorf("CQL_REPLICATION=%d: more copies of a row than nodes: data center %q has %d (with 0 and %d nodes expected: %d copies)",
			c.Replication, dataCenter, nodes, c.Nodes, want)
	}
	if c.Replication == 0 && min(3, nodes) != c.replication() {
		return fmt.Errorf("CQL_REPLICATION=0 means %d for the %d nodes named, but data center %q has %d: name them all or choose a replication factor",
			c.replication(), c.Nodes, dataCenter, nodes)
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

// createKeyspace creates the keyspace, or reports one with another replication factor.
func (a adminSession) createKeyspace(ctx context.Context, dataCenter string) error {
	if err := a.exec(ctx, a.config.keyspaceDDL(dataCenter)); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if !a.config.Dialect.replicated {
		return nil
	}
	var replication map[string]string
	q := a.Query("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", a.config.Namespace)
	if err := q.Consistency(gocql.One).WithContext(ctx).Scan(&replication); err != nil {
		return fmt.Errorf("read its replication: %w", wrap(ctx, err))
	}
	return a.config.checkKeyspace(replication, dataCenter)
}

// checkKeyspace reports a replication factor of an existing keyspace that isn't
// the wanted one.
func (c Config) checkKeyspace(replication map[string]string, dataCenter string) error {
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

// createTable creates the table, or reports one with other columns.
func (a adminSession) createTable(ctx context.Context) error {
	c := a.config
	version, err := a.version(ctx)
	if err != nil {
		return err
	}
	properties := c.Dialect.properties(c.Schema, version)
	if err := a.exec(ctx, c.Schema.create(c.Namespace+"."+c.Table, properties)); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	got, err := a.column(ctx, "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?", c.Namespace, c.Table)
	if err != nil {
		return fmt.Errorf("read its columns: %w", err)
	}
	var want []string
	for _, col := range c.Schema.columns() {
		want = append(want, col.name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it exists with the columns %v, want %v: drop it or set BENCH_NAMESPACE", got, want)
	}
	return nil
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
