package suite

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kvbench/internal/target"
	"kvbench/internal/target/fake"
	"kvbench/internal/workload"
)

// What a key may hold after updates, each of a value of its own. Times are seconds.
func TestWhatMayBeThere(t *testing.T) {
	type written struct {
		value      uint64
		sent, done int
		failed     bool
	}
	for _, tc := range []struct {
		sentence string
		updates  []written // in the order in which they are taken down
		known    bool
		may      []uint64
		mustNot  []uint64
	}{
		{"nothing is demanded of a key that nobody updated", nil, false, nil, nil},
		{"the only update is there", []written{{1, 0, 1, false}}, true, []uint64{1}, []uint64{2}},
		{"a later update replaces an earlier one", []written{{1, 0, 1, false}, {2, 2, 3, false}}, true, []uint64{2}, []uint64{1}},
		{"replies may be taken down in another order", []written{{2, 2, 3, false}, {1, 0, 1, false}}, true, []uint64{2}, []uint64{1}},
		{"of two that overlap either may be the last", []written{{1, 0, 2, false}, {2, 1, 3, false}}, true, []uint64{1, 2}, nil},
		{"one sent when the other is done overlaps, too", []written{{1, 0, 1, false}, {2, 1, 3, false}}, true, []uint64{1, 2}, nil},
		{"a third one replaces both", []written{{1, 0, 2, false}, {2, 1, 3, false}, {3, 4, 5, false}}, true, []uint64{3}, []uint64{1, 2}},
		{"a long one may come after all of the short ones within it",
			[]written{{1, 1, 2, false}, {2, 3, 4, false}, {3, 0, 9, false}}, true, []uint64{2, 3}, []uint64{1}},
		{"a long one is replaced by what is sent after it", []written{{3, 0, 9, false}, {1, 10, 11, false}}, true, []uint64{1}, []uint64{3}},
		{"one that failed alone leaves what was there before", []written{{1, 0, 1, true}}, false, []uint64{1}, nil},
		{"one that failed may have been applied", []written{{1, 0, 1, false}, {2, 2, 3, true}}, true, []uint64{1, 2}, nil},
		{"one that failed doesn't replace", []written{{1, 0, 1, false}, {2, 2, 3, true}, {3, 4, 5, true}}, true, []uint64{1, 2, 3}, nil},
		{"servers may get to one that failed when later ones are done",
			[]written{{1, 0, 1, true}, {2, 2, 3, false}, {3, 4, 5, false}}, true, []uint64{1, 3}, []uint64{2}},
	} {
		var h history
		epoch := time.Now()
		for _, w := range tc.updates {
			at := func(s int) time.Time { return epoch.Add(time.Duration(s) * time.Second) }
			h.add(update{sent: at(w.sent), done: at(w.done), failed: w.failed, columns: []uint64{w.value}})
		}
		if h.known() != tc.known {
			t.Errorf("%s: known is %v, want %v", tc.sentence, h.known(), tc.known)
		}
		for _, v := range tc.may {
			if !h.allows([]uint64{v}) {
				t.Errorf("%s: update %d must be allowed", tc.sentence, v)
			}
		}
		for _, v := range tc.mustNot {
			if h.allows([]uint64{v}) {
				t.Errorf("%s: update %d must not be allowed", tc.sentence, v)
			}
		}
	}
}

