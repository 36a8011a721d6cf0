// Package gate decides whether one set of benchmark results is worse than another.
//
// A unit is worse if its median changed for the worse by more than a minimum and
// the change is significant: by the Mann-Whitney U test, as benchstat does it, with
// Holm's correction for the number of comparisons (S. Holm, "A simple sequentially
// rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
// Without a correction, a hundred comparisons at α = 0.01 of a system with itself
// raise a false alarm in 63 % of all cases; with Holm's it is at most 1 %, however
// the units depend on each other.
//
// What can't be decided is an error and never "not worse": results that are
// missing, torn or failed, too few of them, other configurations than those that
// were meant to differ, units without a direction.
package gate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// A Config says what counts as worse. The zero value is the default.
type Config struct {
	Alpha     float64  // probability of a false alarm in the whole comparison; 0 is 0.01
	MinChange float64  // share of the old median that a unit may get worse by; 0 is 0.05, negative is none
	Differ    []string // configuration keys that may differ, with * for any text; none is versions, images and the suite's commit
	Units     []string // units to compare, with * for any text; none is all that say something of the servers; maxima never are
}

// minSamples is how many repetitions each side must have: benchstat's least for a
// confidence interval.
const minSamples = 6

func (c Config) withDefaults() Config {
	if c.Alpha == 0 {
		c.Alpha = 0.01
	}
	switch {
	case c.MinChange == 0:
		c.MinChange = 0.05
	case c.MinChange < 0:
		c.MinChange = 0
	}
	if len(c.Differ) == 0 {
		c.Differ = []string{"*-version", "*-image", "suite-commit"}
	}
	return c
}

// A Verdict is the outcome of one comparison.
type Verdict string

// The verdicts. Worse and Better are significant and larger than the minimum.
const (
	Worse  Verdict = "worse"
	Better Verdict = "better"
	Same   Verdict = "same"
)

// A Comparison is one unit of one benchmark on both sides.
type Comparison struct {
	Benchmark string  `json:"benchmark"`
	Unit      string  `json:"unit"` // as printed by the benchmark, such as p99-ns
	Old       float64 `json:"old"`  // medians, in the unit
	New       float64 `json:"new"`
	Samples   [2]int  `json:"samples"`  // old, new
	Change    float64 `json:"change"`   // New/Old-1; 0 if both are 0, ±Inf never: see Zero
	Zero      bool    `json:"fromZero"` // Old is 0 and New isn't, so that there is no ratio
	P         float64 `json:"p"`        // of the test alone
	Adjusted  float64 `json:"adjusted"` // with Holm's correction; significant below Alpha
	Verdict   Verdict `json:"verdict"`

	better int // direction: 1 if higher is better, -1 if lower is
}

// An Omission is a unit that was not compared.
type Omission struct {
	Benchmark string `json:"benchmark"`
	Unit      string `json:"unit"`
	Reason    string `json:"reason"`
}

// A Report is the outcome of a comparison of two sides.
type Report struct {
	Old         string       `json:"old"` // names of the sides
	New         string       `json:"new"`
	Test        string       `json:"test"`
	Alpha       float64      `json:"alpha"`
	MinChange   float64      `json:"minChange"`
	Differences []string     `json:"differences"` // configuration lines that differ, as they may
	Warnings    []string     `json:"warnings"`    // that came with the results
	Comparisons []Comparison `json:"comparisons"`
	Omitted     []Omission   `json:"omitted"`
}

// newReport returns a report without comparisons. Its lists are empty, not nil: so
// they are in JSON.
func newReport(before string, after *Side, config Config) *Report {
	return &Report{
		Old: before, New: after.Name, Test: "U test", Alpha: config.Alpha, MinChange: config.MinChange,
		Differences: []string{}, Warnings: []string{}, Comparisons: []Comparison{}, Omitted: []Omission{},
	}
}

// verdict is that of the whole report.
func (r *Report) verdict() Verdict {
	if len(r.Worse()) > 0 {
		return Worse
	}
	return Same
}

// Worse returns the comparisons that are worse.
func (r *Report) Worse() []Comparison { return r.with(Worse) }

// Better returns the comparisons that are better.
func (r *Report) Better() []Comparison { return r.with(Better) }

func (r *Report) with(v Verdict) []Comparison {
	return slices.Collect(func(yield func(Comparison) bool) {
		for _, c := range r.Comparisons {
			if c.Verdict == v && !yield(c) {
				return
			}
		}
	})
}

