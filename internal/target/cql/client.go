package cql

import (
	"context"
	"fmt"

	"kvbench/internal/target"

	"github.com/gocql/gocql"
)

var (
	_ target.Client  = (*client)(nil)
	_ target.Batcher = (*client)(nil)
)

// A client owns the driver's query objects and the memory that carries
// parameters and results, so that an operation allocates nothing of ours.
type client struct {
	store  *Store
	schema Schema

	put, get statement
	row      params // of put
	key      params // of get
	results  params // values read
	dest     []any  // where the driver puts a row: nothing for key columns, then results

	batch batch
}

func newClient(s *Store) *client {
	schema, table := s.config.Schema, s.config.Table
	bound := len(schema.bound())
	c := &client{
		store:   s,
		schema:  schema,
		put:     statement{base: s.session.Query(schema.insert(table))},
		get:     statement{base: s.session.Query(schema.read(table))},
		row:     newParams(bound + len(schema.values)),
		key:     newParams(bound),
		results: newParams(len(schema.values)),
		batch:   batch{base: s.session.NewBatch(s.batchType()), insert: schema.insert(table)},
	}
	c.dest = append(make([]any, len(schema.key)), c.results.args...)
	return c
}

// Put writes a row: INSERT.
func (c *client) Put(ctx context.Context, row target.Row) error {
	if err := c.check(row); err != nil {
		return err
	}
	partition, _ := c.schema.cut(row.Key)
	c.bind(c.row, row)
	err := c.put.in(ctx).Bind(c.row.args...).RoutingKey(partition).Exec()
	c.row.forget()
	return wrap(ctx, err)
}

// Get reads a row: SELECT by primary key.
func (c *client) Get(ctx context.Context, row target.Row) error {
	if err := c.check(row); err != nil {
		return err
	}
	partition, clustering := c.schema.cut(row.Key)
	c.key.setKey(partition, clustering)
	for i, v := range row.Values {
		c.results.cells[i] = v
	}
	iter := c.get.in(ctx).Bind(c.key.args...).RoutingKey(partition).Iter()
	rows := iter.NumRows()
	iter.Scan(c.dest...)
	err := iter.Close()
	for i := range row.Values {
		row.Values[i] = c.results.cells[i]
	}
	c.key.forget()
	c.results.forget()
	switch {
	case err != nil:
		return wrap(ctx, err)
	case rows == 0:
		return target.ErrNotFound
	case rows > 1:
		return fmt.Errorf("%w: key %q has %d rows, want 1", target.ErrCorrupt, row.Key, rows)
	}
	return nil
}

// Close does nothing: a client has no session of its own.
func (c *client) Close() error { return nil }

// bind puts row into p, the parameters of an insert.
func (c *client) bind(p params, row target.Row) {
	n := p.setKey(c.schema.cut(row.Key))
	for i, v := range row.Values {
		p.cells[n+i] = v
	}
}

// check reports a row of another shape than the table's.
func (c *client) check(row target.Row) error {
	if len(row.Values) != len(c.schema.values) {
		return c.store.errorf("a row with %d values, want %d", len(row.Values), len(c.schema.values))
	}
	return nil
}

// A statement is a query that is executed again and again. The driver binds a
// query to a context by copying it, and the engine's contexts serve many
// operations, so the copy for the latest context is kept.
type statement struct {
	base *gocql.Query
	ctx  context.Context
	copy *gocql.Query
}

// in returns the query for ctx.
func (s *statement) in(ctx context.Context) *gocql.Query {
	if s.copy == nil || s.ctx != ctx {
		s.ctx, s.copy = ctx, s.base.WithContext(ctx)
	}
	return s.copy
}
