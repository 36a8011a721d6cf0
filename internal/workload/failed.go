package workload

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// failedKeys is a set of key numbers that is nearly always empty, and costs a
// load while it is. Failures come in runs, so that it keeps 64 neighbours in
// one word.
type failedKeys struct {
	count atomic.Int64 // size of the set
	mu    struct {
		sync.RWMutex
		words map[int64]uint64 // bit n%64 of words[n/64] is set if n is in the set
	}
}

func (f *failedKeys) add(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.words == nil {
		f.mu.words = make(map[int64]uint64)
	}
	word, bit := f.mu.words[n/64], uint64(1)<<(n%64)
	if word&bit == 0 {
		f.mu.words[n/64] = word | bit
		f.count.Add(1)
	}
}

func (f *failedKeys) remove(n int64) {
	if !f.has(n) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	word, bit := f.mu.words[n/64], uint64(1)<<(n%64)
	switch {
	case word&bit == 0:
		return // another writer was first
	case word == bit:
		delete(f.mu.words, n/64)
	default:
		f.mu.words[n/64] = word &^ bit
	}
	f.count.Add(-1)
}

func (f *failedKeys) has(n int64) bool {
	if f.count.Load() == 0 {
		return false
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.mu.words[n/64]>>(n%64)&1 == 1
}

// firstOther returns the first number that isn't in the set, of n … limit-1 and
// then of 0 … n-1, and whether there is one.
func (f *failedKeys) firstOther(n, limit int64) (int64, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if k, ok := f.firstOtherIn(n, limit); ok {
		return k, true
	}
	return f.firstOtherIn(0, n)
}

func (f *failedKeys) firstOtherIn(from, to int64) (int64, bool) {
	for from < to {
		if others := ^f.mu.words[from/64] >> (from % 64); others != 0 {
			n := from + int64(bits.TrailingZeros64(others))
			return n, n < to
		}
		from = (from/64 + 1) * 64
	}
	return 0, false
}
