package suite

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"kvbench/internal/target"
	"kvbench/internal/target/fake"
	"kvbench/internal/workload"
)

// newTestTable returns a table of a store as programmed, of which first rows are
// said to be there, and a client.
func newTestTable(t *testing.T, c fake.Config, first int64) (*table, target.Client) {
	t.Helper()
	rows, err := KeyValues(64, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	store := fake.Open(c)
	client, err := store.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return newTable(rows, store, first), client
}

// readBack writes n rows with failures to a store of the given program and
// reads them back.
func readBack(t *testing.T, c fake.Config, n int64, spoil func(target.Client, Rows)) (missing, wrong, read int64, err error) {
	t.Helper()
	table, client := newTestTable(t, c, 0)
	insert := Insert{}.client(table, client, workload.Rand(1, "test", 0))
	for i := range n {
		insert.Prepare(i)
		insert.Done(insert.Do(t.Context()))
	}
	if spoil != nil {
		spoil(client, table.rows)
	}
	l, err := table.readBack(t.Context(), client, table.acked.Limit(), workload.Rand(1, "read back", 0), time.Second)
	return l.Missing, l.Wrong, l.Read, err
}

func TestReadBack(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		config   fake.Config
		spoil    func(target.Client, Rows)
		check    func(missing, wrong, read int64, err error) bool
	}{
		{"all is well", fake.Config{}, nil,
			func(missing, wrong, read int64, err error) bool {
				return missing+wrong == 0 && read == 100 && err == nil
			}},
		{"every second row was lost", fake.Config{Lose: fake.Every(2)}, nil,
			func(missing, wrong, _ int64, err error) bool { return missing == 50 && wrong == 0 && err == nil }},
		{"every second row is wrong", fake.Config{Corrupt: fake.Every(2)}, nil,
			func(missing, wrong, _ int64, err error) bool { return missing == 0 && wrong == 50 && err == nil }},
		{"a row was replaced by another", fake.Config{}, func(c target.Client, rows Rows) {
			row := rows.buffer()
			for n := range int64(100) {
				rows.fill(&row, n+1, workload.Rand(1, "other", 0))
				row.Key = rows.Keys.Append(row.Key[:0], n)
				c.Put(context.Background(), row)
			}
		}, func(_, wrong, read int64, err error) bool { return wrong == read && err == nil }},
		{"one row of a hundred is wrong", fake.Config{}, func(c target.Client, rows Rows) {
			row := rows.buffer()
			rows.fill(&row, 0, workload.Rand(1, "other", 0))
			row.Key = rows.Keys.Append(row.Key[:0], 99)
			c.Put(context.Background(), row)
		}, func(missing, wrong, read int64, err error) bool {
			return missing == 0 && wrong == 1 && read == 100 && err == nil
		}},
		{"rows whose write failed are not looked for", fake.Config{Fail: onPuts(fake.Every(2))}, nil,
			func(missing, wrong, read int64, err error) bool {
				return missing+wrong == 0 && read == 50 && err == nil
			}},
		{"a read that fails is tried again", fake.Config{Fail: onGets(fake.Every(3))}, nil,
			func(missing, wrong, read int64, err error) bool {
				return missing+wrong == 0 && read == 100 && err == nil
			}},
		{"a store that can't be read is no loss but an error", fake.Config{Fail: onGets(fake.Every(1))}, nil,
			func(missing, wrong, _ int64, err error) bool { return missing+wrong == 0 && errors.Is(err, errBoom) }},
	} {
		missing, wrong, read, err := readBack(t, tc.config, 100, tc.spoil)
		if !tc.check(missing, wrong, read, err) {
			t.Errorf("%s: %d missing, %d wrong of %d (%v)", tc.sentence, missing, wrong, read, err)
		}
	}
}

// A reads is a client that takes down which keys are read.
type reads struct {
	target.Client
	keys map[string]int
}

func (r reads) Get(ctx context.Context, row target.Row) error {
	r.keys[string(row.Key)]++
	return r.Client.Get(ctx, row)
}

func TestSampleOfManyRowsHasNoRowTwice(t *testing.T) {
	table, client := newTestTable(t, fake.Config{}, 0)
	const rows = 3*sampled + 7
	insert := Insert{}.client(table, client, workload.Rand(1, "test", 0))
	for i := range int64(rows) {
		insert.Prepare(i)
		insert.Done(insert.Do(t.Context()))
	}
	r := reads{client, map[string]int{}}
	l, err := table.readBack(t.Context(), r, rows, workload.Rand(1, "read back", 0), time.Second)
	if err != nil || l.Read != sampled || len(r.keys) != sampled {
		t.Errorf("%d reads of %d rows (%v), want %d of as many", l.Read, len(r.keys), err, sampled)
	}
}

func on(kind fake.Kind, chosen func(fake.Op) bool) func(fake.Op) error {
	return fake.With(errBoom, func(op fake.Op) bool { return op.Kind == kind && chosen(op) })
}

func onPuts(chosen func(fake.Op) bool) func(fake.Op) error { return on(fake.Put, chosen) }
func onGets(chosen func(fake.Op) bool) func(fake.Op) error { return on(fake.Get, chosen) }

// A server that no longer answers must not make the end of a run wait for ever.
func TestReadBackHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := fake.Config{Latency: func(op fake.Op) time.Duration {
			if op.Kind == fake.Get {
				return 1000 * time.Hour
			}
			return 0
		}}
		if _, _, _, err := readBack(t, hangs, 10, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want a missed deadline", err)
		}
	})
}
