package load

import (
	"context"
	"sync/atomic"
	"time"
)

// expired is the deadline of an operation whose time was over.
const expired = -1

// An opContext is the context of one client's operations. A context.WithTimeout
// for each operation would cost several allocations and half a microsecond of
// the client; this one is reused, with another deadline each time, until an
// operation does run into it. Then it is cancelled for good and replaced.
//
// It embeds a cancelCtx of the standard library, so that contexts derived from
// it register with that one instead of starting a goroutine to watch it.
//
// It doesn't tell its deadline. gRPC would send it with each request, so that an
// etcd server keeps a timer for each: that took a tenth of the throughput.
type opContext struct {
	context.Context
	cancel context.CancelFunc
	at     atomic.Int64 // deadline of the operation under way, in ns since the start of the run; 0: none under way; or expired
	over   atomic.Bool  // the deadline was missed
}

func newOpContext(parent context.Context) *opContext {
	c := &opContext{}
	c.Context, c.cancel = context.WithCancel(parent)
	return c
}

// Err tells a missed deadline from a cancelled run.
func (c *opContext) Err() error {
	if c.over.Load() {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// begin starts an operation with the given deadline, counted from the start of the run.
func (c *opContext) begin(deadline time.Duration) { c.at.Store(int64(deadline)) }

// end ends the operation and reports whether it ran into its deadline.
func (c *opContext) end() bool { return c.at.Swap(0) == expired }

// expire cancels the operation under way if its deadline was before now. Only
// the winner of the swap may cancel, so an operation can't be hit by the
// deadline of the one before it.
func (c *opContext) expire(now time.Duration) {
	at := c.at.Load()
	if at > 0 && at < int64(now) && c.at.CompareAndSwap(at, expired) {
		c.over.Store(true)
		c.cancel()
	}
}

// A watchdog cancels operations at their deadlines, up to a twentieth of the
// timeout late.
type watchdog struct {
	clients []atomic.Pointer[opContext]
}

func (w *watchdog) run(ctx context.Context, epoch time.Time, timeout time.Duration) {
	ticker := time.NewTicker(min(max(timeout/20, time.Millisecond), 100*time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			now := time.Since(epoch)
			for i := range w.clients {
				w.clients[i].Load().expire(now)
			}
		}
	}
}
