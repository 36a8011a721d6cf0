// Package fake is a store in memory whose latencies, stalls, failures, losses
// and corruptions are programmed, to prove the engine and the verdicts on.
//
// It does no I/O and waits by timers and channels only, so that under
// testing/synctest a run of hours takes no time and every latency is exact.
package fake

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"kvbench/internal/target"
)

// Config programs a store. The zero Config is a perfect store of no latency.
// The functions are called concurrently.
type Config struct {
	Data    *Data // shared with other stores; nil: empty and of its own
	Columns int   // value columns of a row; 0 is 1

	// Latency is how long a server works on op; nil: no time at all.
	Latency func(op Op) time.Duration

	// Servers is how many operations are worked on at a time; others queue. 0: no limit.
	Servers int

	// Fail returns the error with which op ends after its latency, without
	// an effect, or nil. See [Every] and [Share].
	Fail func(op Op) error

	// Lose says that the write op is acknowledged and forgotten.
	Lose func(op Op) bool

	// Corrupt says that a bit of what the read op returns is wrong.
	Corrupt func(op Op) bool

	// BatchBytes bounds keys and values of a batch; 0 is 1 MiB.
	BatchBytes int
}

// A Kind is a kind of operation.
type Kind int

// The kinds of operations.
const (
	Put Kind = iota
	Get
	GetStale
	PutBatch
	numKinds
)

// An Op is one operation on a store.
type Op struct {
	Kind Kind
	N    int64 // its number among the store's operations of this kind: 0, 1, …
}

// Data are rows. The zero value has none.
type Data struct {
	mu   sync.RWMutex
	rows map[string][][]byte // values are replaced, never changed
}

// A Store is the programmed store.
type Store struct {
	config Config
	data   *Data
	slots  chan struct{} // nil: no limit
	stalls stalls
	seen   [numKinds]atomic.Int64
}

// Open returns a store as programmed.
func Open(c Config) *Store {
	s := &Store{config: c, data: c.Data}
	if s.data == nil {
		s.data = &Data{}
	}
	if c.Servers > 0 {
		s.slots = make(chan struct{}, c.Servers)
	}
	s.config.Columns = max(c.Columns, 1)
	if c.BatchBytes == 0 {
		s.config.BatchBytes = 1 << 20
	}
	return s
}

// Client returns a client. It never fails.
func (s *Store) Client(context.Context) (target.Client, error) { return &client{store: s}, nil }

// Ops returns how many operations of a kind have started.
func (s *Store) Ops(k Kind) int64 { return s.seen[k].Load() }

// Count returns the number of rows.
func (s *Store) Count(context.Context) (int64, error) {
	s.data.mu.RLock()
	defer s.data.mu.RUnlock()
	return int64(len(s.data.rows)), nil
}

// Clear removes all rows.
func (s *Store) Clear(context.Context) error {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	clear(s.data.rows)
	return nil
}

// Close does nothing.
func (s *Store) Close() error { return nil }
