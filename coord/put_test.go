package coord

import (
	"testing"

	"kvbench/internal/suite"
)

// BenchmarkPut writes new keys in order, in closed loop.
func BenchmarkPut(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *suite.System) {
		for _, clients := range bench.Settings().Coord.Clients {
			sys.Run(b, suite.Job{
				Table: suite.Table{Name: "put"},
				Rows:  rows(b, manyKeys),
				Loads: []suite.Load{{Kind: "write", Clients: clients, Op: suite.Insert{}}},
			})
		}
	})
}
