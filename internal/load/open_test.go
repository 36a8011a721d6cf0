package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"
	"kvbench/internal/target/fake"
)

// stall returns an operation on a store whose server takes 1 ms for each, but
// does nothing from 4 s to 7 s after start.
func stall(t *testing.T, start time.Time) func(context.Context) error {
	store := fake.Open(fake.Config{Latency: fake.Fixed(time.Millisecond)})
	store.Stall(start.Add(4*time.Second), start.Add(7*time.Second))
	client, err := store.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row := target.Row{Key: []byte("key"), Values: [][]byte{[]byte("value")}}
	return func(ctx context.Context) error { return client.Put(ctx, row) }
}

// A server that stalls for 3 s of a 10 s run at 200 arrivals/s, one client.
//
// Arrival k of the stall (k = 0, 1, …) is meant to start at 4 s + 5k ms. After
// the stall the client works the queue off at 1 ms each: operation k is done at
// 7.001 s + k ms. Its response time is 3.001 s − 4k ms, until the queue is empty
// at k = 750. So of 2,000 operations 1,250 take 1 ms and 750 are spread evenly
// from 5 ms to 3.001 s. The i-th slowest (i = 0, 1, …) takes 3.001 s − 4i ms.
// The percentile p is the value of the operation of rank ⌈p/100 × 2000⌉:
//
//	p50: 1 ms    p90: i = 200, 2.201 s    p95: i = 100, 2.601 s    p99: i = 20, 2.921 s
//
// A closed loop has one slow operation, whose 3 s are no percentile but the maximum.
func TestStallIsSeenByEveryoneWhoWaitedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := func(arrivals Arrivals) *record.Summary {
			g := groupOf(1, 10*time.Second, arrivals, stall(t, time.Now()))
			return mustRun(t, Plan{Duration: 10 * time.Second, Groups: []Group{g}}).Summaries[0]
		}
		open, closed := run(Uniform(200)), run(nil)
		if open.Counts.OK != 2000 {
			t.Errorf("open loop: %d operations, want 2000", open.Counts.OK)
		}
		for p, want := range map[float64]time.Duration{
			50: time.Millisecond, 90: 2201 * time.Millisecond, 95: 2601 * time.Millisecond, 99: 2921 * time.Millisecond,
		} {
			if got, ok := open.Percentile(p); !ok || !near(got, want) {
				t.Errorf("open loop: p%v = %v, want %v", p, got, want)
			}
			if got, _ := closed.Percentile(p); !near(got, time.Millisecond) {
				t.Errorf("closed loop: p%v = %v, want 1ms", p, got)
			}
		}
		if p, _ := open.ServicePercentile(99); !near(p, time.Millisecond) {
			t.Errorf("open loop: service p99 = %v, want 1ms", p)
		}
		if open.Max != 3001*time.Millisecond {
			t.Errorf("open loop: max = %v, want exactly 3.001s", open.Max)
		}
	})
}

func TestOverloadedOpenLoopEndsAndCountsWhatItCouldNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		// One client at 100 ms each does 10/s of the 100/s that arrive.
		g := groupOf(1, 10*time.Second, Uniform(100), takes(100*time.Millisecond))
		s := mustRun(t, Plan{Duration: 10 * time.Second, Timeout: 5 * time.Second, Groups: []Group{g}}).Summaries[0]
		if ops := s.Counts.Ops(); ops != 1000 {
			t.Errorf("%d operations are accounted for, want all 1000 arrivals", ops)
		}
		if s.Counts.OK != 151 || s.Counts.Failed[record.Unstarted] != 849 {
			t.Errorf("%d done, %d unstarted; want 151 within 15 s and the rest", s.Counts.OK, s.Counts.Failed[record.Unstarted])
		}
		if s.Throughput() != 10 {
			t.Errorf("throughput %v/s, want 10", s.Throughput())
		}
		if took := time.Since(start); took != 15100*time.Millisecond {
			t.Errorf("took %v, want duration + timeout + one operation", took)
		}
	})
}

func TestGroupsRunSideBySideAtTheirOwnRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := groupOf(8, 10*time.Second, Uniform(72), takes(time.Millisecond))
		writes := groupOf(8, 10*time.Second, Uniform(18), takes(2*time.Millisecond))
		res := mustRun(t, Plan{Duration: 10 * time.Second, Groups: []Group{reads, writes}})
		if r, w := res.Summaries[0].Counts.OK, res.Summaries[1].Counts.OK; r != 720 || w != 180 {
			t.Errorf("%d reads and %d writes, want 720 and 180", r, w)
		}
	})
}

func TestBackoffCountsAsLateness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		g := groupOf(1, time.Second, Uniform(100), nil)
		g.Clients[0].(*stub).do = func(context.Context) error {
			if calls++; calls <= 8 {
				return context.DeadlineExceeded // eight failures in a row: pauses of up to 128 ms
			}
			return nil
		}
		s := mustRun(t, Plan{Duration: time.Second, Groups: []Group{g}, Seed: 1}).Summaries[0]
		if s.Counts.Ops() != 100 {
			t.Errorf("%d operations, want 100", s.Counts.Ops())
		}
		if s.Max == 0 || s.Lag.Max() == 0 {
			t.Error("no operation was late, though its client was backing off")
		}
	})
}
