package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"kvbench/internal/load"
	"kvbench/internal/target"
	"kvbench/internal/workload"
)

// An Op makes the clients of one kind of operation. The kinds are [Insert],
// [Update], [Get] and [PutBatch].
type Op interface {
	client(table *table, c target.Client, rng *rand.Rand) load.Client
	// name tells kinds of work for the servers apart.
	name() string
	// inserts returns the new rows of each operation.
	inserts() int64
	// probe tries one write, so that a size that the servers refuse is one error
	// before the run and not a run of errors. It writes rows from 0 on: those that
	// are preloaded, or else a store that is cleared before the run.
	probe(ctx context.Context, table *table, c target.Client, rng *rand.Rand) error
}

// Insert writes new rows, row n by operation n.
type Insert struct{}

// Update writes rows that are there, drawn from Keys.
type Update struct{ Keys workload.Distribution }

// Get reads rows whose write was acknowledged, drawn from Keys.
type Get struct {
	Keys  workload.Distribution
	Stale bool // without a quorum
}

// PutBatch writes Rows new rows in one request.
type PutBatch struct{ Rows int }

func (Insert) name() string   { return "insert" }
func (Update) name() string   { return "update" }
func (PutBatch) name() string { return "batch" }
func (g Get) name() string {
	if g.Stale {
		return "stale get"
	}
	return "get"
}

func (Insert) inserts() int64     { return 1 }
func (Update) inserts() int64     { return 0 }
func (Get) inserts() int64        { return 0 }
func (p PutBatch) inserts() int64 { return int64(p.Rows) }

func (Insert) client(t *table, c target.Client, rng *rand.Rand) load.Client {
	return &insertClient{table: t, client: c, rng: rng, row: t.rows.buffer()}
}

func (u Update) client(t *table, c target.Client, rng *rand.Rand) load.Client {
	return &updateClient{table: t, client: c, rng: rng, keys: u.Keys, row: t.rows.buffer()}
}

func (g Get) client(t *table, c target.Client, rng *rand.Rand) load.Client {
	get := c.Get
	if g.Stale {
		get = c.(target.StaleGetter).GetStale
	}
	return &getClient{table: t, get: get, rng: rng, keys: g.Keys, row: t.rows.buffer()}
}

func (p PutBatch) client(t *table, c target.Client, rng *rand.Rand) load.Client {
	b := &batchClient{table: t, batcher: c.(target.Batcher), rng: rng, rows: make([]target.Row, p.Rows)}
	for i := range b.rows {
		b.rows[i] = t.rows.buffer()
	}
	return b
}

type insertClient struct {
	table  *table
	client target.Client
	rng    *rand.Rand
	row    target.Row
	n      int64
}

func (c *insertClient) Prepare(n int64) {
	c.n = c.table.first + n
	c.table.rows.fill(&c.row, c.n, c.rng)
}

func (c *insertClient) Do(ctx context.Context) error { return c.client.Put(ctx, c.row) }

func (c *insertClient) Done(err error) error {
	c.table.settle(c.n, 1, err)
	return err
}

type updateClient struct {
	table  *table
	client target.Client
	rng    *rand.Rand
	keys   workload.Distribution
	row    target.Row
	update update
}

func (c *updateClient) Prepare(int64) {
	n := c.keys.Next(c.rng, c.table.first)
	c.table.rows.fill(&c.row, n, c.rng)
	c.table.updates.begin(&c.update, n, c.row)
}

func (c *updateClient) Do(ctx context.Context) error { return c.client.Put(ctx, c.row) }

func (c *updateClient) Done(err error) error {
	c.table.updates.end(&c.update, err)
	return err
}

type getClient struct {
	table *table
	get   func(context.Context, target.Row) error
	rng   *rand.Rand
	keys  workload.Distribution
	row   target.Row
	n     int64
}

func (c *getClient) Prepare(int64) {
	c.n, _ = c.table.acked.Draw(c.keys, c.rng) // there is always one: reads need a preload
	c.row.Key = c.table.rows.Keys.Append(c.row.Key[:0], c.n)
}

func (c *getClient) Do(ctx context.Context) error { return c.get(ctx, c.row) }

func (c *getClient) Done(err error) error {
	if err != nil {
		return err
	}
	return c.table.rows.check(c.row, c.n)
}

type batchClient struct {
	table   *table
	batcher target.Batcher
	rng     *rand.Rand
	rows    []target.Row
	n       int64 // of its first row
}

func (c *batchClient) Prepare(n int64) {
	c.n = c.table.first + n*int64(len(c.rows))
	for i := range c.rows {
		c.table.rows.fill(&c.rows[i], c.n+int64(i), c.rng)
	}
}

func (c *batchClient) Do(ctx context.Context) error { return c.batcher.PutBatch(ctx, c.rows) }

func (c *batchClient) Done(err error) error {
	c.table.settle(c.n, int64(len(c.rows)), err)
	return err
}

func (Insert) probe(ctx context.Context, t *table, c target.Client, rng *rand.Rand) error {
	return probeRow(ctx, t, c, rng)
}

func (Update) probe(ctx context.Context, t *table, c target.Client, rng *rand.Rand) error {
	return probeRow(ctx, t, c, rng)
}

func (Get) probe(context.Context, *table, target.Client, *rand.Rand) error { return nil }

// tried says what failed when one write was tried, by its size if that is why.
func tried(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, target.ErrTooLarge):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("a first write, to see whether the servers take it: %w", err)
}

func probeRow(ctx context.Context, t *table, c target.Client, rng *rand.Rand) error {
	row := t.rows.buffer()
	t.rows.fill(&row, 0, rng)
	what := fmt.Sprintf("one row of %d bytes (KV_VALUE_SIZE, KV_MIXED_VALUE_SIZE × KV_COLUMNS, COORD_VALUE_SIZE)", size(row))
	return tried(what, c.Put(ctx, row))
}

func (p PutBatch) probe(ctx context.Context, t *table, c target.Client, rng *rand.Rand) error {
	b := p.client(t, c, rng).(*batchClient)
	bytes := 0
	for i := range b.rows {
		t.rows.fill(&b.rows[i], int64(i), rng)
		bytes += size(b.rows[i])
	}
	err := b.batcher.CheckBatch(b.rows)
	if err == nil {
		err = b.Do(ctx)
	}
	return tried(fmt.Sprintf("a batch of %d rows, %d bytes (BATCH_ROWS, BATCH_VALUE_SIZE)", p.Rows, bytes), err)
}

// size returns the bytes of a row's key and values.
func size(row target.Row) int {
	n := len(row.Key)
	for _, v := range row.Values {
		n += len(v)
	}
	return n
}
