package suite

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"kvbench/internal/target"
	"kvbench/internal/workload"
)

// Rows are the rows of a table: what row number n looks like.
type Rows struct {
	Keys    Keys
	Columns int // value columns; 0 is 1
	Values  Values
}

// Keys spell the numbers of rows.
type Keys interface {
	// Append appends the key of row n to dst.
	Append(dst []byte, n int64) []byte
}

// PartitionKeys are keys of rows that lie in one partition as many at a time:
// partition and row in it, separated by a colon (see cql.Partitioned).
type PartitionKeys struct{ Rows int64 }

// Append implements [Keys].
func (p PartitionKeys) Append(dst []byte, n int64) []byte {
	dst = strconv.AppendInt(dst, n/p.Rows, 10)
	return strconv.AppendInt(append(dst, ':'), n%p.Rows, 10)
}

// Values make and check the values of rows.
type Values interface {
	// Append appends a value for row n to dst.
	Append(dst []byte, n int64, r *rand.Rand) []byte
	// Check reports whether value can be row n's.
	Check(n int64, value []byte) error
}

// PoolValues are values picked from a pool.
type PoolValues struct{ *workload.Pool }

// Append implements [Values].
func (p PoolValues) Append(dst []byte, _ int64, r *rand.Rand) []byte {
	return append(dst, p.Pick(r)...)
}

// Check implements [Values]. A pool's value doesn't know its row.
func (p PoolValues) Check(_ int64, value []byte) error { return p.Pool.Check(value) }

// buffer returns an empty row to be filled again and again.
func (r Rows) buffer() target.Row {
	return target.Row{Values: make([][]byte, max(1, r.Columns))}
}

// fill makes row the one with number n.
func (r Rows) fill(row *target.Row, n int64, rng *rand.Rand) {
	row.Key = r.Keys.Append(row.Key[:0], n)
	for i := range row.Values {
		row.Values[i] = r.Values.Append(row.Values[i][:0], n, rng)
	}
}

// check reports whether row can be the one with number n, with an error that
// wraps [target.ErrCorrupt].
func (r Rows) check(row target.Row, n int64) error {
	for i, v := range row.Values {
		if err := r.Values.Check(n, v); err != nil {
			return fmt.Errorf("%w: key %q, column %d: %w", target.ErrCorrupt, row.Key, i, err)
		}
	}
	return nil
}

// KeyValues are the rows of yb-sample-apps: keys "key:<n>", and values that check
// themselves, of size bytes of which a share compresses away.
func KeyValues(size int, compressible float64, seed uint64) (Rows, error) {
	values, err := workload.NewValues(size, compressible, seed)
	if err != nil {
		return Rows{}, err
	}
	return Rows{Keys: workload.YCQLKeys(), Values: values}, nil
}
