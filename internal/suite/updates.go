package suite

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kvbench/internal/target"
	"kvbench/internal/verdict"
)

// Updates know what the rows that were updated may hold when nothing is written
// any more, so that a store which acknowledges updates and drops them is found.
//
// They watch a sample of keys: all those that were updated until there are too
// many, then a half of them chosen by a hash, then a half of that, and so on. Each
// updated key is watched with the same probability, however large the table and
// whatever the distribution, and from its first update on (P. B. Gibbons,
// "Distinct sampling for highly-accurate answers to distinct values queries", VLDB
// 2001). Other keys cost a load and a hash; watched ones take a lock, outside
// what is timed.
type updates struct {
	seed  maphash.Seed
	level atomic.Int32 // one in 2^level keys is watched
	mu    struct {
		sync.Mutex
		keys map[int64]*history
	}
}

// watchedKeys bounds the number of watched keys. Once it was reached, about a half
// of it or more are: if one key in a hundred lost its last update, that is found
// with a probability of 1 − 0.99^256 or more.
const watchedKeys = 512

func newUpdates() *updates {
	u := &updates{seed: maphash.MakeSeed()}
	u.mu.keys = make(map[int64]*history)
	return u
}

// An update is one write of a row that was there before.
type update struct {
	key        int64
	watched    bool
	failed     bool
	sent, done time.Time
	columns    []uint64 // hashes of its values
}

// watches reports whether the updates of a key are taken down.
func (u *updates) watches(key int64) bool {
	return bits.TrailingZeros64(mix(key)) >= int(u.level.Load())
}

// mix is the last step of Steele's, Lea's and Flood's SplitMix64.
func mix(n int64) uint64 {
	x := uint64(n) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// begin makes w the update of a key that is about to be sent.
func (u *updates) begin(w *update, key int64, row target.Row) {
	w.key, w.watched = key, u.watches(key)
	if w.watched {
		w.columns = u.hash(w.columns[:0], row)
		w.sent = time.Now()
	}
}

// hash appends the hash of each column's value to dst.
func (u *updates) hash(dst []uint64, row target.Row) []uint64 {
	for _, v := range row.Values {
		dst = append(dst, maphash.Bytes(u.seed, v))
	}
	return dst
}

// end takes down the outcome of w.
func (u *updates) end(w *update, err error) {
	if !w.watched {
		return
	}
	w.done, w.failed = time.Now(), err != nil
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.watches(w.key) {
		return // any more
	}
	h := u.mu.keys[w.key]
	if h == nil {
		h = new(history)
		u.mu.keys[w.key] = h
	}
	h.add(*w)
	for len(u.mu.keys) > watchedKeys {
		u.level.Add(1)
		maps.DeleteFunc(u.mu.keys, func(key int64, _ *history) bool { return !u.watches(key) })
	}
}

// A history is the updates of a key that may be what it holds in the end.
//
// One that was acknowledged can't be if another acknowledged one was sent after it
// was done. One that failed always can: the servers may still get to it when its
// client has given up, and when later ones are done. Thus a history has one update
// for each client at the most, and those that failed.
type history struct {
	updates []update
	last    time.Time // when the latest acknowledged one was sent; zero if there is none
	failed  int
}

// maxFailed bounds a history: of a key with more failures nothing is demanded.
const maxFailed = 64

// add adds an update. They come in any order.
func (h *history) add(w update) {
	if h.failed > maxFailed {
		return
	}
	w.columns = slices.Clone(w.columns)
	h.updates = append(h.updates, w)
	if w.failed {
		h.failed++
	} else if w.sent.After(h.last) {
		h.last = w.sent
	}
	h.updates = slices.DeleteFunc(h.updates, func(w update) bool {
		return h.failed > maxFailed || !w.failed && w.done.Before(h.last)
	})
}

// known reports whether the key can't hold anything else. What was there before
// the first update may still be unless one was acknowledged.
func (h *history) known() bool { return !h.last.IsZero() && h.failed <= maxFailed }

// allows reports whether columns of these hashes can be there. They may come from
// different updates: Cassandra merges rows column by column, and of two updates of
// the same microsecond the larger value counts.
func (h *history) allows(columns []uint64) bool {
	for i, sum := range columns {
		if !slices.ContainsFunc(h.updates, func(w update) bool { return w.columns[i] == sum }) {
			return false
		}
	}
	return true
}

// known returns the watched keys of which it is known what they can hold.
func (u *updates) known() []int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	var keys []int64
	for key, h := range u.mu.keys {
		if h.known() {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// check reports whether a row of a known key is what was written, with an error
// that wraps [target.ErrCorrupt].
func (u *updates) check(key int64, row target.Row) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.mu.keys[key].allows(u.hash(nil, row)) {
		return nil
	}
	return fmt.Errorf("%w: the last acknowledged update is not there", target.ErrCorrupt)
}

// readUpdates reads the watched rows with an acknowledged update, when nothing is
// written any more, and checks that they hold the last one, or one that may have
// been applied later. Each read has the given deadline.
func (t *table) readUpdates(ctx context.Context, c target.Client, timeout time.Duration) (verdict.Lost, error) {
	r := reader{table: t, client: c, timeout: timeout, row: t.rows.buffer()}
	for _, n := range t.updates.known() {
		if err := r.read(ctx, n, t.updates.check); err != nil {
			return r.lost, err
		}
	}
	return r.lost, nil
}
