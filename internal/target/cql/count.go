package cql

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"kvbench/internal/target"

	"golang.org/x/sync/errgroup"
)

const (
	// countRanges and countWorkers are into how many ranges of the hash function
	// a count is cut, so that none takes long, and how many are counted at once.
	countRanges  = 64
	countWorkers = 8

	// countPatience is how long the count of one range may take before the range
	// is cut into countSplit.
	countPatience = 30 * time.Second
	countSplit    = 8
)

// A hashRange is a range of results of the hash function, both ends included.
type hashRange struct{ first, last int64 }

// split cuts r into at most n ranges that follow each other; n is at least 2.
func (r hashRange) split(n int) []hashRange {
	var parts []hashRange
	last := uint64(r.last) - uint64(r.first) // of offsets from r.first
	step := last/uint64(n) + 1
	for from := uint64(0); ; from += step {
		first := int64(uint64(r.first) + from)
		if last-from < step {
			return append(parts, hashRange{first, r.last})
		}
		parts = append(parts, hashRange{first, int64(uint64(first) + step - 1)})
	}
}

// Count returns the number of rows, counted by the servers range by range: a
// count of a large table in one query times out. It sees each row whose write
// was acknowledged: after writes at less than a quorum it asks all replicas.
func (s *Store) Count(ctx context.Context) (int64, error) {
	var total atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(countWorkers)
	d := s.config.Dialect
	for _, r := range (hashRange{d.hashMin, d.hashMax}).split(countRanges) {
		group.Go(func() error {
			n, err := s.countRange(ctx, r)
			total.Add(n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, s.errorf("count: %w", err)
	}
	return total.Load(), nil
}

// countRange counts the rows in r, in parts if it takes too long as a whole.
func (s *Store) countRange(ctx context.Context, r hashRange) (int64, error) {
	rows, err := s.countQuery(ctx, r)
	if !errors.Is(err, target.ErrTimeout) || ctx.Err() != nil || r.first == r.last {
		return rows, err
	}
	rows = 0
	for _, part := range r.split(countSplit) {
		n, err := s.countRange(ctx, part)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	return rows, nil
}

// countQuery counts the rows in r with one query.
func (s *Store) countQuery(ctx context.Context, r hashRange) (rows int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, countPatience)
	defer cancel()
	stmt := s.config.Schema.count(s.config.Table, s.config.Dialect.hash)
	q := s.session.Query(stmt, r.first, r.last).Consistency(s.countLevel).WithContext(ctx)
	return rows, wrap(ctx, q.Scan(&rows))
}

// truncations is how often Clear truncates at the most. A replica may be about to
// apply writes that the others have acknowledged, and then holds them afterwards.
const truncations = 5

// Clear removes all rows: TRUNCATE, which needs all nodes, then a look that none
// is left. Cassandra since 5.0 is told to leave no snapshot behind; where the
// servers make one, it is theirs to remove.
func (s *Store) Clear(ctx context.Context) error {
	for range truncations {
		if err := s.session.Query("TRUNCATE " + s.config.Table).WithContext(ctx).Exec(); err != nil {
			return s.errorf("truncate: %w", wrap(ctx, err))
		}
		empty, err := s.isEmpty(ctx)
		if err != nil {
			return s.errorf("look after truncate: %w", err)
		}
		if empty {
			return nil
		}
	}
	return s.errorf("there are rows after %d truncates: does anybody else write to it?", truncations)
}

// isEmpty reports whether no row is seen, at the level at which rows are counted.
func (s *Store) isEmpty(ctx context.Context) (bool, error) {
	look := "SELECT " + s.config.Schema.key[0].name + " FROM " + s.config.Table + " LIMIT 1"
	iter := s.session.Query(look).Consistency(s.countLevel).WithContext(ctx).Iter()
	rows := iter.NumRows()
	return rows == 0, wrap(ctx, iter.Close())
}