// Compare judges the new side by the old one. Its error has a line for each reason
// why they can't be compared.
func Compare(before, after *Side, config Config) (*Report, error) {
	config = config.withDefaults()
	r := newReport(before.Name, after, config)
	differences, err := compareConfigs(before, after, config)
	errs := []error{err}
	r.Differences = append(r.Differences, differences...)
	r.Warnings = append(append(r.Warnings, before.Warnings...), after.Warnings...)
	errs = append(errs, r.pair(before, after, config)...)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(r.Comparisons) == 0 {
		return nil, fmt.Errorf("%s, %s: no unit is left to compare", before.Name, after.Name)
	}
	r.adjust()
	return r, r.checkPower()
}

// pair compares each unit of each benchmark, before any correction.
func (r *Report) pair(before, after *Side, config Config) (errs []error) {
	for _, name := range union(before.names(), after.names()) {
		old, now := before.Runs[name], after.Runs[name]
		switch {
		case len(now) == 0:
			errs = append(errs, fmt.Errorf("%s: %s is missing", after.Name, name))
		case len(old) == 0:
			errs = append(errs, fmt.Errorf("%s: %s is missing", before.Name, name))
		case len(old) < minSamples || len(now) < minSamples:
			errs = append(errs, tooFewSamples(name, before, len(old), after, len(now)))
		default:
			errs = append(errs, r.units(name, before, after, config)...)
		}
	}
	return errs
}

// units compares each unit of a benchmark.
func (r *Report) units(name string, before, after *Side, config Config) (errs []error) {
	old, now := before.Runs[name], after.Runs[name]
	for _, unit := range union(unitsOf(old), unitsOf(now)) {
		if reason := omit(unit, slices.Concat(old, now), config); reason != "" {
			r.Omitted = append(r.Omitted, Omission{name, unit, reason})
			continue
		}
		if err := r.compare(name, unit, before, after); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// compare adds the comparison of a unit.
func (r *Report) compare(name, unit string, before, after *Side) error {
	better := after.Units.GetBetter(tidy(unit, after.Runs[name]))
	if better == 0 {
		return noDirection(after, name, unit)
	}
	old, now := values(unit, before.Runs[name]), values(unit, after.Runs[name])
	if len(old) < minSamples || len(now) < minSamples {
		return tooFewSamples(name+" "+unit, before, len(old), after, len(now))
	}
	thresholds := benchmath.DefaultThresholds
	a, b := benchmath.NewSample(old, &thresholds), benchmath.NewSample(now, &thresholds)
	c := Comparison{
		Benchmark: name, Unit: unit, better: better, Samples: [2]int{len(old), len(now)},
		Old: median(old), New: median(now), P: benchmath.AssumeNothing.Compare(a, b).P,
	}
	switch {
	case c.Old != 0:
		c.Change = c.New/c.Old - 1
	case c.New != 0:
		c.Zero = true
	}
	r.Comparisons = append(r.Comparisons, c)
	return nil
}

func noDirection(s *Side, name, unit string) error {
	return fmt.Errorf("%s: %s: no direction is known of unit %q: the results lack a line %q", s.Name, name, unit, "Unit "+unit+" better=lower")
}

func tooFewSamples(what string, before *Side, old int, after *Side, now int) error {
	return fmt.Errorf("%s: %d samples of %s and %d of %s: want at least %d of each (-count)", what, old, before.Name, now, after.Name, minSamples)
}

// judge decides, with the corrected probability known.
func (c *Comparison) judge(alpha, minChange float64) {
	c.Verdict = Same
	gain := float64(c.better) * c.Change
	if c.Zero {
		gain = float64(c.better) * c.New // of any size
		minChange = 0
	}
	switch {
	case c.Adjusted >= alpha:
	case gain < -minChange:
		c.Verdict = Worse
	case gain > minChange:
		c.Verdict = Better
	}
}

// union returns the elements of both lists, in the order of the first, then of
// the second.
func union(a, b []string) []string {
	list := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			list = append(list, s)
		}
	}
	return list
}

// median returns the median of a sample that isn't empty.
func median(sample []float64) float64 {
	s := slices.Sorted(slices.Values(sample))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// byP orders comparisons by the probability of the test alone.
func byP(a, b *Comparison) int {
	return cmp.Or(cmp.Compare(a.P, b.P), strings.Compare(a.Benchmark, b.Benchmark), strings.Compare(a.Unit, b.Unit))
}
