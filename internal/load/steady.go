package load

import (
	"time"

	"kvbench/internal/record"
)

// Steady tells when a warm-up is over: when the target has not become faster
// for a while. Time is cut into windows; the warm-up ends when none of the last
// Patience windows had a mean service time at least a twentieth below the best of
// those before. A window that is slow by accident doesn't end it, and a JVM that
// is still compiling, as a fresh Cassandra does during its first million writes,
// keeps it going.
type Steady struct {
	Window   time.Duration
	Patience int           // windows without progress
	Limit    time.Duration // over in any case

	start  time.Duration // of the current window
	sum    float64       // ns
	count  int64
	best   float64 // mean of a window, ns; 0 if there was none
	missed int     // windows since then

	// Cut says that Limit ended the warm-up: the target was still getting faster.
	Cut bool
}

// progress is the share of the best mean that a window must get below to count
// as faster.
const progress = 0.95

// Add takes the next interval of every group and reports whether the warm-up
// is over. It can be a [Plan]'s OnInterval.
func (s *Steady) Add(intervals []record.Interval) bool {
	var now time.Duration
	for _, i := range intervals {
		h := i.Service
		if h == nil {
			h = i.Response
		}
		s.count += h.TotalCount()
		s.sum += h.Mean() * float64(h.TotalCount())
		now = i.End
	}
	if now-s.start >= s.Window && s.count > 0 {
		s.window(s.sum / float64(s.count))
		s.start, s.sum, s.count = now, 0, 0
	}
	if s.missed >= s.Patience {
		return true
	}
	s.Cut = now >= s.Limit
	return s.Cut
}

// window ends a window with the given mean.
func (s *Steady) window(mean float64) {
	if s.best == 0 || mean < progress*s.best {
		s.best, s.missed = mean, 0
		return
	}
	s.missed++
}
