package fake

import (
	"context"
	"slices"
	"sync"
	"time"
)

// stalls are the times during which no server works.
type stalls struct {
	mu      sync.Mutex
	windows []*window
	changed chan struct{} // closed when windows change; nil: nobody waits
}

// A window is a time [from, to); a zero to is still open.
type window struct{ from, to time.Time }

// Stall makes the servers stop working at from and go on at to, as if they had
// been suspended: whatever they are working on takes to-from longer.
func (s *Store) Stall(from, to time.Time) { s.stalls.add(&window{from, to}) }

// Pause stalls the servers until resume is called.
func (s *Store) Pause() (resume func()) {
	w := &window{from: time.Now()}
	s.stalls.add(w)
	return func() { s.stalls.remove(w) }
}

func (s *stalls) add(w *window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.windows = append(s.windows, w)
	s.notify()
}

func (s *stalls) remove(w *window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.windows = slices.DeleteFunc(s.windows, func(x *window) bool { return x == w })
	s.notify()
}

func (s *stalls) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// forever is longer than any run.
const forever = 1 << 62

// outlook tells what happens after now: for how long the servers stall, or,
// if they work, for how long they will; and a channel that is closed when that
// is no longer true.
func (s *stalls) outlook(now time.Time) (stalled bool, until time.Duration, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	until = forever
	for _, w := range s.windows {
		switch {
		case now.Before(w.from):
			until = min(until, w.from.Sub(now))
		case w.to.IsZero():
			return true, forever, s.changed
		case now.Before(w.to):
			return true, w.to.Sub(now), s.changed
		}
	}
	return false, until, s.changed
}

// none reports whether there is no stall, past or future.
func (s *stalls) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.windows) == 0
}

// work waits until the servers have worked for d, or until ctx is done.
func (c *client) work(ctx context.Context, d time.Duration) error {
	stalls := &c.store.stalls
	if d <= 0 && stalls.none() {
		return nil
	}
	for {
		now := time.Now()
		stalled, until, changed := stalls.outlook(now)
		if !stalled && d <= 0 {
			return nil
		}
		if !stalled {
			until = min(until, d)
		}
		if err := c.wait(ctx, until, changed); err != nil {
			return err
		}
		if stalled {
			continue
		}
		if d -= time.Since(now); d <= 0 {
			return nil // even if a stall begins at this very moment
		}
	}
}

// wait waits for d, a change or the end of ctx, which alone is an error.
func (c *client) wait(ctx context.Context, d time.Duration, changed <-chan struct{}) error {
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	defer c.timer.Stop()
	select {
	case <-c.timer.C:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
