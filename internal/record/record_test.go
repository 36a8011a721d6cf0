package record

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// op returns an operation that was sent after lag and took service from then on.
func op(intended, lag, service time.Duration) Op {
	return Op{Intended: intended, Sent: intended + lag, Done: intended + lag + service}
}

func TestPercentilesAreThoseOfTheSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(Config{Clients: rapid.IntRange(1, 3).Draw(t, "clients")})
		sample := rapid.SliceOfN(rapid.Int64Range(1, highest), 10, 500).Draw(t, "latencies")
		for i, v := range sample {
			r.Stripe(i).Success(op(0, 0, time.Duration(v)))
		}
		s := r.Summary(time.Second)
		slices.Sort(sample)
		var sum float64
		for _, v := range sample {
			sum += float64(v)
		}
		near(t, "mean", s.Mean(), time.Duration(sum/float64(len(sample))))
		for _, p := range []float64{0, 50, 90, 99, 99.9, 100} {
			got, _ := s.Percentile(p)
			// As HdrHistogram has it: the value of the p percent of operations, rounded to the nearest.
			rank := max(1, int(p/100*float64(len(sample))+0.5))
			near(t, fmt.Sprint("p", p), got, time.Duration(sample[rank-1]))
			if got > s.Max {
				t.Fatalf("p%v is %v, above the maximum of %v", p, got, s.Max)
			}
		}
		if want := time.Duration(sample[len(sample)-1]); s.Max != want {
			t.Fatalf("max %v, want exactly %v", s.Max, want)
		}
	})
}

// near fails unless got is want to three digits.
func near(t *rapid.T, what string, got, want time.Duration) {
	if d := (got - want).Abs(); d > want/1000+1 {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// TestIntervalsAddUpToTheSummary records at random and takes intervals at random.
func TestIntervalsAddUpToTheSummary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(Config{Clients: 3, OpenLoop: rapid.Bool().Draw(t, "open loop"), Window: 30})
		together := newLatencies(r.config.OpenLoop)
		var counts Counts
		var now, last time.Duration
		take := func() {
			i := r.Interval(now)
			if i.Start != last || i.End != now {
				t.Fatalf("interval from %v to %v, want %v to %v", i.Start, i.End, last, now)
			}
			last = now
			counts.add(&i.Counts)
			merge(together, i.Latencies)
		}
		t.Repeat(map[string]func(*rapid.T){
			"success": func(t *rapid.T) { r.Stripe(int(now)).Success(op(now, 1, 1)); now++ },
			"failure": func(t *rapid.T) {
				class := rapid.SampledFrom(Classes()).Draw(t, "class")
				r.Stripe(int(now)).Failure(op(now, 1, 1), class, errors.New("x"))
				now++
			},
			"interval": func(*rapid.T) { take() },
		})
		take()
		s := r.Summary(now)
		if s.Counts.OK != counts.OK || s.Counts.InWindow != counts.InWindow || s.Counts.Failed != counts.Failed {
			t.Fatalf("intervals count %+v, summary %+v", counts, s.Counts)
		}
		if !s.Response.Equals(together.Response) || s.Max != together.Max {
			t.Fatal("the intervals' latencies are not the summary's")
		}
		if r.config.OpenLoop && (!s.Service.Equals(together.Service) || !s.Lag.Equals(together.Lag)) {
			t.Fatal("the intervals' service times or lags are not the summary's")
		}
	})
}

// merge adds m to l in the way of the library.
func merge(l, m *Latencies) {
	l.Response.Merge(m.Response)
	if l.Service != nil {
		l.Service.Merge(m.Service)
		l.Lag.Merge(m.Lag)
	}
	l.Max = max(l.Max, m.Max)
}

func TestSummaryIncludesWhatNoIntervalHas(t *testing.T) {
	r := New(Config{Clients: 2})
	r.Stripe(0).Success(op(0, 0, 5))
	r.Interval(time.Second)
	r.Stripe(1).Success(op(0, 0, 7))
	s := r.Summary(1500 * time.Millisecond)
	if s.Counts.OK != 2 || s.Response.TotalCount() != 2 || s.Max != 7 {
		t.Errorf("got %d operations, %d latencies, max %v; want 2, 2, 7ns", s.Counts.OK, s.Response.TotalCount(), s.Max)
	}
}

// TestNothingIsLostBetweenIntervals is for the race detector, too.
func TestNothingIsLostBetweenIntervals(t *testing.T) {
	const clients, each = 40, 2000
	r := New(Config{Clients: clients, OpenLoop: true})
	var recording, collecting sync.WaitGroup
	for c := range clients {
		recording.Go(func() {
			for i := range each {
				if i%10 == 9 {
					r.Stripe(c).Failure(op(0, 1, 1), Timeout, errors.New("x"))
				} else {
					r.Stripe(c).Success(op(0, time.Duration(c), time.Duration(i)))
				}
			}
		})
	}
	done := make(chan struct{})
	var seen int64
	collecting.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				i := r.Interval(0)
				seen += i.Counts.Ops()
			}
		}
	})
	recording.Wait()
	close(done)
	collecting.Wait()
	last := r.Interval(0)
	s := r.Summary(time.Second)
	if want := int64(clients * each); seen+last.Counts.Ops() != want || s.Counts.Ops() != want || s.Service.TotalCount() != want {
		t.Errorf("of %d operations intervals have %d, the summary %d, its service times %d",
			want, seen+last.Counts.Ops(), s.Counts.Ops(), s.Service.TotalCount())
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	r := New(Config{Clients: 1, OpenLoop: true})
	s, err := r.Stripe(0), errors.New("x")
	n := testing.AllocsPerRun(1000, func() {
		s.Success(op(0, 1, 1000))
		s.Failure(op(0, 1, 1000), Timeout, err)
	})
	if n != 0 {
		t.Errorf("%v allocations an operation", n)
	}
}

func TestStripesAreShared(t *testing.T) {
	for clients, want := range map[int]int{0: 1, 1: 1, 16: 16, 1000: maxStripes} {
		r := New(Config{Clients: clients})
		if len(r.stripes) != want {
			t.Errorf("%d clients: %d stripes, want %d", clients, len(r.stripes), want)
		}
		if r.Stripe(want) != r.Stripe(0) {
			t.Errorf("%d clients: client %d has a stripe of its own", clients, want)
		}
	}
}
