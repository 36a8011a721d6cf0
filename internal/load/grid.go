package load

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// gridTick is the distance of the instants at which a grid releases clients: an
// operation starts that much late at the most, and its lateness is part of its
// response time as always.
const gridTick = 100 * time.Microsecond

// A grid releases waiting clients in batches, one timer for all, for arrival
// rates at which a timer for each operation can't keep up.
type grid struct {
	epoch   time.Time // of tick 0
	once    sync.Once
	err     error
	done    chan struct{}
	mu      sync.Mutex
	ticks   map[int64]chan struct{} // closed at the tick of that number
	passed  int64                   // all ticks up to this one are over
	waiters int
	stop    context.CancelFunc
}

func newGrid() *grid {
	return &grid{epoch: time.Now(), ticks: map[int64]chan struct{}{}, done: make(chan struct{}), passed: -1}
}

// pacing returns a waiter on the grid. The first starts the grid's goroutine,
// the last to close ends it.
func (g *grid) pacing() (Waiter, error) {
	g.once.Do(func() { g.err = g.start() })
	if g.err != nil {
		return nil, g.err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiters++
	return gridWaiter{g}, nil
}

func (g *grid) start() error {
	clock, err := precisePacing()
	if err != nil {
		return fmt.Errorf("load: grid of start times: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.stop = cancel
	go func() {
		defer close(g.done)
		defer clock.Close()
		for tick := int64(0); ctx.Err() == nil; tick++ {
			tick = max(tick, int64(time.Since(g.epoch)/gridTick))
			clock.Until(ctx, g.epoch.Add(time.Duration(tick)*gridTick))
			g.release(tick)
		}
	}()
	return nil
}

// release lets go of everyone who waits for a tick up to the given one.
func (g *grid) release(tick int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := g.passed + 1; t <= tick; t++ {
		if c, ok := g.ticks[t]; ok {
			close(c)
			delete(g.ticks, t)
		}
	}
	g.passed = max(g.passed, tick)
}

// tick returns the channel of tick t, nil if it is over.
func (g *grid) tick(t int64) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t <= g.passed {
		return nil
	}
	c, ok := g.ticks[t]
	if !ok {
		c = make(chan struct{})
		g.ticks[t] = c
	}
	return c
}

type gridWaiter struct{ g *grid }

func (w gridWaiter) Until(ctx context.Context, at time.Time) {
	if time.Until(at) <= 0 {
		return
	}
	c := w.g.tick(int64((at.Sub(w.g.epoch) + gridTick - 1) / gridTick))
	if c == nil {
		return
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
}

func (w gridWaiter) Close() error {
	w.g.mu.Lock()
	w.g.waiters--
	last := w.g.waiters == 0
	w.g.mu.Unlock()
	if last {
		w.g.stop()
		<-w.g.done
	}
	return nil
}
