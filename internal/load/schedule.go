package load

import "time"

// A Schedule says when the operations of an open loop are meant to start.
type Schedule interface {
	// At returns the intended start of operation n, from the start of the run.
	// It never decreases with n.
	At(n int64) time.Duration
}
