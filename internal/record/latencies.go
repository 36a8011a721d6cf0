package record

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Histograms hold nanoseconds from 1 ns to 10 min at three significant digits,
// and take 254 kB.
const (
	lowest  = 1
	highest = int64(10 * time.Minute)
	digits  = 3
)

// enough is the least number of samples above a percentile for it to be
// reported: with fewer, a percentile is the luck of a few operations.
const enough = 10

// Latencies are the distributions of one kind of operation, in nanoseconds.
// Service and Lag are nil in closed loop, where service time is response time.
type Latencies struct {
	Response *hdr.Histogram // done − intended
	Service  *hdr.Histogram // done − sent
	Lag      *hdr.Histogram // sent − intended

	Max     time.Duration // exact longest response time; a histogram rounds
	Clipped int64         // values above the histograms' range, recorded as 10 min
}

func newLatencies(openLoop bool) *Latencies {
	l := &Latencies{Response: hdr.New(lowest, highest, digits)}
	if openLoop {
		l.Service = hdr.New(lowest, highest, digits)
		l.Lag = hdr.New(lowest, highest, digits)
	}
	return l
}

// Mean returns the mean response time, 0 if nothing was recorded.
func (l *Latencies) Mean() time.Duration {
	return min(time.Duration(l.Response.Mean()), l.Max)
}

// Percentile returns the response time below or at which p percent (0 to 100)
// of the operations were, and whether there are enough operations to say so.
// It is never above the exact maximum.
func (l *Latencies) Percentile(p float64) (time.Duration, bool) {
	d, ok := percentile(l.Response, p)
	return min(d, l.Max), ok
}

// ServicePercentile is Percentile of the time from sending to reply.
func (l *Latencies) ServicePercentile(p float64) (time.Duration, bool) {
	if l.Service == nil {
		return l.Percentile(p)
	}
	return percentile(l.Service, p)
}

// LagPercentile is Percentile of how late operations were sent. In closed loop
// nothing is ever late.
func (l *Latencies) LagPercentile(p float64) (time.Duration, bool) {
	if l.Lag == nil {
		return 0, false
	}
	return percentile(l.Lag, p)
}

func percentile(h *hdr.Histogram, p float64) (time.Duration, bool) {
	above := float64(h.TotalCount()) * (100 - p) / 100
	return time.Duration(h.ValueAtPercentile(p)), above >= enough-1e-9
}

func (l *Latencies) reset() {
	l.Response.Reset()
	if l.Service != nil {
		l.Service.Reset()
		l.Lag.Reset()
	}
	l.Max, l.Clipped = 0, 0
}