func TestColumnsMayComeFromDifferentUpdates(t *testing.T) {
	var h history
	now := time.Now()
	for _, columns := range [][]uint64{{1, 10}, {2, 20}} {
		h.add(update{sent: now, done: now.Add(time.Second), columns: columns})
	}
	for _, tc := range []struct {
		columns []uint64
		want    bool
	}{{[]uint64{1, 10}, true}, {[]uint64{2, 10}, true}, {[]uint64{1, 30}, false}, {[]uint64{20, 1}, false}} {
		if h.allows(tc.columns) != tc.want {
			t.Errorf("columns %v: allowed is %v", tc.columns, !tc.want)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	now := time.Now()
	var acked, failed history
	for range 10_000 {
		sent := now
		now = now.Add(time.Millisecond)
		acked.add(update{sent: sent, done: now, columns: []uint64{1}})
		failed.add(update{sent: sent, done: now, columns: []uint64{1}, failed: true})
		now = now.Add(time.Millisecond)
		if len(acked.updates) > 1 || len(failed.updates) > maxFailed {
			t.Fatalf("%d updates in a row, %d failures kept", len(acked.updates), len(failed.updates))
		}
	}
	failed.add(update{sent: now, done: now, columns: []uint64{2}})
	if failed.known() {
		t.Error("what holds a key with so many failures is said to be known")
	}
}

// A key is watched from its first update on, or not at all.
func TestSampleOfKeys(t *testing.T) {
	for _, keys := range []int64{1, watchedKeys, watchedKeys + 1, 100_000} {
		u := newUpdates()
		var w update
		for range 2 {
			for n := range keys {
				u.begin(&w, n, target.Row{Values: [][]byte{{1}}})
				u.end(&w, nil)
			}
		}
		got := int64(len(u.known()))
		if least := min(keys, watchedKeys/4); got < least || got > watchedKeys {
			t.Errorf("%d of %d keys are watched, want %d to %d", got, keys, least, watchedKeys)
		}
		if keys <= watchedKeys && got != keys {
			t.Errorf("%d of %d keys are watched, want all", got, keys)
		}
	}
}

func TestUnwatchedKeysCostNoAllocation(t *testing.T) {
	u := newUpdates()
	u.level.Store(64) // none is
	w, row := update{}, target.Row{Values: [][]byte{make([]byte, 1024)}}
	if n := testing.AllocsPerRun(100, func() { u.begin(&w, 7, row); u.end(&w, nil) }); n != 0 {
		t.Errorf("an update allocates %v times, want 0", n)
	}
}

// updateRows is a client that performs n updates of keys drawn from d.
func updateRows(ctx context.Context, table *table, c target.Client, d workload.Distribution, client int, n int64) {
	u := Update{Keys: d}.client(table, c, workload.Rand(1, "update", client))
	for i := range n {
		u.Prepare(i)
		u.Done(u.Do(ctx))
	}
}

func TestReadUpdates(t *testing.T) {
	puts := func(from, to int64) func(fake.Op) bool {
		return func(op fake.Op) bool { return op.Kind == fake.Put && op.N >= from && op.N < to }
	}
	for _, tc := range []struct {
		sentence             string
		config               fake.Config
		updates              int64 // of 100 rows, in sequence
		read, missing, wrong int64
	}{
		{"all is well", fake.Config{}, 250, 100, 0, 0},
		{"rows without an update are not read", fake.Config{}, 30, 30, 0, 0},
		{"updates that were dropped", fake.Config{Lose: puts(150, 1000)}, 300, 100, 0, 100},
		{"one update that was dropped", fake.Config{Lose: puts(299, 300)}, 300, 100, 0, 1},
		{"dropped ones that later ones replaced don't matter", fake.Config{Lose: puts(100, 200)}, 300, 100, 0, 0},
		{"rows that were never there", fake.Config{Lose: puts(0, 100)}, 100, 100, 100, 0},
		{"failed updates leave what was there", fake.Config{Fail: fake.With(errBoom, puts(100, 200))}, 200, 100, 0, 0},
		{"nothing is demanded if all have failed", fake.Config{Fail: fake.With(errBoom, puts(0, 1000))}, 200, 0, 0, 0},
		{"a value with a wrong bit", fake.Config{Corrupt: func(op fake.Op) bool { return op.N == 5 }}, 200, 100, 0, 1},
		{"a read that fails is tried again", fake.Config{Fail: onGets(fake.Every(3))}, 200, 100, 0, 0},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tc.config.Latency = fake.Fixed(time.Millisecond)
				table, client := newTestTable(t, tc.config, 100)
				updateRows(t.Context(), table, client, new(workload.Sequential), 0, tc.updates)
				l, err := table.readUpdates(t.Context(), client, time.Second)
				if err != nil || l.Read != tc.read || l.Missing != tc.missing || l.Wrong != tc.wrong {
					t.Errorf("of %d rows %d missing, %d wrong (%v), want %d, %d, %d", l.Read, l.Missing, l.Wrong, err, tc.read, tc.missing, tc.wrong)
				}
				if (l.First != nil) != (tc.missing+tc.wrong > 0) {
					t.Errorf("first loss: %v", l.First)
				}
			})
		})
	}
}

func TestLostUpdateIsNamed(t *testing.T) {
	table, client := newTestTable(t, fake.Config{Lose: func(op fake.Op) bool { return op.N == 9 }}, 5)
	updateRows(t.Context(), table, client, new(workload.Sequential), 0, 10)
	l, err := table.readUpdates(t.Context(), client, time.Second)
	want := `key "key:4": not what was written: the last acknowledged update is not there`
	if err != nil || l.First == nil || l.First.Error() != want || !errors.Is(l.First, target.ErrCorrupt) {
		t.Errorf("%v, %v, want %s", l.First, err, want)
	}
}

func TestRowsThatCannotBeReadAreNoLoss(t *testing.T) {
	table, client := newTestTable(t, fake.Config{Fail: onGets(fake.Every(1))}, 5)
	updateRows(t.Context(), table, client, new(workload.Sequential), 0, 10)
	l, err := table.readUpdates(t.Context(), client, time.Second)
	if !errors.Is(err, errBoom) || l.Missing+l.Wrong != 0 {
		t.Errorf("%d missing, %d wrong, %v, want an error", l.Missing, l.Wrong, err)
	}
}

// Many clients update few rows at a time, of which any may be the last. Run with
// -race.
func TestConcurrentUpdates(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		lossy    bool
	}{{"a store that applies them in some order passes", false}, {"one that drops all from some time on doesn't", true}} {
		t.Run(tc.sentence, func(t *testing.T) {
			const clients, each, rows = 16, 500, 40
			lose := func(op fake.Op) bool { return tc.lossy && op.N >= clients*each/2 }
			jitter := func(op fake.Op) time.Duration { return time.Duration(mix(op.N) % uint64(100*time.Microsecond)) }
			fail := fake.With(errBoom, func(op fake.Op) bool { return op.Kind == fake.Put && op.N%50 == 7 })
			table, client := newTestTable(t, fake.Config{Lose: lose, Latency: jitter, Fail: fail}, rows)
			var wg sync.WaitGroup
			for i := range clients {
				wg.Go(func() {
					c, err := table.store.Client(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					updateRows(t.Context(), table, c, workload.Uniform{}, i, each)
				})
			}
			wg.Wait()
			l, err := table.readUpdates(t.Context(), client, time.Minute)
			if err != nil || l.Read != rows || l.Missing != 0 || (l.Wrong > 0) != tc.lossy {
				t.Errorf("of %d rows %d missing, %d wrong: %v (%v)", l.Read, l.Missing, l.Wrong, l.First, err)
			}
		})
	}
}
