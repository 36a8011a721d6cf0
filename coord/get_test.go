package coord

import (
	"testing"

	"kvbench/internal/suite"
	"kvbench/internal/workload"
)

// BenchmarkGet reads preloaded keys, each with the same probability, in closed
// loop.
func BenchmarkGet(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *suite.System) {
		b.Run("consistency=linearizable", func(b *testing.B) { get(b, sys, false) })
		b.Run("consistency=stale", func(b *testing.B) { get(b, sys, true) })
	})
}

func get(b *testing.B, sys *suite.System, stale bool) {
	coord := bench.Settings().Coord
	for _, clients := range coord.Clients {
		sys.Run(b, suite.Job{
			Table:   suite.Table{Name: "get"},
			Rows:    rows(b, coord.Keys),
			Preload: coord.Keys,
			Loads:   []suite.Load{{Kind: "read", Clients: clients, Op: suite.Get{Keys: workload.Uniform{}, Stale: stale}}},
		})
	}
}
