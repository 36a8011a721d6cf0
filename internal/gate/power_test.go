package gate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What the gate finds and how often it is wrong, on made-up results: ten benchmarks
// of three units, ten repetitions a side, whose medians scatter by 5 %. The random
// numbers are always the same, so that the counts are, too.
func TestPower(t *testing.T) {
	const trials = 200
	for _, tc := range []struct {
		sentence    string
		slower      float64 // of one benchmark's p50, the others stay
		least, most int     // of the trials in which it is found
	}{
		{"equal sides are worse in one of a hundred comparisons, at the most", 0, 0, 2},
		{"5 % more is below the minimum in half of the cases, and rarely significant", 0.05, 0, 60},
		{"10 % more is found now and then", 0.10, 60, 150},
		{"20 % more is found", 0.20, 198, 200},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			found, wrong := 0, 0
			for range trials {
				r := compareText(t, Config{}, made(rng, 0), made(rng, tc.slower))
				for _, c := range r.Worse() {
					if c.Benchmark == "x.Put/clients=0" && c.Unit == "p50-ns" && tc.slower > 0 {
						found++
					} else {
						wrong++
					}
				}
			}
			if tc.slower == 0 {
				found = wrong
			}
			t.Logf("found in %d of %d, %d false alarms", found, trials, wrong)
			if found < tc.least || found > tc.most {
				t.Errorf("found in %d of %d trials, want %d to %d", found, trials, tc.least, tc.most)
			}
			if wrong > trials/50 {
				t.Errorf("%d false alarms in %d comparisons", wrong, trials)
			}
		})
	}
}

// made returns made-up results. The first benchmark's p50 is slower by a share.
func made(rng *rand.Rand, slower float64) string {
	var b strings.Builder
	b.WriteString("pkg: m/x\nUnit p50-ns better=lower\nUnit p90-ns better=lower\nUnit ops/s better=higher\n")
	scatter := func(v float64) float64 { return v * (1 + 0.05*rng.NormFloat64()) }
	for range 10 {
		for i := range 10 {
			p50 := 1e6
			if i == 0 {
				p50 *= 1 + slower
			}
			fmt.Fprintf(&b, "BenchmarkPut/clients=%d 100000 %.0f p50-ns %.0f p90-ns %.0f ops/s\n", i, scatter(p50), scatter(2e6), scatter(1e4))
		}
	}
	return b.String()
}

// compareText compares results given as text, which must be comparable.
func compareText(t *testing.T, c Config, before, after string) *Report {
	t.Helper()
	r, err := tryText(c, before, after)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
