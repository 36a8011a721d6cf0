package batch

import (
	"fmt"
	"testing"

	"kvbench/internal/suite"
	"kvbench/internal/target/cql"
)

// BenchmarkWrite writes batches of new rows, in closed loop.
func BenchmarkWrite(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *suite.System) {
		if sys.CQL() {
			for _, kind := range []string{"logged", "unlogged"} {
				for _, spread := range []bool{true, false} {
					writeCQL(b, sys, kind, spread)
				}
			}
			return
		}
		b.Run("batch=atomic", func(b *testing.B) { write(b, sys, suite.Table{Name: "batches"}, rows(b)) })
	})
}

// writeCQL writes batches whose rows are spread over partitions, or lie in one.
func writeCQL(b *testing.B, sys *suite.System, kind string, spread bool) {
	size := bench.Settings().Batch.Rows
	table, r, partitions := suite.Table{Name: "batches", Batch: kind}, rows(b), size
	if !spread {
		table.Name, table.Schema, partitions = "partitions", cql.Partitioned(), 1
		r.Keys = suite.PartitionKeys{Rows: int64(size)}
	}
	name := fmt.Sprintf("batch=%s/partitions=%d", kind, partitions)
	b.Run(name, func(b *testing.B) { write(b, sys, table, r) })
}

func write(b *testing.B, sys *suite.System, table suite.Table, rows suite.Rows) {
	batch := bench.Settings().Batch
	sys.Run(b, suite.Job{
		Table: table,
		Rows:  rows,
		Loads: []suite.Load{{Kind: "write", Clients: batch.Writers, Op: suite.PutBatch{Rows: batch.Rows}}},
	})
}

// rows are the rows of yb-sample-apps.
func rows(b *testing.B) suite.Rows {
	s := bench.Settings()
	rows, err := suite.KeyValues(s.Batch.ValueSize, 0, s.Bench.Seed)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}
