package gate

import (
	"fmt"
	"math"
	"slices"
)

// adjust applies Holm's correction: the smallest of m probabilities counts m times,
// the next m-1 times, and none less than the one before.
func (r *Report) adjust() {
	order := make([]*Comparison, len(r.Comparisons))
	for i := range r.Comparisons {
		order[i] = &r.Comparisons[i]
	}
	slices.SortFunc(order, byP)
	adjusted := 0.0
	for i, c := range order {
		adjusted = max(adjusted, min(1, c.P*float64(len(order)-i)))
		c.Adjusted = adjusted
		c.judge(r.Alpha, r.MinChange)
	}
}

// checkPower reports a comparison in which nothing could have been significant: so
// few samples, of so many units, that not even sides without any overlap would be.
func (r *Report) checkPower() error {
	units := len(r.Comparisons)
	for _, c := range r.Comparisons {
		if least(c.Samples[0], c.Samples[1])*float64(units) < r.Alpha {
			return nil
		}
	}
	want := minSamples
	for least(want, want)*float64(units) >= r.Alpha {
		want++
	}
	return fmt.Errorf("%s, %s: %d comparisons of so few samples can't show anything at α = %v: want at least %d of each side (-count), or fewer units (-unit)",
		r.Old, r.New, units, r.Alpha, want)
}

// least returns the smallest probability that the U test can give for samples of m
// and n: all of one side above all of the other, or below.
func least(m, n int) float64 {
	lg := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return 2 * math.Exp(lg(m)+lg(n)-lg(m+n))
}
