package fake

import (
	"math/rand/v2"
	"time"
)

// Fixed is a latency that never varies.
func Fixed(d time.Duration) func(Op) time.Duration { return func(Op) time.Duration { return d } }

// Every says yes to every n-th operation of each kind: n-1, 2n-1, …
func Every(n int64) func(Op) bool {
	return func(op Op) bool { return op.N%n == n-1 }
}

// Share says yes to a share, 0 to 1, of the operations, chosen by seed.
func Share(share float64, seed uint64) func(Op) bool {
	return func(op Op) bool {
		pcg := rand.NewPCG(seed, uint64(op.N)*uint64(numKinds)+uint64(op.Kind))
		return rand.New(pcg).Float64() < share
	}
}

// With turns a choice of operations into their failure.
func With(err error, chosen func(Op) bool) func(Op) error {
	return func(op Op) error {
		if chosen(op) {
			return err
		}
		return nil
	}
}
