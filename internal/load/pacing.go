package load

import (
	"context"
	"time"
)

// A Pacing makes a waiter for each client of an open loop.
type Pacing func() (Waiter, error)

// A Waiter waits for instants. It belongs to one goroutine.
type Waiter interface {
	// Until returns at the given time, or when ctx is done.
	Until(ctx context.Context, at time.Time)
	Close() error
}

// SleepPacing waits by timers of the Go runtime, which are up to a millisecond
// late on Linux (golang/go#53824). It is exact in fake time (testing/synctest).
func SleepPacing() (Waiter, error) { return sleepWaiter{}, nil }

type sleepWaiter struct{}

func (sleepWaiter) Until(ctx context.Context, at time.Time) { sleep(ctx, time.Until(at)) }
func (sleepWaiter) Close() error                            { return nil }

// perTimer is the highest arrival rate at which each operation gets a timer of
// its own. Above, arming and reading timers would take more of the client's
// processors than the operations do, and starts are released in batches.
const perTimer = 50_000 // operations a second, all groups together

// pacing returns the plan's way to wait.
func (p *Plan) pacing() Pacing {
	if p.Pacing != nil {
		return p.Pacing
	}
	var rate float64
	for _, g := range p.Groups {
		if g.Arrivals != nil {
			rate += g.Arrivals.Rate()
		}
	}
	if rate > perTimer {
		return newGrid().pacing
	}
	return precisePacing
}
