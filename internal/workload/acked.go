package workload

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
)

// Acked knows which keys may be read: those whose write was acknowledged, from
// key 0 up to the first one whose outcome is still open. Writers tell it the
// outcome of every write, in any order; readers draw from what is settled.
//
// A write that failed or timed out may or may not have been applied. It doesn't
// hold readers back, and they don't draw its key, until a later write of that
// key is acknowledged.
//
// Memory is a bit for each key from the oldest open write to the newest settled
// one, which the deadline of operations bounds (10 s at 200,000 writes/s:
// 250 kB), and some 40 bytes for each 64 neighbours with a failed write. Acked
// is safe for concurrent use. Writers share a lock for some ten nanoseconds,
// outside what is timed; readers take none unless a write has failed.
type Acked struct {
	limit  atomic.Int64 // every key below is settled: acknowledged or failed
	failed failedKeys
	mu     struct {
		sync.Mutex
		first  int64    // number of window[0]'s first key; a multiple of 64
		window []uint64 // bit i%64 of window[i/64] is set if key first+i is settled
	}
}

// NewAcked returns an Acked for which the keys below count are acknowledged:
// those that a preload, or an earlier run, wrote.
func NewAcked(count int64) *Acked {
	a := new(Acked)
	a.mu.first = count &^ 63
	a.mu.window = []uint64{1<<(count&63) - 1}
	a.limit.Store(count)
	return a
}

// Ack says that a write of key n was acknowledged.
func (a *Acked) Ack(n int64) { a.AckRange(n, 1) }

// AckRange says that one write of count keys from n on was acknowledged.
func (a *Acked) AckRange(n, count int64) {
	for i := range count {
		a.failed.remove(n + i)
	}
	a.settle(n, count)
}

// Fail says that a write of key n failed, or that nobody knows its outcome.
// There is no need to report the failed update of a row that certainly exists.
func (a *Acked) Fail(n int64) { a.FailRange(n, 1) }

// FailRange says that one write of count keys from n on failed, or that nobody
// knows its outcome.
func (a *Acked) FailRange(n, count int64) {
	for i := range count {
		a.failed.add(n + i) // before readers can reach it
	}
	a.settle(n, count)
}

// Limit returns the largest v such that the outcome is known for the writes of
// all keys of [0, v).
func (a *Acked) Limit() int64 { return a.limit.Load() }

// Readable reports whether key n may be read: it is below the limit, and the
// last settled write of it was acknowledged.
func (a *Acked) Readable(n int64) bool {
	return n >= 0 && n < a.limit.Load() && !a.failed.has(n)
}

// Failed returns the number of keys whose last settled write failed.
func (a *Acked) Failed() int64 { return a.failed.count.Load() }

// Draw draws a readable key from d, and reports whether there is one.
func (a *Acked) Draw(d Distribution, r *rand.Rand) (n int64, ok bool) {
	const redraws = 16
	limit := a.Limit()
	if limit == 0 {
		return 0, false
	}
	for range redraws {
		n = d.Next(r, limit)
		if !a.failed.has(n) {
			return n, true
		}
	}
	return a.failed.firstOther(n, limit) // nearly all that d draws have failed
}

// settle sets the bits of count keys from n on and moves the limit past all
// settled keys.
func (a *Acked) settle(n, count int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := max(n, a.mu.first); i < n+count; i++ { // those before are updates
		word := int((i - a.mu.first) / 64)
		for len(a.mu.window) <= word {
			a.mu.window = append(a.mu.window, 0)
		}
		a.mu.window[word] |= 1 << (i & 63)
	}
	a.slide()
	limit := a.mu.first
	if len(a.mu.window) > 0 {
		limit += int64(bits.TrailingZeros64(^a.mu.window[0]))
	}
	a.limit.Store(limit)
}

// slide drops the words at the front of the window whose keys are all settled.
func (a *Acked) slide() {
	full := 0
	for full < len(a.mu.window) && a.mu.window[full] == ^uint64(0) {
		full++
	}
	a.mu.window = slices.Delete(a.mu.window, 0, full)
	a.mu.first += int64(full) * 64
}
