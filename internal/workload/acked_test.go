package workload

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func TestAckedLimit(t *testing.T) {
	type step struct {
		fail bool
		n    int64
		want int64 // limit afterwards
	}
	for _, test := range []struct {
		why     string
		preload int64
		steps   []step
	}{
		{"nothing is readable before the first write", 0, []step{{n: 1, want: 0}, {n: 0, want: 2}}},
		{"preloaded keys are readable", 10, []step{{n: 10, want: 11}}},
		{"a preload that ends with a word", 64, []step{{n: 65, want: 64}, {n: 64, want: 66}}},
		{"a gap holds readers back", 0, []step{{n: 0, want: 1}, {n: 2, want: 1}, {n: 3, want: 1}, {n: 1, want: 4}}},
		{"a failure doesn't", 0, []step{{n: 0, want: 1}, {n: 2, want: 1}, {n: 1, fail: true, want: 3}}},
		{"an update moves nothing", 70, []step{{n: 3, want: 70}, {n: 3, fail: true, want: 70}, {n: 70, want: 71}}},
		{"the same key twice counts once", 0, []step{{n: 1, want: 0}, {n: 1, want: 0}, {n: 0, want: 2}, {n: 0, want: 2}}},
		{"a gap over words", 0, []step{{n: 200, want: 0}, {n: 0, want: 1}}},
	} {
		a := NewAcked(test.preload)
		if a.Limit() != test.preload {
			t.Errorf("%s: limit of a new one is %d, want %d", test.why, a.Limit(), test.preload)
		}
		for _, s := range test.steps {
			if s.fail {
				a.Fail(s.n)
			} else {
				a.Ack(s.n)
			}
			if a.Limit() != s.want {
				t.Errorf("%s: limit after key %d is %d, want %d", test.why, s.n, a.Limit(), s.want)
			}
		}
	}
}

// A range is settled as its keys are one by one, whatever words it covers.
func TestAckedRanges(t *testing.T) {
	for _, first := range []int64{0, 10, 63, 64, 100} {
		a, each := NewAcked(first), NewAcked(first)
		for i, r := range []struct {
			n, count int64
			fail     bool
		}{{200, 25, false}, {first, 3, false}, {first + 3, 197, true}, {first / 2, first - first/2 + 5, false}, {150, 200, false}} {
			if r.fail {
				a.FailRange(r.n, r.count)
			} else {
				a.AckRange(r.n, r.count)
			}
			for n := r.n; n < r.n+r.count; n++ {
				if r.fail {
					each.Fail(n)
				} else {
					each.Ack(n)
				}
			}
			if a.Limit() != each.Limit() || a.Failed() != each.Failed() {
				t.Errorf("first %d, range %d: limit %d, %d failed, want %d, %d", first, i, a.Limit(), a.Failed(), each.Limit(), each.Failed())
			}
			for n := range int64(400) {
				if a.Readable(n) != each.Readable(n) {
					t.Errorf("first %d, range %d: key %d readable %v", first, i, n, a.Readable(n))
				}
			}
		}
	}
}

func TestReadable(t *testing.T) {
	a := NewAcked(100)
	a.Ack(100)
	a.Fail(101)
	a.Ack(103)
	for _, test := range []struct {
		why  string
		n    int64
		want bool
	}{
		{"a preloaded key", 0, true},
		{"an acknowledged key", 100, true},
		{"a failed key", 101, false},
		{"a key whose write is open", 102, false},
		{"an acknowledged key above an open one", 103, false},
		{"a negative key", -1, false},
	} {
		if got := a.Readable(test.n); got != test.want {
			t.Errorf("%s: Readable(%d) is %v", test.why, test.n, got)
		}
	}
	a.Ack(101)
	if !a.Readable(101) || a.Failed() != 0 {
		t.Errorf("a failed key that was acknowledged later: readable %v, %d failed, want true, 0", a.Readable(101), a.Failed())
	}
}

func TestFailedCountsKeysOnce(t *testing.T) {
	a := NewAcked(0)
	for _, n := range []int64{5, 5, 6, 1 << 40, 5} {
		a.failed.add(n)
	}
	if a.Failed() != 3 {
		t.Errorf("%d failed, want 3", a.Failed())
	}
	for _, n := range []int64{5, 5, 7, 1 << 40, 6} {
		a.failed.remove(n)
	}
	if a.Failed() != 0 || len(a.failed.mu.words) != 0 {
		t.Errorf("%d failed in %d words, want none", a.Failed(), len(a.failed.mu.words))
	}
}

