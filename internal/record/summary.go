package record

import "time"

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
