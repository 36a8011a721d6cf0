// Package load puts load on a target: closed loops of clients that wait for
// their replies, and open loops whose operations start on a schedule whatever
// the replies do.
//
// In open loop the latency that counts is response time, from the instant at
// which an operation was meant to start: an operation that had to wait for a
// free client was slow for whoever asked for it. Nothing is corrected
// afterwards and nothing is dropped; see Gil Tene, "How NOT to Measure Latency"
// (2013), on the coordinated omission that this avoids.
//
// There is no dispatcher and no channel. Whoever is free takes the next
// operation's number and intended start, and waits for that instant itself.
package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kvbench/internal/record"
)

// A Client performs operations one after the other, on one goroutine at a time.
// Only Do is timed.
type Client interface {
	// Prepare builds the request of operation n, a number that no other client
	// of the group gets. Numbers are handed out from 0 without gaps.
	Prepare(n int64)
	// Do sends the request and waits for the reply, until ctx is done. The same
	// ctx serves many operations.
	Do(ctx context.Context) error
	// Done is told the outcome of Do and verifies the reply. What it returns is
	// the outcome of the operation. If Do was not called, since the run had to end,
	// Done gets an error all the same: each Prepare is followed by one Done.
	Done(err error) error
}

// A Group is a number of clients that perform one kind of operation.
type Group struct {
	Clients  []Client // at least one
	Arrivals Arrivals // when operations are meant to start; nil: closed loop
	Ops      int64    // exact number of operations; 0: as many as Duration allows
	Recorder *record.Recorder
}

// A Plan says how much load is put on a target and when.
type Plan struct {
	Groups   []Group
	Duration time.Duration // operations start until then; 0: until every group has done its Ops
	Timeout  time.Duration // deadline of one operation; 0: DefaultTimeout
	Seed     uint64        // of the back-off's jitter

	// Every is the length of an interval; 0: one second.
	Every time.Duration
	// OnInterval, if not nil, gets each interval of every group, in the order of
	// Groups, while the load goes on. Returning true ends the run early: no
	// operation starts any more, those that are under way are waited for. Taking
	// intervals costs the client processor time, so without it none are taken.
	OnInterval func([]record.Interval) (stop bool)

	// Pacing, if not nil, replaces the platform's most precise way to wait for
	// an intended start.
	Pacing Pacing
}

// DefaultTimeout is the deadline of one operation unless a plan says otherwise.
const DefaultTimeout = 10 * time.Second

func (p *Plan) validate() error {
	if len(p.Groups) == 0 {
		return errors.New("load: plan has no groups")
	}
	for i, g := range p.Groups {
		switch {
		case len(g.Clients) == 0:
			return fmt.Errorf("load: group %d has no clients", i)
		case g.Recorder == nil:
			return fmt.Errorf("load: group %d has no recorder", i)
		case g.Ops < 0 || p.Duration < 0 || p.Timeout < 0:
			return fmt.Errorf("load: negative ops %d, duration %v or timeout %v", g.Ops, p.Duration, p.Timeout)
		case g.Ops == 0 && p.Duration == 0 && p.OnInterval == nil:
			return fmt.Errorf("load: group %d has no end: want ops or a duration", i)
		}
	}
	return nil
}
