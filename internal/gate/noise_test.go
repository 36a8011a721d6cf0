package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"
)

// A shift that noise promises is found in nine cases of ten, by the test itself.
func TestShift(t *testing.T) {
	const trials, alpha = 1000, 0.001
	thresholds := benchmath.DefaultThresholds
	for _, n := range []int{8, 10, 20} {
		by := shift(n, alpha)
		rng := rand.New(rand.NewPCG(5, 6))
		found := 0
		for range trials {
			a, b := normal(rng, n), normal(rng, n)
			for i := range b {
				b[i] += by
			}
			if benchmath.AssumeNothing.Compare(benchmath.NewSample(a, &thresholds), benchmath.NewSample(b, &thresholds)).P < alpha {
				found++
			}
		}
		if share := float64(found) / trials; share < 0.87 || share > 0.93 {
			t.Errorf("n=%d: a shift of %.2f is found in %.3f of the trials, want 0.9", n, by, share)
		}
	}
	if by := shift(6, alpha); !math.IsInf(by, 1) {
		t.Errorf("six samples can't be significant at %v: got a shift of %v", alpha, by)
	}
}

func TestNoise(t *testing.T) {
	status, out, stderr := gateOf("-noise", oldFile)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	golden(t, "noise.txt", out)
	for _, tc := range []struct{ sentence, text, want string }{
		{"two versions", header + lines("Put", "p50-ns", fast...) + "etcd-version: 2\n" + lines("Put", "p50-ns", slow...), "want repetitions of one thing, have etcd-version"},
		{"few samples", header + lines("Put", "p50-ns", fast[:5]...), "5 samples of x.Put p50-ns: want at least 6"},
		{"nothing that settles", header + lines("Put", "max-ns", fast...), "no unit is left to look at"},
	} {
		file := filepath.Join(t.TempDir(), "results.txt")
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := gateOf("-noise", file); status != 2 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: status %d, want 2 and %q: %s", tc.sentence, status, tc.want, stderr)
		}
	}
}

// README's table of what is found is what the gate finds, of ten units.
func TestReadmeTable(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, deviation := range []float64{0.02, 0.05, 0.10, 0.15} {
		row := fmt.Sprintf("| %.0f %% |", 100*deviation)
		for _, n := range []int{8, 10, 20} {
			row += " " + found(deviation, shift(n, 0.01/10), n, 0.05) + " |"
		}
		if !strings.Contains(string(readme), "\n"+row+"\n") {
			t.Errorf("README.md has no row %q", row)
		}
	}
	for n, units := range map[int]int{6: 4, 7: 17, 8: 64} { // its numbers of units
		if least(n, n)*float64(units) >= 0.01 || least(n, n)*float64(units+1) < 0.01 {
			t.Errorf("%d samples are not for %d units at most", n, units)
		}
	}
}
