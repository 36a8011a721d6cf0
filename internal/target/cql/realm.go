package cql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gocql/gocql"

	"kvbench/internal/target"
)

// markTable is the table in the keyspace that is its mark, and that holds notes.
// If the suite made the keyspace it holds a row that says so: what somebody else
// made is never dropped.
const markTable = "kvbench"

// made is the name of that row.
const made = "made by the suite"

// markSchema is the shape of the table.
func markSchema() Schema {
	return Schema{key: []column{{"name", "text", ""}}, values: []column{{"value", "text", ""}}}
}

// A Realm is a keyspace with the table that is its mark.
type Realm struct {
	adminSession
	given Config // as it was, without defaults
}

var _ target.Realm = Realm{}

// OpenRealm connects to the endpoints.
func OpenRealm(ctx context.Context, c Config) (Realm, error) {
	given := c
	setDefault(&c.Table, markTable) // of no interest
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return Realm{}, err
	}
	a, err := administer(ctx, c)
	return Realm{a, given}, err
}

// errorf makes an error that says which keyspace of which system it is about.
func (a adminSession) errorf(what string, err error) error {
	return fmt.Errorf("%s keyspace %q: %s: %w", a.config.Dialect.System, a.config.Namespace, what, a.config.explain(err))
}

// mark returns the name of the mark's table with its keyspace.
func (a adminSession) mark() string { return a.config.Namespace + "." + markTable }

// Claim implements [target.Realm]. An empty keyspace is somebody's, too, as one is
// whose maker, perhaps the suite, was stopped before it was marked.
func (r Realm) Claim(ctx context.Context) error {
	_, err := r.claim(ctx)
	return err
}

// claim is Claim, and returns the endpoints' data center, if the system has any.
func (a adminSession) claim(ctx context.Context) (dataCenter string, err error) {
	if a.config.Dialect.replicated || a.config.DataCenter != "" {
		if dataCenter, a.config.Nodes, err = a.checkNodes(ctx); err != nil {
			return "", fmt.Errorf("%s: %w", a.config.Dialect.System, err)
		}
	}
	there, marked, _, err := a.look(ctx)
	switch {
	case err != nil:
		return "", a.errorf("look for it", err)
	case !there:
		return dataCenter, a.makeKeyspace(ctx, dataCenter)
	case !marked:
		return "", a.foreign()
	}
	return dataCenter, a.take(ctx, dataCenter)
}

// take checks a keyspace that is marked, and its mark.
func (a adminSession) take(ctx context.Context, dataCenter string) error {
	if err := a.checkKeyspace(ctx, dataCenter); err != nil {
		return a.errorf("check", err)
	}
	if err := a.createTable(ctx, markTable, markSchema()); err != nil {
		return a.errorf("mark it", err)
	}
	return nil
}

// makeKeyspace creates the keyspace with its mark. If somebody else has created it since
// the look it is the suite's only if they have marked it.
func (a adminSession) makeKeyspace(ctx context.Context, dataCenter string) error {
	err := a.exec(ctx, a.config.keyspaceDDL(dataCenter))
	if alreadyExists(err) {
		switch _, marked, _, err := a.look(ctx); {
		case err != nil:
			return a.errorf("look for it", err)
		case !marked:
			return a.foreign()
		}
		return a.take(ctx, dataCenter)
	}
	if err != nil {
		return a.errorf("make it", err)
	}
	if err := a.createTable(ctx, markTable, markSchema()); err != nil {
		return a.errorf("mark it", err)
	}
	return Realm{adminSession: a}.SetNote(ctx, made, "yes")
}

