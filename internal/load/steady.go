package load

import (
	"time"

	"kvbench/internal/record"
)

// Steady tells when a warm-up is over: when the mean service time of the last
// Window of load is not more than a twentieth below that of the Window before.
// A JVM that is still compiling gets faster and faster: a fresh Cassandra's
// throughput quadruples during its first minute.
type Steady struct {
	Window time.Duration // compared with the one before
	Limit  time.Duration // over in any case

	start   time.Duration // of the current window
	sum     float64       // ns
	count   int64
	last    float64 // mean of the window before, ns; 0 if there was none
	elapsed time.Duration
}

// slower is the share of a window's mean that the next must not fall below.
const slower = 0.95

// Add takes the next interval of every group and reports whether the warm-up
// is over. It can be a [Plan]'s OnInterval.
func (s *Steady) Add(intervals []record.Interval) bool {
	for _, i := range intervals {
		h := i.Service
		if h == nil {
			h = i.Response
		}
		s.count += h.TotalCount()
		s.sum += h.Mean() * float64(h.TotalCount())
		s.elapsed = i.End
	}
	if s.elapsed >= s.Limit {
		return true
	}
	if s.elapsed-s.start < s.Window || s.count == 0 {
		return false
	}
	mean := s.sum / float64(s.count)
	steady := s.last > 0 && mean >= slower*s.last
	s.last, s.start, s.sum, s.count = mean, s.elapsed, 0, 0
	return steady
}
