package suite

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestParallelCallsEachOnceAndSoManyAtATime(t *testing.T) {
	for _, tc := range []struct{ n, limit, together int }{{100, 8, 8}, {3, 8, 3}, {5, 1, 1}, {0, 8, 0}} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			var mu sync.Mutex
			calls := map[int]int{}
			err := parallel(tc.n, tc.limit, func(i int) error {
				mu.Lock()
				calls[i]++
				most.Store(max(most.Load(), now.Add(1)))
				mu.Unlock()
				time.Sleep(time.Second) // in fake time: all that can start do
				now.Add(-1)
				return nil
			})
			if err != nil || len(calls) != tc.n || int(most.Load()) != tc.together {
				t.Errorf("%d of %d calls, %d at a time, want %d (%v)", len(calls), tc.n, most.Load(), tc.together, err)
			}
			for i, n := range calls {
				if n != 1 {
					t.Errorf("%d calls of f(%d)", n, i)
				}
			}
		})
	}
}

func TestParallelStopsAtAnErrorAndWaitsForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls, done atomic.Int64
		err := parallel(1000, 4, func(i int) error {
			calls.Add(1)
			time.Sleep(time.Second)
			done.Add(1)
			if i == 5 {
				return errBoom
			}
			return nil
		})
		if !errors.Is(err, errBoom) {
			t.Errorf("error %v, want %v", err, errBoom)
		}
		if calls.Load() > 12 || done.Load() != calls.Load() {
			t.Errorf("%d calls of 1000 after the sixth had failed; %d were waited for", calls.Load(), done.Load())
		}
	})
}
