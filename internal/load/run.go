package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"kvbench/internal/record"
)

// A Result is what Run knows beside what the recorders hold.
type Result struct {
	// Elapsed is the time from the start of the run to the completion of its
	// last operation, and at least Duration if the plan has one and was not ended
	// early.
	Elapsed time.Duration
	// Summaries are the outcomes of the groups, in their order.
	Summaries []*record.Summary
}

// Run performs plan and returns when every operation that was started is
// complete. With a Duration it lasts that long, plus what the last operations
// take: operations whose intended start has passed are still issued for one
// Timeout more, the rest are recorded as [record.Unstarted].
//
// When ctx is done, operations under way are cancelled and Run returns ctx's
// cause beside what was recorded until then.
func Run(ctx context.Context, plan Plan) (*Result, error) {
	if err := plan.validate(); err != nil {
		return nil, err
	}
	if plan.Timeout == 0 {
		plan.Timeout = DefaultTimeout
	}
	if plan.Every == 0 {
		plan.Every = time.Second
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{plan: plan, ctx: ctx}
	if err := r.hire(); err != nil {
		return nil, err
	}
	r.perform()
	res := &Result{Elapsed: time.Duration(r.lastDone.Load())}
	if !r.stopped.Load() {
		res.Elapsed = max(res.Elapsed, plan.Duration)
	}
	for _, g := range plan.Groups {
		res.Summaries = append(res.Summaries, g.Recorder.Summary(res.Elapsed))
	}
	return res, context.Cause(ctx)
}

// A run is the state of one call of Run.
type run struct {
	plan     Plan
	ctx      context.Context
	epoch    time.Time
	workers  []*worker
	watchdog watchdog
	stopped  atomic.Bool     // no operation is to start any more
	pause    context.Context // done when stopped: ends waiting for an intended start
	wake     context.CancelFunc
	lastDone atomic.Int64  // when the last operation was complete, in ns since epoch
	gun      chan struct{} // closed when all workers may start
}

// hire makes a worker of each client.
func (r *run) hire() error {
	pacing := r.plan.pacing()
	for i := range r.plan.Groups {
		g := &group{Group: &r.plan.Groups[i]}
		for c, client := range g.Clients {
			w := &worker{run: r, group: g, client: client, stripe: g.Recorder.Stripe(c), number: len(r.workers)}
			if g.Arrivals != nil {
				var err error
				if w.waiter, err = pacing(); err != nil {
					r.dismiss()
					return fmt.Errorf("load: client %d of %d: %w", c, len(g.Clients), err)
				}
			}
			r.workers = append(r.workers, w)
		}
	}
	return nil
}

func (r *run) dismiss() {
	for _, w := range r.workers {
		if w.waiter != nil {
			w.waiter.Close()
		}
	}
}

// perform lets all workers start at the same instant and waits for all of them.
func (r *run) perform() {
	defer r.dismiss()
	r.pause, r.wake = context.WithCancel(r.ctx)
	defer r.wake()
	unhook := context.AfterFunc(r.ctx, r.stop)
	defer unhook()
	r.gun = make(chan struct{})
	r.watchdog.clients = make([]atomic.Pointer[opContext], len(r.workers))
	var clients sync.WaitGroup
	for _, w := range r.workers {
		clients.Go(w.work)
	}
	for _, w := range r.workers {
		w.renew()
	}
	r.epoch = time.Now()
	close(r.gun)

	helpers, dismiss := context.WithCancel(r.ctx)
	var aside sync.WaitGroup
	aside.Go(func() { r.watchdog.run(helpers, r.epoch, r.plan.Timeout) })
	if r.plan.OnInterval != nil {
		aside.Go(func() { r.observe(helpers) })
	}
	clients.Wait()
	r.pad()
	dismiss()
	aside.Wait()
	if r.plan.OnInterval != nil {
		r.take() // what is left since the last interval
	}
	for _, w := range r.workers {
		w.ctx.cancel()
	}
}

// pad waits for the end of the run's duration if the clients were done earlier,
// so that a run lasts as long as it was told to.
func (r *run) pad() {
	if r.plan.Duration > 0 && !r.stopped.Load() {
		sleep(r.ctx, r.plan.Duration-r.since())
	}
}

// observe takes an interval of every group regularly.
func (r *run) observe(ctx context.Context) {
	ticker := time.NewTicker(r.plan.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			// A tick about the end would leave a last interval of next to nothing.
			if left := r.plan.Duration - r.since(); r.plan.Duration == 0 || left.Abs() > r.plan.Every/2 {
				r.take()
			}
		}
	}
}

func (r *run) take() {
	now := r.since()
	intervals := make([]record.Interval, len(r.plan.Groups))
	for i, g := range r.plan.Groups {
		intervals[i] = g.Recorder.Interval(now)
	}
	if r.plan.OnInterval(intervals) {
		r.stop()
	}
}

// stop lets no operation start any more.
func (r *run) stop() {
	r.stopped.Store(true)
	r.wake()
}

func (r *run) since() time.Duration { return time.Since(r.epoch) }
