package load

import (
	"context"
	"math/rand/v2"
	"time"

	"kvbench/internal/record"
)

// A client that failed waits before its next operation, so that a dead server
// is not a hot loop: up to 1 ms, doubling with each failure in a row up to 1 s,
// at random below that ("full jitter", M. Brooker, AWS Architecture Blog, 2015)
// so that clients don't come back all at once.
const (
	firstBackoff = time.Millisecond
	maxBackoff   = time.Second
)

// backoff returns the pause after the given number of failures in a row.
func backoff(failures int, r *rand.Rand) time.Duration {
	limit := maxBackoff
	if failures <= 10 {
		limit = min(firstBackoff<<(failures-1), maxBackoff)
	}
	return time.Duration(r.Int64N(int64(limit) + 1))
}

// calms reports whether a failure of class c is a reason to back off. The others
// are answers of a system that works.
func calms(c record.Class) bool {
	switch c {
	case record.Conflict, record.NotFound, record.Corrupt:
		return false
	}
	return true
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
