package suite

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"kvbench/internal/target"
	"kvbench/internal/target/fake"
	"kvbench/internal/workload"
)

// Each kind of load tries what it writes; rows that are there are rewritten.
func TestProbe(t *testing.T) {
	for _, tc := range []struct {
		op   Op
		puts int64
		want string // of the error if requests are too large
	}{
		{Insert{}, 1, "one row of 69 bytes ("},
		{Update{}, 1, "one row of 69 bytes ("},
		{Get{}, 0, ""},
		{PutBatch{Rows: 3}, 1, "a batch of 3 rows, 207 bytes (BATCH_ROWS, BATCH_VALUE_SIZE): "},
	} {
		t.Run(tc.op.name(), func(t *testing.T) {
			var refuse atomic.Bool
			config := fake.Config{Fail: func(fake.Op) error {
				if refuse.Load() {
					return fmt.Errorf("no: %w", target.ErrTooLarge)
				}
				return nil
			}}
			table, client := newTestTable(t, config, 0)
			insert := Insert{}.client(table, client, workload.Rand(1, "test", 0))
			const rows = 5
			for i := range int64(rows) {
				insert.Prepare(i)
				insert.Done(insert.Do(t.Context()))
			}
			table.first = rows
			store := table.store.(*fake.Store)
			before := store.Ops(fake.Put)
			probe := func() error { return tc.op.probe(t.Context(), table, client, workload.Rand(0, "probe", 0)) }
			if err := probe(); err != nil {
				t.Fatal(err)
			}
			if n := store.Ops(fake.Put) - before + store.Ops(fake.PutBatch); n != tc.puts {
				t.Errorf("%d requests, want %d", n, tc.puts)
			}
			if n, _ := table.store.Count(t.Context()); n != rows {
				t.Errorf("%d rows, want the %d that were there", n, rows)
			}
			refuse.Store(true)
			err := probe()
			if tc.want == "" && err == nil {
				return
			}
			if !errors.Is(err, target.ErrTooLarge) || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
