package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Shares of a [Hotspot] if none are given, as in YCSB.
const (
	DefaultHotKeys = 0.2
	DefaultHotOps  = 0.8
)

// Hotspot is YCSB's hotspot distribution: the first Keys·n keys, at least one,
// get the share Ops of the operations, the other keys get the rest. Both parts
// are uniform. The hot keys are neighbours by number.
type Hotspot struct {
	keys float64 // share of the keys that are hot, 0 to 1
	ops  float64 // share of the operations that go to hot keys, 0 to 1
}

// NewHotspot returns the distribution in which a share of the keys gets a share
// of the operations, both from 0 to 1.
func NewHotspot(keys, ops float64) (Hotspot, error) {
	for _, share := range []float64{keys, ops} {
		if !(share >= 0 && share <= 1) {
			return Hotspot{}, fmt.Errorf("share %v: want 0 to 1", share)
		}
	}
	return Hotspot{keys: keys, ops: ops}, nil
}

// Next implements [Distribution].
func (h Hotspot) Next(r *rand.Rand, n int64) int64 {
	hot := min(n, max(1, int64(math.Round(h.keys*float64(n)))))
	if hot == n || r.Float64() < h.ops {
		return r.Int64N(hot)
	}
	return hot + r.Int64N(n-hot)
}

func (h Hotspot) String() string {
	return formatSpec("hotspot", []float64{h.keys, h.ops}, []float64{DefaultHotKeys, DefaultHotOps})
}
