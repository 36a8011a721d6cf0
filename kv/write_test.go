package kv

import (
	"testing"

	"kvbench/internal/suite"
)

// BenchmarkWrite inserts rows with sequential new keys, in closed loop:
// YugabyteDB's write-heavy key-value workload.
func BenchmarkWrite(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *suite.System) {
		sys.Run(b, suite.Job{
			Table: suite.Table{Name: "write"},
			Rows:  keyValues(b),
			Loads: []suite.Load{{Kind: "write", Clients: bench.Settings().KV.Writers, Op: suite.Insert{}}},
		})
	})
}
