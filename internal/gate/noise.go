package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/aclements/go-moremath/stats"
)

// repetitions are the numbers of them, of each side, for which noise says what
// changes would be found.
var repetitions = []int{6, 8, 10, 20}

// A scatter is how much the repetitions of a unit differ.
type scatter struct {
	benchmark, unit string
	median          float64
	deviation       float64 // standard deviation of the logarithm: 0.05 is 5 %
}

// noise returns a table of how much repetitions of the same thing scatter, and of the
// changes that the gate would find in nine cases of ten.
func noise(s *Side, config Config) (string, error) {
	config = config.withDefaults()
	scatters, err := s.scatters(config)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(tab, "benchmark\tunit\tmedian\tscatter")
	shifts := make([]float64, len(repetitions))
	for i, n := range repetitions {
		fmt.Fprintf(tab, "\tn=%d", n)
		shifts[i] = shift(n, config.Alpha/float64(len(scatters)))
	}
	fmt.Fprintln(tab)
	for _, sc := range scatters {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%.1f %%", sc.benchmark, sc.unit, quantity(sc.median, sc.unit), 100*sc.deviation)
		for i, n := range repetitions {
			fmt.Fprint(tab, "\t", found(sc.deviation, shifts[i], n, config.MinChange))
		}
		fmt.Fprintln(tab)
	}
	if err := tab.Flush(); err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "n=… is the change that a comparison of these %d units with n repetitions a side finds in nine cases of ten, – none (α = %v, more than %.4g %%)\n",
		len(scatters), config.Alpha, 100*config.MinChange)
	return b.String(), nil
}

// scatters returns the scatter of each unit that is fit for comparisons.
func (s *Side) scatters(config Config) (list []scatter, err error) {
	for _, key := range keys(s) {
		if n := len(s.Config[key]); n > 1 && key != "pkg" && key != "side" { // benchab's, of one version twice
			return nil, fmt.Errorf("%s: want repetitions of one thing, have %s: %s", s.Name, key, oneOf(s.Config[key]))
		}
	}
	for _, name := range s.names() {
		runs := s.Runs[name]
		for _, unit := range unitsOf(runs) {
			sample := values(unit, runs)
			if omit(unit, runs, config) != "" || slices.Min(sample) <= 0 {
				continue
			}
			if len(sample) < minSamples {
				return nil, fmt.Errorf("%s: %d samples of %s %s: want at least %d (-count)", s.Name, len(sample), name, unit, minSamples)
			}
			list = append(list, scatter{name, unit, median(sample), deviation(sample)})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no unit is left to look at", s.Name)
	}
	return list, nil
}

// deviation returns the standard deviation of the logarithms.
func deviation(sample []float64) float64 {
	logs := make([]float64, len(sample))
	for i, v := range sample {
		logs[i] = math.Log(v)
	}
	return stats.Sample{Xs: logs}.StdDev()
}

// found returns the change that is found: significant, and larger than the minimum
// though the medians of n scatter by √(π/2n) of the deviation each.
func found(deviation, shift float64, n int, minChange float64) string {
	change := max(shift*deviation, math.Log1p(minChange)+ninth*deviation*math.Sqrt(math.Pi/float64(n)))
	if math.IsInf(change, 0) {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*math.Expm1(change))
}

// ninth is what a normal variable is below in nine cases of ten, in deviations.
const ninth = 1.2816

// shift returns how many deviations two normal samples of n must be apart for the U
// test to be significant at alpha in nine cases of ten. It is found by trying, with
// the same random numbers each time.
func shift(n int, alpha float64) float64 {
	u := stats.UDist{N1: n, N2: n}
	critical := -1 // pairs that may be the wrong way around
	for 2*u.CDF(float64(critical+1)) < alpha {
		critical++
	}
	if critical < 0 {
		return math.Inf(1)
	}
	const trials = 2000
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	needed := make([]float64, trials)
	for i := range needed {
		differences := make([]float64, 0, n*n)
		a, b := normal(rng, n), normal(rng, n)
		for _, x := range a {
			for _, y := range b {
				differences = append(differences, x-y)
			}
		}
		slices.Sort(differences)
		needed[i] = differences[n*n-critical-1]
	}
	slices.Sort(needed)
	return needed[trials*9/10]
}

func normal(rng *rand.Rand, n int) []float64 {
	sample := make([]float64, n)
	for i := range sample {
		sample[i] = rng.NormFloat64()
	}
	return sample
}
