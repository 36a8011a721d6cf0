package load

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"
)

// A stub is a Client whose operations take what its function says.
type stub struct {
	do       func(ctx context.Context) error
	prepared func(n int64)
}

func (s *stub) Prepare(n int64) {
	if s.prepared != nil {
		s.prepared(n)
	}
}
func (s *stub) Do(ctx context.Context) error { return s.do(ctx) }
func (s *stub) Done(err error) error         { return err }

// takes is an operation of fixed length.
func takes(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// groupOf returns a group of equal clients and its recorder.
func groupOf(clients int, window time.Duration, arrivals Arrivals, do func(context.Context) error) Group {
	g := Group{Arrivals: arrivals, Recorder: record.New(record.Config{Kind: "op", Clients: clients, OpenLoop: arrivals != nil, Window: window})}
	for range clients {
		g.Clients = append(g.Clients, &stub{do: do})
	}
	return g
}

func mustRun(t *testing.T, p Plan) *Result {
	t.Helper()
	p.Pacing = SleepPacing
	res, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// near reports whether got is want but for the histogram's resolution.
func near(got, want time.Duration) bool {
	return got >= want && float64(got) <= float64(want)*1.001
}

func TestClosedLoopByTimeStartsNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		res := mustRun(t, Plan{Duration: time.Second, Groups: []Group{groupOf(3, time.Second, nil, takes(300*time.Millisecond))}})
		// Three clients start at 0, 300, 600 and 900 ms; the last ones end at 1.2 s.
		if got := res.Summaries[0].Counts; got.OK != 12 || got.InWindow != 9 {
			t.Errorf("OK %d, in window %d; want 12 and 9", got.OK, got.InWindow)
		}
		if res.Elapsed != 1200*time.Millisecond || time.Since(start) != res.Elapsed {
			t.Errorf("elapsed %v, took %v; want 1.2s", res.Elapsed, time.Since(start))
		}
		if got := res.Summaries[0].Throughput(); got != 9 {
			t.Errorf("throughput %v/s, want 9", got)
		}
	})
}

func TestOpsAreExactAndNumberedWithoutGaps(t *testing.T) {
	var mu sync.Mutex
	var numbers []int64
	g := groupOf(7, 0, nil, func(context.Context) error { return nil })
	g.Ops = 1000
	for _, c := range g.Clients {
		c.(*stub).prepared = func(n int64) { mu.Lock(); numbers = append(numbers, n); mu.Unlock() }
	}
	res := mustRun(t, Plan{Groups: []Group{g}})
	slices.Sort(numbers)
	if len(numbers) != 1000 || numbers[0] != 0 || numbers[999] != 999 || len(slices.Compact(numbers)) != 1000 {
		t.Errorf("got %d numbers from %d to %d", len(numbers), numbers[0], numbers[len(numbers)-1])
	}
	if got := res.Summaries[0].Counts.OK; got != 1000 {
		t.Errorf("%d operations, want 1000", got)
	}
}

func TestRunByTimeLastsThatLongEvenIfNothingIsLeftToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		// The last of 2 arrivals a second within 1.4 s is meant to start at 1 s.
		res := mustRun(t, Plan{Duration: 1400 * time.Millisecond, Groups: []Group{groupOf(1, 0, Uniform(2), takes(time.Millisecond))}})
		if got := res.Summaries[0].Counts.OK; got != 3 {
			t.Errorf("%d operations, want 3", got)
		}
		if time.Since(start) != 1400*time.Millisecond || res.Elapsed != 1400*time.Millisecond {
			t.Errorf("took %v, elapsed %v, want 1.4s", time.Since(start), res.Elapsed)
		}
	})
}

func TestTimeoutIsRecordedWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := groupOf(1, 0, nil, takes(time.Hour))
		g.Ops = 2
		res := mustRun(t, Plan{Timeout: time.Second, Groups: []Group{g}})
		s := res.Summaries[0]
		if s.Counts.Failed[record.Timeout] != 2 || s.Counts.OK != 0 {
			t.Fatalf("counts %+v, want 2 timeouts", s.Counts)
		}
		if err := s.Counts.First[record.Timeout]; !errors.Is(err, target.ErrTimeout) {
			t.Errorf("first error %v, want a timeout", err)
		}
		// The watchdog looks every twentieth of the timeout.
		if s.Max < time.Second || s.Max > 1051*time.Millisecond {
			t.Errorf("recorded %v, want 1s to 1.05s", s.Max)
		}
	})
}

