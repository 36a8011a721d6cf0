package record

import (
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// A tally counts values in the slots of an HdrHistogram of our range and digits:
// what it pours into one is, bit for bit, what that had recorded itself. It
// remembers which slots have been used, so that emptying it costs as much as
// they are many. The library walks all 31,744 slots, one at a time, to merge a
// histogram, which would keep the only processor from clients for milliseconds.
type tally struct {
	counts    []int64
	low, high int // used slots are in counts[low:high]
}

// Slots are linear up to 2·10^digits, rounded up to a power of two, and then half
// as many for each doubling.
const (
	subBits = 11
	half    = 1 << (subBits - 1)
)

func newTally() *tally {
	t := &tally{counts: make([]int64, slotOf(highest)+1)}
	t.low = len(t.counts)
	return t
}

// slotOf returns the slot of a value of at least 0.
func slotOf(v int64) int {
	shift := bits.Len64(uint64(v)|(1<<subBits-1)) - subBits
	return shift*half + int(v>>shift)
}

// valueOf returns the lowest value in a slot.
func valueOf(slot int) int64 {
	shift := max(slot/half-1, 0)
	return int64(slot-shift*half) << shift
}

func (t *tally) add(v int64) {
	i := slotOf(v)
	t.counts[i]++
	t.low, t.high = min(t.low, i), max(t.high, i+1)
}

// moveTo adds the counts to those of u and leaves none.
func (t *tally) moveTo(u *tally) {
	if t.low >= t.high {
		return
	}
	to := u.counts[t.low:t.high]
	for i, n := range t.counts[t.low:t.high] {
		to[i] += n
	}
	u.low, u.high = min(u.low, t.low), max(u.high, t.high)
	t.reset()
}

// pour records the counts in hs and leaves none.
func (t *tally) pour(hs ...*hdr.Histogram) {
	for i := t.low; i < t.high; i++ {
		n := t.counts[i]
		if n == 0 {
			continue
		}
		for _, h := range hs {
			h.RecordValues(valueOf(i), n) // cannot fail: the slot is one of h's
		}
	}
	t.reset()
}

func (t *tally) reset() {
	if t.low < t.high {
		clear(t.counts[t.low:t.high])
	}
	t.low, t.high = len(t.counts), 0
}
