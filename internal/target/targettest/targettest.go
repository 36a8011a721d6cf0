// Package targettest is the one contract test that every adapter of package
// target passes, each against real servers of its system.
package targettest

import (
	"context"
	"testing"
	"time"

	"kvbench/internal/target"
)

// Options say what a system can be asked for.
type Options struct {
	Columns int // value columns of the store; 0 is 1

	// Pause makes the servers accept requests without replying, until resume
	// is called (SIGSTOP and SIGCONT). Nil leaves stalled servers untested.
	Pause func() (resume func())

	// Break makes the servers unreachable until mend is called: connections
	// are lost and new ones refused (see [Proxy]). Nil leaves that untested.
	Break func() (mend func())
}

// patience is how long the test waits for what must happen at all before it
// says that it doesn't.
const patience = 60 * time.Second

// suite is what the parts of the test share.
type suite struct {
	open    func(t *testing.T) target.Store
	opts    Options
	columns int
}

// Test runs the contract test. The stores that open returns share one table of
// which the test is the only user; each is closed by the test.
func Test(t *testing.T, open func(t *testing.T) target.Store, opts Options) {
	s := &suite{open: open, opts: opts, columns: max(opts.Columns, 1)}
	for _, part := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"a row that was put is read back, whatever its bytes", s.roundTrip},
		{"a put replaces the row of the same key", s.overwrite},
		{"a row that isn't there is ErrNotFound", s.notFound},
		{"the client keeps none of the caller's memory and hands out none of its own", s.memory},
		{"a read reuses the capacity of the row's values", s.capacity},
		{"a stale read finds what was written long enough ago", s.stale},
		{"the count is exact", s.count},
		{"clear empties the store, again and again", s.clear},
		{"rows stay when the store is closed", s.reopen},
		{"clients work concurrently", s.concurrent},
		{"a batch writes all of its rows", s.batch},
		{"a batch that is too large is ErrTooLarge and does no harm", s.tooLarge},
		{"an operation whose deadline has passed is a timeout", s.expired},
		{"an operation ends with its deadline while the servers stall", s.stalled},
		{"an operation fails while the servers are unreachable", s.broken},
		{"close leaves nothing running", s.leak},
	} {
		t.Run(part.name, part.run)
	}
}

// store opens an empty store that is closed when t ends.
func (s *suite) store(t *testing.T) target.Store {
	t.Helper()
	store := s.open(t)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	if err := store.Clear(background(t)); err != nil {
		t.Fatalf("clear: %v", err)
	}
	return store
}

// client opens a client of store that is closed when t ends, before the store.
func (s *suite) client(t *testing.T, store target.Store) target.Client {
	t.Helper()
	c, err := store.Client(background(t))
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close client: %v", err)
		}
	})
	return c
}

// background is a context that ends a test which would hang.
func background(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}
