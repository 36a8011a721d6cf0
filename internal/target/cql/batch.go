package cql

import (
	"context"
	"fmt"

	"kvbench/internal/target"

	"github.com/gocql/gocql"
)

// A batch is a client's batch object, which is bound to a context and filled
// anew for each request, and the parameters of its rows.
type batch struct {
	base    *gocql.Batch
	ctx     context.Context
	copy    *gocql.Batch
	insert  string
	rows    []params
	entries []gocql.BatchEntry // one for each of rows
}

// in returns the batch for ctx with n entries, and their parameters.
func (b *batch) in(ctx context.Context, n, width int) (*gocql.Batch, []params) {
	for len(b.rows) < n {
		p := newParams(width)
		b.rows = append(b.rows, p)
		b.entries = append(b.entries, gocql.BatchEntry{Stmt: b.insert, Args: p.args, Idempotent: true})
	}
	if b.copy == nil || b.ctx != ctx {
		b.ctx, b.copy = ctx, b.base.WithContext(ctx)
	}
	b.copy.Entries = b.entries[:n]
	return b.copy, b.rows[:n]
}

// batchType is the driver's name for the configured kind of batch.
func (s *Store) batchType() gocql.BatchType {
	if s.config.Batch == "unlogged" {
		return gocql.UnloggedBatch
	}
	return gocql.LoggedBatch
}

// CheckBatch knows only the protocol's limit of statements. The limit of bytes
// (Cassandra: batch_size_fail_threshold, 50 KiB by default; ScyllaDB: 1 MiB) is a
// setting of the servers, who count in ways of their own: ask them with a PutBatch.
func (c *client) CheckBatch(rows []target.Row) error {
	if len(rows) == 0 {
		return c.store.errorf("a batch of 0 rows")
	}
	if len(rows) > batchMax {
		return fmt.Errorf("%w: a batch of %d rows, the CQL protocol allows %d", target.ErrTooLarge, len(rows), batchMax)
	}
	for _, row := range rows {
		if err := c.check(row); err != nil {
			return err
		}
	}
	return nil
}

// PutBatch writes rows: BATCH. Its coordinator is a node that holds the first row.
func (c *client) PutBatch(ctx context.Context, rows []target.Row) error {
	if err := c.CheckBatch(rows); err != nil {
		return err
	}
	b, params := c.batch.in(ctx, len(rows), len(c.row.cells))
	for i, row := range rows {
		c.bind(params[i], row)
	}
	err := c.store.session.ExecuteBatch(b)
	for i := range params {
		params[i].forget()
	}
	return wrap(ctx, err)
}