func TestDrawSkipsFailedKeys(t *testing.T) {
	for _, test := range []struct {
		why      string
		dist     string
		keys     int64
		readable []int64
	}{
		{"uniform finds the others", "uniform", 10, []int64{0, 3, 9}},
		{"one key of many, which redrawing would not find", "uniform", 100_000, []int64{77_777}},
		{"the search goes round", "latest", 1000, []int64{0}},
		{"the top key", "hotspot:0.5:1", 1000, []int64{999}},
		{"an outage in the middle of a sequence", "sequential", 200, []int64{0, 1, 2, 198, 199}},
	} {
		a := NewAcked(0)
		for n := range test.keys {
			if slices.Contains(test.readable, n) {
				a.Ack(n)
			} else {
				a.Fail(n)
			}
		}
		d, err := Parse(test.dist)
		if err != nil {
			t.Fatal(err)
		}
		r := Rand(1, "test", 0)
		seen := map[int64]bool{}
		for range 500 {
			n, ok := a.Draw(d, r)
			if !ok || !a.Readable(n) {
				t.Fatalf("%s: drew key %d, %v", test.why, n, ok)
			}
			seen[n] = true
		}
		if len(seen) != len(test.readable) {
			t.Errorf("%s: drew %v, want all of %v", test.why, seen, test.readable)
		}
	}
}

func TestDrawWithoutReadableKeys(t *testing.T) {
	empty, failed := NewAcked(0), NewAcked(0)
	for n := range int64(130) {
		failed.Fail(n)
	}
	for _, a := range []*Acked{empty, failed} {
		if n, ok := a.Draw(Uniform{}, Rand(1, "test", 0)); ok {
			t.Errorf("drew key %d of %d with %d failed", n, a.Limit(), a.Failed())
		}
	}
}

func TestWindowIsNoLongerThanWhatIsOpen(t *testing.T) {
	a := NewAcked(0)
	r := Rand(1, "test", 0)
	const open, keys = 64, 100_000
	pending := make([]int64, 0, open)
	for n := range int64(keys) {
		pending = append(pending, n)
		if len(pending) == open {
			// Any may be next, but none stays open for more than 4,096 others.
			i := r.IntN(open)
			if oldest := slices.Index(pending, slices.Min(pending)); n-pending[oldest] >= 4096 {
				i = oldest
			}
			a.Ack(pending[i])
			pending[i] = pending[open-1]
			pending = pending[:open-1]
		}
		if words := len(a.mu.window); words > 4096/64+2 {
			t.Fatalf("%d words for 4,096 keys", words)
		}
	}
	for _, n := range pending {
		a.Ack(n)
	}
	if a.Limit() != keys {
		t.Errorf("limit is %d, want %d", a.Limit(), keys)
	}
}

// Readers see only keys that a writer has acknowledged before, while many
// writers settle keys in their own order. Run with -race.
func TestAckedAmongManyWriters(t *testing.T) {
	const writers, readers, keys = 16, 2, 2_000
	outcome := func(n int64) bool { return n%10 != 3 } // acknowledged?
	a := NewAcked(0)
	var written [keys]bool // not atomic: -race proves that Ack is seen before the read
	var next Sequential
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			r := Rand(1, "writer", w)
			for {
				n := next.Next(nil, 1<<40)
				if n >= keys {
					return
				}
				written[n] = outcome(n)
				spin(r)
				if outcome(n) {
					a.Ack(n)
				} else {
					a.Fail(n)
				}
			}
		})
	}
	for i := range readers {
		reading.Go(func() {
			r := Rand(1, "reader", i)
			for a.Limit() < keys {
				if n, ok := a.Draw(Uniform{}, r); ok && !written[n] {
					t.Errorf("drew key %d, which nobody has acknowledged", n)
					return
				}
			}
		})
	}
	writing.Wait()
	reading.Wait()
	if a.Limit() != keys || a.Failed() != keys/10 {
		t.Errorf("limit %d, %d failed, want %d, %d", a.Limit(), a.Failed(), keys, keys/10)
	}
}

// spin takes a short, random while.
func spin(r *rand.Rand) {
	for range r.IntN(100) {
		r.Uint64()
	}
}
