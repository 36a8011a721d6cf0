package kv

import (
	"testing"

	"kvbench/internal/suite"
	"kvbench/internal/target/cql"
	"kvbench/internal/workload"
)

// Arrival rates of the published run of NDBench, scaled by KV_RATE.
const (
	readsPerSecond  = 7200
	writesPerSecond = 1800
)

// BenchmarkMixed reads and updates preloaded rows of several columns, in open
// loop: Netflix's NDBench. With KV_MIXED_INSERT the writers insert new rows, which
// are read as soon as they are acknowledged.
func BenchmarkMixed(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *suite.System) {
		kv := bench.Settings().KV
		pool, err := workload.NewPool(kv.Values, kv.MixedValueSize, bench.Settings().Bench.Seed)
		if err != nil {
			b.Fatal(err)
		}
		reads, err := workload.Parse(kv.Dist)
		if err != nil {
			b.Fatal(err)
		}
		writes, err := workload.Parse(kv.Dist)
		if err != nil {
			b.Fatal(err)
		}
		var write suite.Op = suite.Update{Keys: writes}
		if kv.MixedInsert {
			write = suite.Insert{}
		}
		sys.Run(b, suite.Job{
			Table:   suite.Table{Name: "mixed", Schema: cql.Wide(kv.Columns)},
			Rows:    suite.Rows{Keys: workload.NDBenchKeys(), Columns: kv.Columns, Values: suite.PoolValues{Pool: pool}},
			Preload: kv.MixedKeys,
			Loads: []suite.Load{
				{Kind: "read", Clients: kv.MixedReaders, Op: suite.Get{Keys: reads}, Rate: readsPerSecond * kv.Rate},
				{Kind: "write", Clients: kv.MixedWriters, Op: write, Rate: writesPerSecond * kv.Rate},
			},
		})
	})
}
