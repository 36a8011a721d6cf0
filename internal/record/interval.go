package record

import "time"

// An Interval is what happened in a part of a run. Its histograms belong to the
// Recorder and are valid until its next interval.
type Interval struct {
	Kind       string
	Start, End time.Duration // from the start of the run; operations count where they are done
	Counts     Counts
	*Latencies
}

// Interval returns what was recorded since the last call, and remembers it in
// the total. End is the time of the call. Intervals are taken by one goroutine
// at a time; recording goes on meanwhile. Nobody has to take any: a Summary has
// it all.
func (r *Recorder) Interval(end time.Duration) Interval {
	r.collect.Lock()
	defer r.collect.Unlock()
	r.interval.reset()
	var counts Counts
	for i := range r.stripes {
		s := &r.stripes[i]
		s.mu.Lock()
		full := s.sample
		s.sample = r.spare
		counts.add(&s.counts)
		s.mu.Unlock()
		full.moveTo(r.sum)
		r.spare = full
	}
	r.sum.pour(r.interval, r.total)
	i := Interval{Kind: r.config.Kind, Start: r.last, End: end, Counts: counts.since(&r.seen), Latencies: r.interval}
	r.seen, r.last = counts, end
	return i
}
