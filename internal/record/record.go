// Package record holds what a run saw: latency histograms, failures by class
// and per-interval snapshots, in memory that does not grow with the run.
//
// Clients record into a few mutex-guarded stripes, never into one histogram
// each (1,000 clients would take 254 MB) and never into one shared by all (a
// lock that every operation of every client meets). A collector takes what the
// stripes have recorded away, once an interval or at the end, and adds it up.
package record

import (
	"math"
	"sync"
	"time"
)

// maxStripes bounds the memory of a Recorder; beyond some 16 stripes two
// clients hardly ever meet at a lock.
const maxStripes = 16

// A Config says what a Recorder is for.
type Config struct {
	Kind     string        // kind of operation, e.g. "read"
	Clients  int           // clients that will record
	OpenLoop bool          // keep service time and start lag beside response time
	Window   time.Duration // length of the run: later completions are no throughput; 0: the run ends with its last operation
}

// A Recorder collects the outcomes of one kind of operation during one run.
type Recorder struct {
	config  Config
	stripes []Stripe

	collect  sync.Mutex // guards what only the collector touches
	spare    *sample    // empty
	sum      *sample    // of the stripes; empty
	interval *Latencies
	total    *Latencies
	seen     Counts
	last     time.Duration
}

// New returns an empty Recorder.
func New(c Config) *Recorder {
	n := min(max(c.Clients, 1), maxStripes)
	r := &Recorder{config: c, stripes: make([]Stripe, n)}
	for i := range r.stripes {
		r.stripes[i].sample = newSample(c.OpenLoop)
		r.stripes[i].window = c.Window
		if c.Window == 0 {
			r.stripes[i].window = math.MaxInt64
		}
	}
	r.spare, r.sum = newSample(c.OpenLoop), newSample(c.OpenLoop)
	r.interval, r.total = newLatencies(c.OpenLoop), newLatencies(c.OpenLoop)
	return r
}

// Kind returns the kind of operation that the Recorder is for.
func (r *Recorder) Kind() string { return r.config.Kind }

// Stripe returns the stripe that client number i records into.
func (r *Recorder) Stripe(i int) *Stripe { return &r.stripes[i%len(r.stripes)] }

// An Op is one operation's instants, counted from the start of the run.
type Op struct {
	Intended time.Duration // when the schedule wanted it to start; Sent in closed loop
	Sent     time.Duration // when the request was handed to the target
	Done     time.Duration // when the reply was there, or the operation failed
}

// A Stripe is the part of a Recorder that some clients share.
type Stripe struct {
	mu     sync.Mutex
	sample *sample
	counts Counts
	window time.Duration
	_      [64]byte // the next stripe's lock is on another cache line
}

// Success records an operation that was acknowledged and verified.
func (s *Stripe) Success(o Op) {
	s.mu.Lock()
	s.sample.replied(o)
	s.counts.OK++
	if o.Done <= s.window {
		s.counts.InWindow++
		if o.Done > s.window/2 {
			s.counts.Late.Done++
		}
	}
	s.arrive(o)
	s.mu.Unlock()
}

// Failure records an operation that failed. Of latencies only a timeout's and an
// unstarted operation's are kept: the operation took at least that long, whereas
// a refusal says nothing about how long the work takes and would make a failing
// system look fast.
func (s *Stripe) Failure(o Op, c Class, err error) {
	s.mu.Lock()
	switch c {
	case Timeout:
		s.sample.replied(o)
	case Unstarted:
		s.sample.unsent(o)
	}
	s.arrive(o)
	s.counts.Failed[c]++
	if s.counts.First[c] == nil {
		s.counts.First[c] = err
	}
	s.mu.Unlock()
}

// arrive counts an arrival in the second half of the window.
func (s *Stripe) arrive(o Op) {
	if o.Intended > s.window/2 && o.Intended <= s.window {
		s.counts.Late.Arrived++
	}
}
