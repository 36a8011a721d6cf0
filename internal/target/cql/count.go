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
		return 0, s.errorf("count: %w", s.config.grant(err))
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