func TestExpiredContextIsNotHandedToTheNextOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		g := groupOf(1, 0, nil, nil)
		g.Ops = 3
		g.Clients[0].(*stub).do = func(ctx context.Context) error {
			if ctx.Err() != nil {
				t.Error("operation began with a context that was done")
			}
			if calls++; calls == 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		res := mustRun(t, Plan{Timeout: time.Second, Groups: []Group{g}})
		if c := res.Summaries[0].Counts; c.OK != 2 || c.Failed[record.Timeout] != 1 {
			t.Errorf("counts %+v, want 2 OK, 1 timeout", c)
		}
	})
}

func TestDeadTargetIsNoHotLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := groupOf(1, 0, nil, func(context.Context) error { return target.ErrUnavailable })
		res := mustRun(t, Plan{Duration: 100 * time.Second, Groups: []Group{g}})
		// Pauses average 0.5 s once they have grown: 200 attempts in 100 s. At
		// random, so leave room; without back-off there would be no end of them.
		if n := res.Summaries[0].Counts.Errors(); n < 120 || n > 350 {
			t.Errorf("%d attempts in 100 s", n)
		}
	})
}

func TestAnswersThatAreNoFailureOfTheSystemDoNotSlowTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := groupOf(1, 0, nil, func(ctx context.Context) error { takes(time.Millisecond)(ctx); return target.ErrConflict })
		g.Ops = 100
		if res := mustRun(t, Plan{Groups: []Group{g}}); res.Elapsed != 100*time.Millisecond {
			t.Errorf("took %v, want 100ms", res.Elapsed)
		}
	})
}

func TestCancelledRunReturnsItsCauseAndWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		died := errors.New("server died")
		time.AfterFunc(3500*time.Millisecond, func() { cancel(died) })
		g := groupOf(2, time.Minute, nil, takes(time.Second))
		res, err := Run(ctx, Plan{Duration: time.Minute, Groups: []Group{g}, Pacing: SleepPacing})
		if !errors.Is(err, died) {
			t.Errorf("error %v, want %v", err, died)
		}
		if c := res.Summaries[0].Counts; c.OK != 6 || c.Errors() != 0 {
			t.Errorf("counts %+v, want 6 OK and no errors", c)
		}
	})
}

func TestIntervalsSumUpAndCanEndTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ok, samples int64
		var ends []time.Duration
		g := groupOf(4, 0, nil, takes(10*time.Millisecond))
		res := mustRun(t, Plan{Groups: []Group{g}, OnInterval: func(is []record.Interval) bool {
			ok += is[0].Counts.OK
			samples += is[0].Response.TotalCount()
			ends = append(ends, is[0].End)
			return len(ends) == 3
		}})
		// What was under way at 3 s is an interval of its own, perhaps an empty one.
		want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}
		if len(ends) != 4 || !slices.Equal(ends[:3], want) || ends[3] > 3010*time.Millisecond {
			t.Errorf("intervals end at %v, want %v and one more", ends, want)
		}
		s := res.Summaries[0]
		if ok != s.Counts.OK || samples != ok || s.Response.TotalCount() != ok {
			t.Errorf("intervals hold %d and %d of %d operations", ok, samples, s.Counts.OK)
		}
	})
}

func TestStopEndsWaitingForAFarStart(t *testing.T) {
	for name, pacing := range map[string]Pacing{"sleep": SleepPacing, "precise": precisePacing, "grid": newGrid().pacing} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var calls atomic.Int32
			g := groupOf(4, 0, Uniform(1.0/3600), func(context.Context) error {
				calls.Add(1)
				cancel()
				return nil
			})
			Run(ctx, Plan{Duration: 24 * time.Hour, Groups: []Group{g}, Pacing: pacing})
			if calls.Load() != 1 {
				t.Errorf("%d operations, want the one at 0", calls.Load())
			}
		})
	}
}

func TestBadPlansAreRefused(t *testing.T) {
	ok := groupOf(1, 0, nil, takes(0))
	ok.Ops = 1
	endless := ok
	endless.Ops = 0
	for sentence, p := range map[string]Plan{
		"no groups":           {},
		"no clients":          {Groups: []Group{{Recorder: ok.Recorder, Ops: 1}}},
		"no recorder":         {Groups: []Group{{Clients: ok.Clients, Ops: 1}}},
		"no end":              {Groups: []Group{endless}},
		"a negative duration": {Groups: []Group{ok}, Duration: -1},
		"a negative timeout":  {Groups: []Group{ok}, Timeout: -1},
	} {
		if _, err := Run(t.Context(), p); err == nil {
			t.Errorf("a plan with %s was run", sentence)
		}
	}
}
