package record

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// enough is the least number of samples above a percentile for it to be
// reported: with fewer, a percentile is the luck of a few operations.
const enough = 10

// A Summary is the outcome of one kind of operation over a whole run.
type Summary struct {
	Kind     string
	OpenLoop bool
	Clients  int
	Elapsed  time.Duration // what throughput is divided by: the run's window, or the time to its last completion
	Counts   Counts
	*Latencies
}

// Summary ends the Recorder's run, which took elapsed from its start to the
// completion of its last operation. Intervals that were not taken are included.
func (r *Recorder) Summary(elapsed time.Duration) *Summary {
	r.Interval(elapsed)
	r.collect.Lock()
	defer r.collect.Unlock()
	s := &Summary{
		Kind: r.config.Kind, OpenLoop: r.config.OpenLoop, Clients: r.config.Clients,
		Elapsed: elapsed, Counts: r.seen, Latencies: r.total,
	}
	if r.config.Window > 0 {
		s.Elapsed = r.config.Window
	}
	return s
}

// Throughput returns the successful operations a second that were done within
// the run's window.
func (s *Summary) Throughput() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Counts.InWindow) / s.Elapsed.Seconds()
}

// ErrorRatio returns the failed share of all operations, 0 to 1.
func (s *Summary) ErrorRatio() float64 {
	if s.Counts.Ops() == 0 {
		return 0
	}
	return float64(s.Counts.Errors()) / float64(s.Counts.Ops())
}

// Mean returns the mean response time, 0 if nothing was recorded.
func (s *Summary) Mean() time.Duration {
	if s.Response.TotalCount() == 0 {
		return 0
	}
	return time.Duration(s.Response.Mean())
}

// Percentile returns the response time below or at which p percent (0 to 100)
// of the operations were, and whether there are enough operations to say so.
// It is never above the exact maximum.
func (s *Summary) Percentile(p float64) (time.Duration, bool) {
	d, ok := percentile(s.Response, p)
	return min(d, s.Max), ok
}

// ServicePercentile is Percentile of the time from sending to reply.
func (s *Summary) ServicePercentile(p float64) (time.Duration, bool) {
	if s.Service == nil {
		return s.Percentile(p)
	}
	return percentile(s.Service, p)
}

// LagPercentile is Percentile of how late operations were sent. In closed loop
// nothing is ever late.
func (s *Summary) LagPercentile(p float64) (time.Duration, bool) {
	if s.Lag == nil {
		return 0, false
	}
	return percentile(s.Lag, p)
}

func percentile(h *hdr.Histogram, p float64) (time.Duration, bool) {
	above := float64(h.TotalCount()) * (100 - p) / 100
	return time.Duration(h.ValueAtPercentile(p)), above >= enough-1e-9
}