// look returns whether the keyspace is there, whether it is marked, and the names
// of its other tables.
func (a adminSession) look(ctx context.Context) (there, marked bool, tables []string, err error) {
	names, err := a.column(ctx, "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?", a.config.Namespace)
	if err != nil || len(names) == 0 {
		return false, false, nil, err
	}
	tables, err = a.column(ctx, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", a.config.Namespace)
	marked = slices.Contains(tables, markTable)
	return true, marked, slices.DeleteFunc(tables, func(name string) bool { return name == markTable }), err
}

// foreign is the error for a keyspace without the mark.
func (a adminSession) foreign() error {
	return fmt.Errorf("%s keyspace %q is %w: set BENCH_NAMESPACE to another name; or, if it was made for the suite, mark it: CREATE TABLE %s (name text PRIMARY KEY, value text)",
		a.config.Dialect.System, a.config.Namespace, target.ErrForeign, a.mark())
}

// Others implements [target.Realm].
func (r Realm) Others(ctx context.Context) (string, error) {
	all, err := r.column(ctx, "SELECT keyspace_name FROM system_schema.keyspaces")
	if err != nil {
		return "", r.errorf("look for others", err)
	}
	for _, name := range all {
		if r.config.Dialect.isSystem(name) {
			continue
		}
		marked, err := r.column(ctx, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", name, markTable)
		if err != nil {
			return "", r.errorf("look for others", err)
		}
		if len(marked) == 0 {
			return fmt.Sprintf("keyspace %q", name), nil
		}
	}
	return "", nil
}

// Settings returns those of the Config, where the endpoints are, and how often rows
// are stored in the keyspace: in one that exists, or as it would be made.
func (r Realm) Settings(ctx context.Context) ([]target.Setting, error) {
	lines := r.given.Settings()
	if !r.config.Dialect.replicated {
		return lines, nil
	}
	dataCenter, nodes, err := r.checkNodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.config.Dialect.System, err)
	}
	replication, err := r.readReplication(ctx)
	if err != nil {
		return nil, r.errorf("look for it", err)
	}
	counted := r.config
	counted.Nodes = nodes
	factor := strconv.Itoa(counted.replication())
	if replication != nil {
		factor = factorIn(replication, dataCenter)
	}
	for i := range lines {
		if lines[i].Key == replicationKey {
			lines[i].Value = factor
		}
	}
	return append(lines, target.Setting{Key: r.config.Dialect.System + "-data-center", Value: dataCenter}), nil
}

// Note implements [target.Realm].
func (r Realm) Note(ctx context.Context, name string) (text string, err error) {
	columns, err := r.columns(ctx, markTable)
	if err != nil || len(columns) == 0 {
		return "", err
	}
	err = r.Query("SELECT value FROM "+r.mark()+" WHERE name = ?", name).WithContext(ctx).Scan(&text)
	if errors.Is(err, gocql.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", r.errorf("read a note", wrap(ctx, err))
	}
	return text, nil
}

// SetNote implements [target.Realm].
func (r Realm) SetNote(ctx context.Context, name, text string) error {
	stmt, args := "INSERT INTO "+r.mark()+" (name, value) VALUES (?, ?)", []any{name, text}
	if text == "" {
		stmt, args = "DELETE FROM "+r.mark()+" WHERE name = ?", args[:1]
	}
	// By the servers' time: a client's clock that is behind would write for nobody.
	if err := r.Query(stmt, args...).DefaultTimestamp(false).WithContext(ctx).Exec(); err != nil {
		return r.errorf("write a note", wrap(ctx, err))
	}
	return nil
}

// Drop implements [target.Realm].
func (r Realm) Drop(ctx context.Context) error {
	there, marked, tables, err := r.look(ctx)
	switch {
	case err != nil:
		return r.errorf("look for it", err)
	case !there:
		return nil
	case !marked:
		return r.foreign()
	}
	own, err := r.Note(ctx, made)
	if err != nil {
		return err
	}
	if own != "" {
		if err := r.exec(ctx, "DROP KEYSPACE "+r.config.Namespace); err != nil {
			return r.errorf("drop it", err)
		}
		return nil
	}
	for _, table := range append(tables, markTable) {
		if err := r.Query("TRUNCATE " + r.config.Namespace + "." + table).WithContext(ctx).Exec(); err != nil {
			return r.errorf(fmt.Sprintf("empty table %q", table), wrap(ctx, err))
		}
	}
	return nil
}

// Close implements [target.Realm].
func (r Realm) Close() error {
	r.session.Close()
	return nil
}
