package fake

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"kvbench/internal/target"
)

// A client performs operations on the store. It has no state but a timer.
type client struct {
	store *Store
	timer *time.Timer // nil until the first wait
}

var (
	_ target.Batcher     = (*client)(nil)
	_ target.StaleGetter = (*client)(nil)
)

func (c *client) Put(ctx context.Context, row target.Row) error {
	op, err := c.serve(ctx, Put)
	if err != nil || c.store.says(c.store.config.Lose, op) {
		return err
	}
	return c.store.data.write(c.store.config.Columns, row)
}

func (c *client) PutBatch(ctx context.Context, rows []target.Row) error {
	op, err := c.serve(ctx, PutBatch)
	if err != nil {
		return err
	}
	if err := c.CheckBatch(rows); err != nil {
		return err
	}
	if c.store.says(c.store.config.Lose, op) {
		return nil
	}
	return c.store.data.write(c.store.config.Columns, rows...)
}

func (c *client) CheckBatch(rows []target.Row) error {
	size := 0
	for _, row := range rows {
		size += len(row.Key)
		for _, v := range row.Values {
			size += len(v)
		}
	}
	if limit := c.store.config.BatchBytes; size > limit {
		return fmt.Errorf("fake: batch of %d bytes, limit %d: %w", size, limit, target.ErrTooLarge)
	}
	return nil
}

func (c *client) Get(ctx context.Context, row target.Row) error { return c.read(ctx, Get, row) }

func (c *client) GetStale(ctx context.Context, row target.Row) error {
	return c.read(ctx, GetStale, row)
}

func (c *client) read(ctx context.Context, kind Kind, row target.Row) error {
	op, err := c.serve(ctx, kind)
	if err != nil {
		return err
	}
	if err := c.store.data.read(row); err != nil {
		return err
	}
	if c.store.says(c.store.config.Corrupt, op) {
		corrupt(row.Values)
	}
	return nil
}

func (c *client) Close() error { return nil }

// serve waits as long as a server works on an operation, and fails if it is to.
func (c *client) serve(ctx context.Context, kind Kind) (Op, error) {
	s := c.store
	op := Op{Kind: kind, N: s.seen[kind].Add(1) - 1}
	if err := ctx.Err(); err != nil {
		return op, fmt.Errorf("fake: %w", err)
	}
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return op, fmt.Errorf("fake: %w", ctx.Err())
		}
	}
	var work time.Duration
	if s.config.Latency != nil {
		work = s.config.Latency(op)
	}
	if err := c.work(ctx, work); err != nil {
		return op, fmt.Errorf("fake: %w", err)
	}
	if s.config.Fail != nil {
		return op, s.config.Fail(op)
	}
	return op, nil
}

// says asks one of the yes-or-no programs.
func (s *Store) says(program func(Op) bool, op Op) bool { return program != nil && program(op) }

// write stores copies of rows, all or none.
func (d *Data) write(columns int, rows ...target.Row) error {
	for _, row := range rows {
		if len(row.Values) != columns {
			return fmt.Errorf("fake: row %q has %d values, want %d", row.Key, len(row.Values), columns)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows == nil {
		d.rows = make(map[string][][]byte)
	}
	for _, row := range rows {
		values := make([][]byte, len(row.Values))
		for i, v := range row.Values {
			values[i] = bytes.Clone(v)
		}
		d.rows[string(row.Key)] = values
	}
	return nil
}

// read copies the row of row.Key.
func (d *Data) read(row target.Row) error {
	d.mu.RLock()
	values, ok := d.rows[string(row.Key)]
	d.mu.RUnlock()
	if !ok {
		return fmt.Errorf("fake: key %q: %w", row.Key, target.ErrNotFound)
	}
	if len(row.Values) != len(values) {
		return fmt.Errorf("fake: row %q has %d values, not %d", row.Key, len(values), len(row.Values))
	}
	for i, v := range values {
		row.Values[i] = append(row.Values[i][:0], v...)
	}
	return nil
}

// corrupt flips a bit in the middle of the first value that has any.
func corrupt(values [][]byte) {
	for _, v := range values {
		if len(v) > 0 {
			v[len(v)/2] ^= 0x10
			return
		}
	}
}
