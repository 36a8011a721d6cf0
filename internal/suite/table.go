package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"kvbench/internal/load"
	"kvbench/internal/record"
	"kvbench/internal/report"
	"kvbench/internal/target"
	"kvbench/internal/verdict"
	"kvbench/internal/workload"
)

// A table is a store, and what is known of its rows: those below first were
// there when the run began, later ones are new.
type table struct {
	rows    Rows
	store   target.Store
	first   int64
	acked   *workload.Acked
	updates *updates
}

// newTable returns a table whose rows below first are acknowledged.
func newTable(rows Rows, store target.Store, first int64) *table {
	return &table{rows: rows, store: store, first: first, acked: workload.NewAcked(first), updates: newUpdates()}
}

// settle takes down the outcome of writing count new rows from n on.
func (t *table) settle(n, count int64, err error) {
	if err == nil {
		t.acked.AckRange(n, count)
	} else {
		t.acked.FailRange(n, count)
	}
}

// preload writes the rows below t.first, in closed loop if arrivals is nil, and
// leaves when the servers count as many. Not one write may fail.
func (t *table) preload(ctx context.Context, clients []target.Client, arrivals load.Arrivals, base load.Plan) error {
	fresh := newTable(t.rows, t.store, 0)
	g := load.Group{Ops: t.first, Arrivals: arrivals, Recorder: record.New(record.Config{Kind: "preload", Clients: len(clients), OpenLoop: arrivals != nil})}
	for i, c := range clients {
		g.Clients = append(g.Clients, Insert{}.client(fresh, c, workload.Rand(base.Seed, "preload", i)))
	}
	base.Groups, base.Every = []load.Group{g}, warmInterval
	base.OnInterval = func(is []record.Interval) bool { return is[0].Counts.Errors() > 0 }
	res, err := load.Run(ctx, base)
	if err != nil {
		return err
	}
	if c := &res.Summaries[0].Counts; c.Errors() > 0 {
		return fmt.Errorf("%d of %d writes failed: %s", c.Errors(), c.Ops(), report.Failures(c))
	}
	count, err := t.count(ctx, t.first)
	if err == nil && count != t.first {
		err = fmt.Errorf("the store holds %d rows, want %d", count, t.first)
	}
	if err != nil {
		return err
	}
	return nil
}

// Limits of what servers do to a whole table: the time of a stall, and 20 µs a
// row, several times what counting or removing one takes.
const (
	tableStall   = time.Minute
	tablePerRow  = 20 * time.Microsecond
	clearAtLeast = 3_000_000 // rows that an earlier run may have left
)

// count returns the number of rows, which is expected to be about so many.
func (t *table) count(ctx context.Context, about int64) (int64, error) {
	ctx, cancel := tableLimit(ctx, about)
	defer cancel()
	n, err := t.store.Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count rows: %w", err)
	}
	return n, nil
}

// clear removes all rows.
func (t *table) clear(ctx context.Context) error {
	ctx, cancel := tableLimit(ctx, clearAtLeast)
	defer cancel()
	if err := t.store.Clear(ctx); err != nil {
		return fmt.Errorf("remove rows: %w", err)
	}
	return nil
}

func tableLimit(ctx context.Context, rows int64) (context.Context, context.CancelFunc) {
	limit := tableStall + time.Duration(rows)*tablePerRow
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("the servers did not do it within %v", limit))
}

// answers reports whether the servers still do within the deadline of one
// operation, before they are asked for what takes long.
func (t *table) answers(ctx context.Context, c target.Client, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	row := t.rows.buffer()
	row.Key = t.rows.Keys.Append(row.Key, 0)
	if err := c.Get(ctx, row); err != nil && !errors.Is(err, target.ErrNotFound) {
		return fmt.Errorf("the servers don't answer: %w", err)
	}
	return nil
}

// sampled is the number of acknowledged rows that are read back after a run: a
// loss of one row in a hundred is found with a probability of 1 − 0.99^1000.
const sampled = 1000

// readBack reads acknowledged new rows and checks their values: all of [first,
// first+count) if they are few, else one drawn at random from each of as many
// equal parts as are read. Each read has the given deadline.
func (t *table) readBack(ctx context.Context, c target.Client, count int64, rng *rand.Rand, timeout time.Duration) (verdict.Lost, error) {
	r := reader{table: t, client: c, timeout: timeout, row: t.rows.buffer()}
	parts := min(sampled, count)
	for i := range parts {
		from, to := i*count/parts, (i+1)*count/parts
		n := t.first + from + rng.Int64N(to-from)
		if !t.acked.Readable(n) {
			continue
		}
		if err := r.read(ctx, n, t.check); err != nil {
			return r.lost, err
		}
	}
	return r.lost, nil
}

// check reports whether row can be the one with number n.
func (t *table) check(n int64, row target.Row) error { return t.rows.check(row, n) }

// A reader reads rows after a run and takes down what was lost.
type reader struct {
	table   *table
	client  target.Client
	timeout time.Duration
	row     target.Row
	lost    verdict.Lost
}

// read reads row n and checks it. It fails if the row can't be read.
func (r *reader) read(ctx context.Context, n int64, check func(int64, target.Row) error) error {
	r.row.Key = r.table.rows.Keys.Append(r.row.Key[:0], n)
	err := getWithin(ctx, r.timeout, r.client, r.row)
	if err == nil {
		err = check(n, r.row)
	}
	r.lost.Read++
	switch {
	case err == nil:
		return nil
	case errors.Is(err, target.ErrNotFound):
		r.lost.Missing++
	case errors.Is(err, target.ErrCorrupt):
		r.lost.Wrong++
	default:
		return fmt.Errorf("read back key %q: %w", r.row.Key, err)
	}
	if r.lost.First == nil {
		r.lost.First = fmt.Errorf("key %q: %w", r.row.Key, err)
	}
	return nil
}

// attempts is how often a row is read back at the most. A read that fails says
// nothing about what was written, and nothing is measured any more.
const attempts = 5

// getWithin reads a row, each attempt with a deadline.
func getWithin(ctx context.Context, timeout time.Duration, c target.Client, row target.Row) (err error) {
	for range attempts {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		err = c.Get(ctx, row)
		cancel()
		if err == nil || errors.Is(err, target.ErrNotFound) || errors.Is(err, target.ErrCorrupt) {
			return err
		}
	}
	return err
}
