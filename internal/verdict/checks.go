package verdict

import (
	"fmt"
	"math"

	"kvbench/internal/record"
	"kvbench/internal/report"
)

// errorRatio catches failures that make a system look fast: in dbtester's
// published runs ZooKeeper failed a third of the writes and won.
func errorRatio(e *Evidence, l *Limits) string {
	return e.each(func(_ int, s *record.Summary) string {
		if s.ErrorRatio() <= l.MaxErrors {
			return ""
		}
		return fmt.Sprintf("%d of %d %s operations failed, more than BENCH_MAX_ERRORS=%v allows: %s",
			s.Counts.Errors(), s.Counts.Ops(), s.Kind, l.MaxErrors, report.Failures(&s.Counts))
	})
}

// corrupt catches replies that are not what was written, and acknowledged rows
// that a read did not find. yb-sample-apps logs them and exits 0. Not one is
// within bounds.
func corrupt(e *Evidence, _ *Limits) string {
	return e.each(func(_ int, s *record.Summary) string {
		for _, class := range []record.Class{record.Corrupt, record.NotFound} {
			if n := s.Counts.Failed[class]; n > 0 {
				return fmt.Sprintf("%d of %d %s operations: %v", n, s.Counts.Ops(), s.Kind, s.Counts.First[class])
			}
		}
		return ""
	})
}

// lost catches acknowledged writes that are not there afterwards.
func lost(e *Evidence, _ *Limits) string {
	l := e.Lost
	if l.Missing+l.Wrong == 0 {
		return ""
	}
	return fmt.Sprintf("of %d acknowledged rows read back after the run %d were missing and %d were not what was written: %v",
		l.Read, l.Missing, l.Wrong, l.First)
}

// effect catches benchmarks that do not do what they say: etcd's stm benchmark
// writes nothing by default, and its put benchmark makes 1,643 keys of 1,000.
func effect(e *Evidence, _ *Limits) string {
	r := e.Rows
	low := r.Before + r.Acked
	high := low + r.Ambiguous
	if !r.Counted || low <= r.After && r.After <= high {
		return ""
	}
	want := fmt.Sprint(low)
	if high > low {
		want = fmt.Sprintf("%d to %d", low, high)
	}
	return fmt.Sprintf("the store holds %d rows, want %s: %d before the run, %d acknowledged, %d of unknown outcome",
		r.After, want, r.Before, r.Acked, r.Ambiguous)
}

// rate catches percentiles of a load that was never served at the rate at which
// it arrived. Of the operations that arrived within the window all must be done
// in it, but for those that are being served when it closes: rate × service time
// by Little's law, one for each client at the most. And since an overloaded system
// with many clients seems to serve all that it is slow with, as many must be done
// as arrive in the second half of the window, but for what is chance.
func rate(e *Evidence, l *Limits) string {
	return e.each(func(i int, s *record.Summary) string {
		if e.Rates[i] == 0 || s.Service == nil || s.Elapsed <= 0 {
			return ""
		}
		arrived, late := float64(s.Counts.Ops()), s.Counts.Late
		serving := min(e.Rates[i]*s.Service.Mean()/1e9, float64(s.Clients)) + 1
		chance := 3 * math.Sqrt(float64(late.Arrived)) // three standard deviations of a Poisson process
		if float64(s.Counts.InWindow)+serving+e.Spread >= l.MinRate*arrived &&
			float64(late.Done)+chance >= l.MinRate*float64(late.Arrived) {
			return ""
		}
		return fmt.Sprintf("%.1f %s operations a second were done of %.1f that arrived, less than BENCH_MIN_RATE=%v demands",
			s.Throughput(), s.Kind, arrived/s.Elapsed.Seconds(), l.MinRate)
	})
}

// failures says which operations failed, though few enough.
func failures(e *Evidence, l *Limits) string {
	return e.each(func(_ int, s *record.Summary) string {
		if s.Counts.Errors() == 0 || s.ErrorRatio() > l.MaxErrors {
			return ""
		}
		return fmt.Sprintf("of %d %s operations %s", s.Counts.Ops(), s.Kind, report.Failures(&s.Counts))
	})
}

// littlesLaw catches time that the client lost and operations that were not
// counted: throughput × mean time in the system is the number of busy clients
// (J. D. C. Little, "A Proof for the Queuing Formula L = λW", 1961). In closed
// loop every client is busy all the time.
func littlesLaw(e *Evidence, _ *Limits) string {
	const tolerance = 0.1
	return e.each(func(i int, s *record.Summary) string {
		completed := float64(s.Response.TotalCount()) / e.Wall.Seconds()
		busy := completed * s.Mean().Seconds()
		if s.OpenLoop || s.Counts.Ops() < 100*int64(s.Clients) || busy >= (1-tolerance)*float64(s.Clients) {
			return ""
		}
		return fmt.Sprintf("throughput times mean latency makes %.1f busy clients of %d: the rest of their time was spent outside %s operations",
			busy, s.Clients, s.Kind)
	})
}

// clientCPU catches runs that measured this process instead of the system.
func clientCPU(e *Evidence, _ *Limits) string {
	const near = 0.8
	used := e.ClientCPU.Seconds() / e.Wall.Seconds()
	if e.Cores == 0 || used < near*float64(e.Cores) {
		return ""
	}
	return fmt.Sprintf("the client used %.1f of its %d processors: the system may be faster than this client can show", used, e.Cores)
}

// startLag catches open loops whose client could not start operations in time
// although the system was quick: what is late then is the client.
func startLag(e *Evidence, _ *Limits) string {
	return e.each(func(_ int, s *record.Summary) string {
		lag, ok := s.LagPercentile(99)
		p50, ok50 := s.Percentile(50)
		if !ok || !ok50 || lag <= p50/10 {
			return ""
		}
		return fmt.Sprintf("p99 of the delay before %s operations were sent is %s, above a tenth of the median response time of %s: clients were all busy, or this process was slow",
			s.Kind, report.Duration(lag), report.Duration(p50))
	})
}

// outOfRange says so if latencies were too long to be recorded.
func outOfRange(e *Evidence, _ *Limits) string {
	return e.each(func(_ int, s *record.Summary) string {
		if s.Clipped == 0 {
			return ""
		}
		return fmt.Sprintf("%d %s latencies above 10 min count as 10 min", s.Clipped, s.Kind)
	})
}
