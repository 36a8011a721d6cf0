package load

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"
)

// A group is a Group while it runs.
type group struct {
	*Group
	next atomic.Int64 // number of the next operation in closed loop
}

// take hands out numbers from one counter for all clients of a group, so that they
// are exact and have no gaps, whichever client is faster.
func (g *group) take() int64 { return g.next.Add(1) - 1 }

// more reports whether operation n is to be performed, given the group's Ops.
func (g *group) more(n int64) bool { return g.Ops == 0 || n < g.Ops }

// A worker is one client at work.
type worker struct {
	run      *run
	group    *group
	client   Client
	number   int // among all workers of the run
	stripe   *record.Stripe
	waiter   Waiter // nil in closed loop
	ctx      *opContext
	rng      *rand.Rand    // of the back-off, made when needed
	failures int           // in a row
	done     time.Duration // when its last operation was complete
	now      time.Duration // the latest reading of the clock
}

var errUnstarted = errors.New("no client was free to start it before the run had to end")

// renew gives the worker a context for its next operations.
func (w *worker) renew() {
	w.ctx = newOpContext(w.run.ctx)
	w.run.watchdog.clients[w.number].Store(w.ctx)
}

func (w *worker) work() {
	<-w.run.gun
	if w.waiter == nil {
		w.closedLoop()
	} else {
		w.openLoop()
	}
	for {
		last := w.run.lastDone.Load()
		if int64(w.done) <= last || w.run.lastDone.CompareAndSwap(last, int64(w.done)) {
			return
		}
	}
}

// closedLoop sends the next operation when the reply to the last one is there.
func (w *worker) closedLoop() {
	end := w.run.plan.Duration
	for !w.run.stopped.Load() {
		if end > 0 && w.now >= end {
			return
		}
		n := w.group.take()
		if !w.group.more(n) {
			return
		}
		w.client.Prepare(n)
		w.perform(-1)
	}
}

// openLoop waits for the intended start of the next operation, or is late.
func (w *worker) openLoop() {
	end, timeout := w.run.plan.Duration, w.run.plan.Timeout
	giveUp := end + timeout
	for !w.run.stopped.Load() {
		n, at := w.group.Arrivals.Next()
		if !w.group.more(n) || end > 0 && at >= end {
			return
		}
		if end > 0 && w.now > giveUp {
			w.abandon(n, at)
			continue
		}
		w.client.Prepare(n)
		if at > w.now {
			w.waiter.Until(w.run.pause, w.run.epoch.Add(at))
			if w.run.pause.Err() != nil {
				w.client.Done(errUnstarted)
				return
			}
		}
		w.perform(at)
	}
}

// abandon records an operation for which there was no time left. The client is
// told, too: its number was handed out.
func (w *worker) abandon(n int64, intended time.Duration) {
	w.client.Prepare(n)
	w.client.Done(errUnstarted)
	w.stripe.Failure(record.Op{Intended: intended, Sent: w.now, Done: w.now}, record.Unstarted, errUnstarted)
}

// perform does the prepared operation. intended is negative in closed loop,
// where an operation is meant to start when it does.
//
// Between the two readings of the clock there is nothing of ours but the call.
func (w *worker) perform(intended time.Duration) {
	sent := w.run.since()
	w.ctx.begin(sent + w.run.plan.Timeout)
	err := w.client.Do(w.ctx)
	done := w.run.since()
	late := w.ctx.end()
	w.done, w.now = done, done
	if intended < 0 {
		intended = sent
	}
	op := record.Op{Intended: intended, Sent: sent, Done: done}
	if late {
		w.renew()
		if err != nil {
			err = fmt.Errorf("%w after %v: %w", target.ErrTimeout, w.run.plan.Timeout, err)
		}
	}
	if err = w.client.Done(err); err != nil {
		w.fail(op, err)
		return
	}
	w.failures = 0
	w.stripe.Success(op)
}

// fail records a failed operation and backs off. Operations that were cut off
// because the whole run was cancelled say nothing about the target.
func (w *worker) fail(op record.Op, err error) {
	if w.run.ctx.Err() != nil {
		return
	}
	class := target.ClassOf(err)
	w.stripe.Failure(op, class, err)
	if !calms(class) {
		return
	}
	w.failures++
	if w.rng == nil {
		w.rng = rand.New(rand.NewPCG(w.run.plan.Seed, uint64(w.number)))
	}
	pause := backoff(w.failures, w.rng)
	if end := w.run.plan.Duration; end > 0 {
		pause = min(pause, end-op.Done)
	}
	sleep(w.run.pause, pause)
	w.now = w.run.since()
}
