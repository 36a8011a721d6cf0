package targettest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"
)

// deadline is that of an operation which can't succeed.
const deadline = 300 * time.Millisecond

// An operation is one way to call a client.
type operation struct {
	name string
	do   func(ctx context.Context) error
}

// operations are all ways to call c.
func (s *suite) operations(c target.Client) []operation {
	row := func() target.Row { return s.row(1, 100) }
	ops := []operation{
		{"put", func(ctx context.Context) error { return c.Put(ctx, row()) }},
		{"get", func(ctx context.Context) error { return c.Get(ctx, s.blank(row().Key)) }},
	}
	if sg, ok := c.(target.StaleGetter); ok {
		ops = append(ops, operation{"stale get", func(ctx context.Context) error { return sg.GetStale(ctx, s.blank(row().Key)) }})
	}
	if b, ok := c.(target.Batcher); ok {
		ops = append(ops, operation{"put batch", func(ctx context.Context) error { return b.PutBatch(ctx, s.rows(1, 3, 100)) }})
	}
	return ops
}

func (s *suite) expired(t *testing.T) {
	c := s.client(t, s.store(t))
	put(t, c, s.row(1, 100))
	for _, op := range s.operations(c) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
		err := op.do(ctx)
		cancel()
		wantClass(t, op.name, err, record.Timeout)
		if err := op.do(background(t)); err != nil {
			t.Errorf("%s after one whose deadline had passed: %v", op.name, err)
		}
	}
}

func (s *suite) stalled(t *testing.T) {
	if s.opts.Pause == nil {
		t.Skip("the system's servers can't be paused")
	}
	c := s.client(t, s.store(t))
	put(t, c, s.row(1, 100))
	for _, op := range s.operations(c) {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		failWhile(ctx, t, op, s.opts.Pause, record.Timeout)
		cancel()
		recovers(t, op)

		told := &toldContext{}
		told.Context, cancel = context.WithCancel(context.Background())
		for range 3 {
			if err := op.do(told); err != nil {
				t.Fatalf("%s before the stall: %v", op.name, err)
			}
		}
		time.AfterFunc(deadline, func() { told.over.Store(true); cancel() })
		failWhile(told, t, op, s.opts.Pause, record.Timeout)
		recovers(t, op)
	}
}

func (s *suite) broken(t *testing.T) {
	if s.opts.Break == nil {
		t.Skip("the system's servers can't be made unreachable")
	}
	c := s.client(t, s.store(t))
	put(t, c, s.row(1, 100))
	for _, op := range s.operations(c) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*deadline)
		failWhile(ctx, t, op, s.opts.Break, record.Unavailable, record.Timeout)
		cancel()
		recovers(t, op)
	}
}

// failWhile calls op while harm is done, and wants it to return before the harm
// ends, with an error of one of the classes.
func failWhile(ctx context.Context, t *testing.T, op operation, harm func() func(), classes ...record.Class) {
	t.Helper()
	undo := sync.OnceFunc(harm())
	defer undo()
	done := make(chan error, 1)
	go func() { done <- op.do(ctx) }()
	select {
	case err := <-done:
		wantClass(t, op.name, err, classes...)
	case <-time.After(patience / 3):
		undo()
		<-done
		t.Fatalf("%s didn't return with its deadline", op.name)
	}
}

// recovers wants op to succeed again, now that the servers are well.
func recovers(t *testing.T, op operation) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := op.do(background(t))
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s still fails although the servers are well: %v", op.name, err)
		}
	}
}

// wantClass wants an error of one of classes.
func wantClass(t *testing.T, name string, err error, classes ...record.Class) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one of %v", name, classes)
		return
	}
	got := target.ClassOf(err)
	for _, class := range classes {
		if got == class {
			return
		}
	}
	t.Errorf("%s: class of %q is %v, want one of %v", name, err, got, classes)
}

// A toldContext is like the engine's: one for many operations, cancelled when
// one of them has missed its deadline. Contexts derived from it report a
// cancellation.
type toldContext struct {
	context.Context
	over atomic.Bool
}

func (c *toldContext) Err() error {
	if c.over.Load() {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}
