package load

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// warming is a target that takes 10 ms at first, a twentieth less after each
// second, and 2 ms from some point on.
func warming(start time.Time) func(context.Context) error {
	return func(context.Context) error {
		d := 10 * time.Millisecond
		for range int(time.Since(start).Seconds()) {
			d = d * 19 / 20
		}
		time.Sleep(max(d, 2*time.Millisecond))
		return nil
	}
}

func TestWarmupGoesOnUntilTheTargetGetsNoFaster(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		do       func(time.Time) func(context.Context) error
		from, to time.Duration
	}{
		{"a target that is warm is steady after its first window and the patience", func(time.Time) func(context.Context) error { return takes(time.Millisecond) }, 8 * time.Second, 8 * time.Second},
		{"a target that gets faster for half a minute is waited for", warming, 31 * time.Second, 40 * time.Second},
		{"a slow moment is not the end", func(start time.Time) func(context.Context) error {
			return func(context.Context) error {
				if at := time.Since(start); at > 4*time.Second && at < 6*time.Second {
					time.Sleep(time.Second) // a pause in the middle of getting faster
				}
				return warming(start)(nil)
			}
		}, 31 * time.Second, 40 * time.Second},
		{"a target that always gets faster is not waited for beyond the limit", func(start time.Time) func(context.Context) error {
			return func(context.Context) error {
				time.Sleep(time.Duration(float64(time.Second) * math.Pow(0.9, time.Since(start).Seconds())))
				return nil
			}
		}, time.Minute, time.Minute + time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			steady := &Steady{Window: 2 * time.Second, Patience: 3, Limit: time.Minute}
			mustRun(t, Plan{
				Groups: []Group{groupOf(4, 0, nil, tc.do(start))},
				Every:  500 * time.Millisecond, OnInterval: steady.Add,
			})
			if took := time.Since(start).Round(500 * time.Millisecond); took < tc.from || took > tc.to {
				t.Errorf("%s: took %v, want %v to %v", tc.sentence, took, tc.from, tc.to)
			}
		})
	}
}
