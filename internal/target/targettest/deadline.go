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

// operations are the ways to call a client, each with ctx.
func (s *suite) operations(c target.Client) map[string]func(ctx context.Context) error {
	ops := map[string]func(ctx context.Context) error{
		"put": func(ctx context.Context) error { return c.Put(ctx, s.row(1, 100)) },
		"get": func(ctx context.Context) error { return c.Get(ctx, s.blank(s.row(1, 0).Key)) },
	}
	if sg, ok := c.(target.StaleGetter); ok {
		ops["stale get"] = func(ctx context.Context) error { return sg.GetStale(ctx, s.blank(s.row(1, 0).Key)) }
	}
	if b, ok := c.(target.Batcher); ok {
		ops["put batch"] = func(ctx context.Context) error { return b.PutBatch(ctx, s.rows(1, 3, 100)) }
	}
	return ops
}

func (s *suite) expired(t *testing.T) {
	c := s.client(t, s.store(t))
	put(t, c, s.row(1, 100))
	for name, op := range s.operations(c) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
		err := op(ctx)
		cancel()
		wantClass(t, name, err, record.Timeout)
		if err := op(background(t)); err != nil {
			t.Errorf("%s after one whose deadline had passed: %v", name, err)
		}
	}
}

func (s *suite) stalled(t *testing.T) {
	if s.opts.Pause == nil {
		t.Skip("the system's servers can't be paused")
	}
	c := s.client(t, s.store(t))
	put(t, c, s.row(1, 100))
	for name, op := range s.operations(c) {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		s.failWhile(ctx, t, name, s.opts.Pause, op, record.Timeout)
		cancel()
		s.recovers(t, name, op)

		told := &toldContext{}
		told.Context, cancel = context.WithCancel(context.Background())
		for range 3 {
			if err := op(told); err != nil {
				t.Fatalf("%s before the stall: %v", name, err)
			}
		}
		time.AfterFunc(deadline, func() { told.over.Store(true); cancel() })
		s.failWhile(told, t, name+" in the engine's context", s.opts.Pause, op, record.Timeout)
		s.recovers(t, name+" in the engine's context", op)
	}
}

func (s *suite) broken(t *testing.T) {
	if s.opts.Break == nil {
		t.Skip("the system's servers can't be made unreachable")
	}
	c := s.client(t, s.store(t))
	put(t, c, s.row(1, 100))
	for name, op := range s.operations(c) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*deadline)
		s.failWhile(ctx, t, name, s.opts.Break, op, record.Unavailable, record.Timeout)
		cancel()
		s.recovers(t, name, op)
	}
}

// failWhile calls op while harm is done, and wants it to return before the harm
// ends, with an error of one of the classes.
func (s *suite) failWhile(ctx context.Context, t *testing.T, name string, harm func() func(), op func(context.Context) error, classes ...record.Class) {
	t.Helper()
	undo := sync.OnceFunc(harm())
	defer undo()
	done := make(chan error, 1)
	go func() { done <- op(ctx) }()
	select {
	case err := <-done:
		wantClass(t, name, err, classes...)
	case <-time.After(patience / 3):
		undo()
		<-done
		t.Fatalf("%s didn't return with its deadline", name)
	}
}

// recovers wants op to succeed again, now that the servers are well.
func (s *suite) recovers(t *testing.T, name string, op func(context.Context) error) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := op(background(t))
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s still fails although the servers are well: %v", name, err)
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
