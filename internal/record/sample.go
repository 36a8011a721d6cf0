package record

import "time"

// A sample is what a stripe has recorded since the last collection, in
// nanoseconds from lowest to highest. service and lag are nil in closed loop.
type sample struct {
	response, service, lag *tally

	max     time.Duration
	clipped int64
}

func newSample(openLoop bool) *sample {
	s := &sample{response: newTally()}
	if openLoop {
		s.service, s.lag = newTally(), newTally()
	}
	return s
}

// replied records an operation that was sent and is done.
func (s *sample) replied(o Op) {
	s.unsent(o)
	if s.service != nil {
		s.put(s.service, o.Done-o.Sent)
	}
}

// unsent records an operation whose request never left: whoever asked for it
// waited until o.Done, but no server served it, so it has no service time.
func (s *sample) unsent(o Op) {
	response := o.Done - o.Intended
	s.max = max(s.max, response)
	s.put(s.response, response)
	if s.lag != nil {
		s.put(s.lag, o.Sent-o.Intended)
	}
}

func (s *sample) put(t *tally, d time.Duration) {
	v := max(int64(d), lowest)
	if v > highest {
		v = highest
		s.clipped++
	}
	t.add(v)
}

// moveTo adds the sample to another and leaves it empty.
func (s *sample) moveTo(to *sample) {
	s.response.moveTo(to.response)
	if s.service != nil {
		s.service.moveTo(to.service)
		s.lag.moveTo(to.lag)
	}
	to.max = max(to.max, s.max)
	to.clipped += s.clipped
	s.max, s.clipped = 0, 0
}

// pour adds the sample to both a and b and leaves it empty.
func (s *sample) pour(a, b *Latencies) {
	s.response.pour(a.Response, b.Response)
	if s.service != nil {
		s.service.pour(a.Service, b.Service)
		s.lag.pour(a.Lag, b.Lag)
	}
	for _, l := range []*Latencies{a, b} {
		l.Max = max(l.Max, s.max)
		l.Clipped += s.clipped
	}
	s.max, s.clipped = 0, 0
}
