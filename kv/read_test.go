package kv

import (
	"testing"

	"kvbench/internal/suite"
	"kvbench/internal/workload"
)

// BenchmarkRead reads preloaded rows by their key, in closed loop: YugabyteDB's
// read-heavy key-value workload.
func BenchmarkRead(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *suite.System) {
		kv := bench.Settings().KV
		keys, err := workload.Parse(kv.Dist)
		if err != nil {
			b.Fatal(err)
		}
		sys.Run(b, suite.Job{
			Table:   suite.Table{Name: "read"},
			Rows:    keyValues(b),
			Preload: kv.Keys,
			Loads:   []suite.Load{{Kind: "read", Clients: kv.Readers, Op: suite.Get{Keys: keys}}},
		})
	})
}
