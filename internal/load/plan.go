package load

import (
	"context"
	"time"

	"kvbench/internal/record"
)

// A Client performs operations one after the other, on its own goroutine.
// Only Do is timed.
type Client interface {
	// Prepare builds the request of operation n (0, 1, …; unique in its group).
	Prepare(n int64)
	// Do sends the request and waits for the reply, until ctx is done.
	Do(ctx context.Context) error
	// Done is told the outcome of Do and verifies the reply. What it returns is
	// the outcome of the operation.
	Done(err error) error
}

// A Group is a number of clients that perform one kind of operation.
type Group struct {
	Kind     string   // "read", "write", …: the label of its results
	Clients  []Client // at least one
	Schedule Schedule // nil: closed loop
	Ops      int64    // exact number of operations; 0: as many as Duration allows
	Recorder *record.Recorder
}

// A Plan says how much load is put on the target and when.
type Plan struct {
	Groups   []Group
	Duration time.Duration // of the run; 0: until every group has done its Ops
	Timeout  time.Duration // deadline of one operation; 0: 10 s
}
