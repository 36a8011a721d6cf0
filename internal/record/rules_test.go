package record

import (
	"errors"
	"testing"
	"time"
)

func TestWhichLatenciesCount(t *testing.T) {
	for _, test := range []struct {
		why                    string
		record                 func(*Stripe)
		response, service, lag int64 // values recorded
	}{
		{"a reply has been waited for", func(s *Stripe) { s.Success(op(0, 1, 9)) }, 1, 1, 1},
		{"a timeout took at least as long", func(s *Stripe) { s.Failure(op(0, 1, 9), Timeout, nil) }, 1, 1, 1},
		{"what was never sent was waited for, but not served", func(s *Stripe) { s.Failure(op(0, 9, 0), Unstarted, nil) }, 1, 0, 1},
		{"a refusal is not a fast reply", func(s *Stripe) { s.Failure(op(0, 1, 1), Overload, nil) }, 0, 0, 0},
		{"a request that is too large is not a fast reply", func(s *Stripe) { s.Failure(op(0, 1, 1), TooLarge, nil) }, 0, 0, 0},
		{"a lost connection is not a fast reply", func(s *Stripe) { s.Failure(op(0, 1, 1), Unavailable, nil) }, 0, 0, 0},
		{"a wrong reply is no reply", func(s *Stripe) { s.Failure(op(0, 1, 1), Corrupt, nil) }, 0, 0, 0},
	} {
		r := New(Config{OpenLoop: true})
		test.record(r.Stripe(0))
		s := r.Summary(time.Second)
		if s.Response.TotalCount() != test.response || s.Service.TotalCount() != test.service || s.Lag.TotalCount() != test.lag {
			t.Errorf("%s: response, service, lag have %d, %d, %d values, want %d, %d, %d", test.why,
				s.Response.TotalCount(), s.Service.TotalCount(), s.Lag.TotalCount(), test.response, test.service, test.lag)
		}
	}
}

func TestResponseIsServiceAfterLag(t *testing.T) {
	r := New(Config{OpenLoop: true})
	for range 1000 {
		r.Stripe(0).Success(op(time.Hour, 300*time.Millisecond, 50*time.Millisecond))
	}
	s := r.Summary(2 * time.Hour)
	for _, test := range []struct {
		what       string
		percentile func(float64) (time.Duration, bool)
		want       time.Duration
	}{
		{"response time", s.Percentile, 350 * time.Millisecond},
		{"service time", s.ServicePercentile, 50 * time.Millisecond},
		{"lag", s.LagPercentile, 300 * time.Millisecond},
	} {
		if got, ok := test.percentile(99); !ok || (got-test.want).Abs() > test.want/1000 {
			t.Errorf("p99 of %s: got %v, %v, want %v", test.what, got, ok, test.want)
		}
	}
}

func TestClosedLoopHasNoLag(t *testing.T) {
	r := New(Config{})
	for range 1000 {
		r.Stripe(0).Success(op(0, 0, 50))
	}
	s := r.Summary(time.Second)
	if d, ok := s.LagPercentile(50); ok {
		t.Errorf("lag %v", d)
	}
	service, _ := s.ServicePercentile(50)
	if response, _ := s.Percentile(50); service != response {
		t.Errorf("service time %v, response time %v: want the same", service, response)
	}
}

func TestPercentilesNeedTenOperationsAbove(t *testing.T) {
	for p, enough := range map[float64]int{50: 20, 90: 100, 99: 1000, 99.5: 2000, 99.9: 10_000, 99.99: 100_000} {
		r := New(Config{})
		for range enough - 1 {
			r.Stripe(0).Success(op(0, 0, 1))
		}
		if _, ok := r.Interval(0).Percentile(p); ok {
			t.Errorf("p%v of %d operations is reported", p, enough-1)
		}
		r.Stripe(0).Success(op(0, 0, 1))
		if _, ok := r.Summary(1).Percentile(p); !ok {
			t.Errorf("p%v of %d operations is not reported", p, enough)
		}
	}
}

func TestThroughputIsOfTheWindow(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		why     string
		window  time.Duration
		elapsed time.Duration
		want    float64
	}{
		{"what is done after the window counts in no second of it", 2 * second, 3 * second, 1},
		{"without a window the run ends with its last operation", 0, 3 * second, 1},
		{"a window is as long as it is, even if the last operation was done before its end", 4 * second, 3 * second, 0.75},
		{"no time, no rate", 0, 0, 0},
	} {
		r := New(Config{Window: test.window})
		for _, done := range []time.Duration{second, 2 * second, 3 * second} {
			r.Stripe(0).Success(Op{Done: done})
		}
		if got := r.Summary(test.elapsed).Throughput(); got != test.want {
			t.Errorf("%s: %v ops/s, want %v", test.why, got, test.want)
		}
	}
}

func TestLatenciesOutOfRangeAreCounted(t *testing.T) {
	r := New(Config{OpenLoop: true})
	r.Stripe(0).Success(op(0, 0, 11*time.Minute))
	r.Stripe(0).Success(op(0, 0, 0))
	s := r.Summary(time.Hour)
	if s.Clipped != 2 { // response and service time
		t.Errorf("%d values clipped, want 2", s.Clipped)
	}
	if s.Max != 11*time.Minute {
		t.Errorf("max %v, want exactly 11m", s.Max)
	}
	if s.Response.TotalCount() != 2 || s.Response.Min() != 1 {
		t.Errorf("%d values from %d ns, want 2 from 1 ns", s.Response.TotalCount(), s.Response.Min())
	}
}

func TestCounts(t *testing.T) {
	r := New(Config{Clients: 2})
	first := errors.New("first")
	r.Stripe(0).Failure(Op{}, Timeout, first)
	r.Stripe(0).Failure(Op{}, Timeout, errors.New("second"))
	r.Stripe(1).Failure(Op{}, Corrupt, first)
	r.Stripe(1).Success(Op{})
	s := r.Summary(time.Second)
	c := s.Counts
	if c.Ops() != 4 || c.Errors() != 3 || c.OK != 1 || s.ErrorRatio() != 0.75 {
		t.Errorf("ops %d, errors %d, ok %d, ratio %v", c.Ops(), c.Errors(), c.OK, s.ErrorRatio())
	}
	if got := c.Classes(); len(got) != 2 || got[0] != Timeout || got[1] != Corrupt {
		t.Errorf("classes %v, want timeout and corrupt", got)
	}
	if c.First[Timeout] != first || c.First[Overload] != nil {
		t.Errorf("first errors %v", c.First)
	}
	if (&Summary{}).ErrorRatio() != 0 {
		t.Error("no operations have an error ratio")
	}
}

func TestWhatIsAmbiguous(t *testing.T) {
	want := map[Class]int64{Timeout: 1, Unavailable: 1, Other: 1}
	for _, class := range Classes() {
		var c Counts
		c.Failed[class] = 1
		if got := c.Ambiguous(); got != want[class] {
			t.Errorf("%v: %d may have been applied, want %d", class, got, want[class])
		}
	}
}

func TestClassesHaveNames(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Classes() {
		names[c.String()] = true
	}
	if len(names) != int(numClasses) || names[""] {
		t.Errorf("%d classes have the names %v", numClasses, names)
	}
}
