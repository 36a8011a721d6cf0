package gate

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"kvbench/internal/results"
)

// A history is the nights before: a file of results in which a night has one result
// of each benchmark, the medians of its repetitions.
//
// A night, not a repetition, is what counts as a sample. Repetitions of one night
// share its host, its hour and its neighbours: they agree with each other, and ten
// of them say no more about the next night than one. So the baseline is the median
// of the last nights, and what tonight differs by is measured against the scatter of
// those nights, in which all of that is. Where a night has measured two sides by
// turns, its sample is the ratio of the new one to the old one: what slows both for
// an hour is in both, and not in the ratio.
//
// The test is Student's for one more sample, on logarithms: t = (x-m)/(s√(1+π/2n)) of
// n-1 degrees of freedom, with m the median of n nights (whose variance is π/2n of
// one night's) and s their standard deviation. Nights that the gate found worse are
// no part of the baseline: the second night of a regression isn't normal either.
type history struct {
	name   string
	nights []*night // the oldest first
	last   *benchfmt.Result
	units  benchfmt.UnitMetadataMap
}

// minNights is how many nights a comparison takes at least.
const minNights = 6

// errEarly says that a history is too short.
var errEarly = errors.New("too early to tell")

// A night is the results of one night.
type night struct {
	name  string
	worse bool
	file  *File

	before, after *Side // before is nil unless the night has two sides
}

// The configuration lines that a history has beside those of the results.
const (
	nightKey   = "night"
	verdictKey = "gate" // what was said of the night: worse, same, or early
)

// readHistory reads a history. An empty one is one without nights.
func readHistory(name string, r io.Reader) (*history, error) {
	h := &history{name: name}
	f, err := Read(name, r)
	if err != nil {
		return nil, err
	}
	h.units = f.Units
	for _, res := range f.Results {
		h.last = res
		if res.GetConfig(nightKey) == "" {
			return nil, fmt.Errorf("%s: no history: %s has no line %q", name, res.Name.Full(), nightKey+": …")
		}
		h.night(res).Results = append(h.night(res).Results, plain(res))
	}
	return h, nil
}

// night returns the results of the night that a result is of.
func (h *history) night(res *benchfmt.Result) *results.File {
	name := res.GetConfig(nightKey)
	if n := h.find(name); n != nil {
		return n.file.File
	}
	f := &results.File{Name: h.name + ", night " + name, Units: h.units}
	h.nights = append(h.nights, &night{name: name, worse: res.GetConfig(verdictKey) == string(Worse), file: &File{f}})
	return f
}

// find returns the night of that name, nil if there is none.
func (h *history) find(name string) *night {
	for _, n := range h.nights {
		if n.name == name {
			return n
		}
	}
	return nil
}

// plain returns a result without the lines of the history.
func plain(res *benchfmt.Result) *benchfmt.Result {
	c := res.Clone()
	c.SetConfig(nightKey, "")
	c.SetConfig(verdictKey, "")
	return c
}

// sides divides the night's results, unless col is empty.
func (n *night) sides(col string, filter *benchproc.Filter) (err error) {
	if col != "" {
		n.before, n.after, err = n.file.Split(col, filter)
		return err
	}
	n.after, err = n.file.Side(filter)
	return err
}

// compare judges tonight by the last nights that weren't worse.
func (h *history) compare(tonight *night, o *options, filter *benchproc.Filter) (*Report, error) {
	config := o.config.withDefaults()
	if h.find(tonight.name) != nil {
		return nil, fmt.Errorf("%s: it has a night %q already", h.name, tonight.name)
	}
	if err := tonight.sides(o.col, filter); err != nil {
		return nil, err
	}
	base := slices.DeleteFunc(slices.Clone(h.nights), func(n *night) bool { return n.worse })
	base = base[max(0, len(base)-o.last):]
	if len(base) < minNights {
		return nil, fmt.Errorf("%s: %w: %d nights that weren't worse, and it takes %d", h.name, errEarly, len(base), minNights)
	}
	r := newReport(fmt.Sprintf("the median of %d nights", len(base)), tonight.after, config)
	r.Test = "t test against the scatter of the nights"
	var errs []error
	for _, n := range base {
		if err := n.sides(o.col, filter); err != nil {
			return nil, err
		}
		errs = append(errs, n.comparable(tonight, config))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%w\n%s: if this is to stay, begin a new history", err, h.name)
	}
	r.Warnings = append(r.Warnings, tonight.file.warnings()...)
	if err := r.nights(base, tonight, config); err != nil {
		return nil, err
	}
	if len(r.Comparisons) == 0 {
		return nil, fmt.Errorf("%s, %s: no unit is left to compare", h.name, tonight.after.Name)
	}
	r.adjust()
	return r, nil
}

// comparable reports in what a night can't be compared with tonight.
func (n *night) comparable(tonight *night, config Config) error {
	_, err := compareConfigs(n.after, tonight.after, config)
	errs := []error{err}
	if n.before != nil {
		_, err := compareConfigs(n.before, tonight.before, config)
		errs = append(errs, err)
		if n.before.Name != tonight.before.Name {
			errs = append(errs, fmt.Errorf("%s was measured beside %s, and tonight beside %s", n.file.Name, n.before.Name, tonight.before.Name))
		}
	}
	for _, s := range [][2]*Side{{n.after, tonight.after}, {n.before, tonight.before}} {
		if s[0] == nil {
			continue
		}
		for _, name := range union(s[0].names(), s[1].names()) {
			if len(s[0].Runs[name]) != 1 || len(s[1].Runs[name]) != 1 {
				errs = append(errs, fmt.Errorf("%s: %d results of %s, and tonight %d: want one of each", n.file.Name, len(s[0].Runs[name]), name, len(s[1].Runs[name])))
			}
		}
	}
	return errors.Join(errs...)
}

// nights compares each unit of each benchmark.
func (r *Report) nights(base []*night, tonight *night, config Config) error {
	var errs []error
	for _, name := range tonight.after.names() {
		runs := tonight.runs(name)
		for _, n := range base {
			runs = append(runs, n.runs(name)...)
		}
		for _, unit := range unitsOf(tonight.after.Runs[name]) {
			reason := omit(unit, runs, config)
			if reason == "" {
				reason = noRatio(unit, runs)
			}
			if reason != "" {
				r.Omitted = append(r.Omitted, Omission{name, unit, reason})
				continue
			}
			c := Comparison{Benchmark: name, Unit: unit, Samples: [2]int{len(base), 1}}
			if c.better = tonight.after.Units.GetBetter(tidy(unit, runs)); c.better == 0 {
				errs = append(errs, noDirection(tonight.after, name, unit))
				continue
			}
			c.among(base, tonight)
			r.Comparisons = append(r.Comparisons, c)
		}
	}
	return errors.Join(errs...)
}

// among fills in the comparison of a unit tonight with the nights before.
func (c *Comparison) among(base []*night, tonight *night) {
	var sample []float64
	for _, n := range base {
		sample = append(sample, math.Log(n.value(c.Benchmark, c.Unit)))
	}
	x, m := math.Log(tonight.value(c.Benchmark, c.Unit)), median(sample)
	c.Change = math.Exp(x-m) - 1
	c.New = values(c.Unit, tonight.after.Runs[c.Benchmark])[0]
	c.Old = c.New / (1 + c.Change) // beside tonight's other side
	n := float64(len(sample))
	s := stats.Sample{Xs: sample}.StdDev() * math.Sqrt(1+math.Pi/2/n)
	switch {
	case x == m:
		c.P = 1
	case s > 0:
		c.P = 2 * stats.TDist{V: n - 1}.CDF(-math.Abs(x-m)/s)
	}
}

// runs returns a benchmark's results of the night, of both sides if it has two.
func (n *night) runs(name string) []Run {
	runs := slices.Clone(n.after.Runs[name])
	if n.before != nil {
		runs = append(runs, n.before.Runs[name]...)
	}
	return runs
}

// value returns what the night is a sample of: a unit's value, or its ratio to the
// other side's.
func (n *night) value(name, unit string) float64 {
	v := values(unit, n.after.Runs[name])[0]
	if n.before != nil {
		v /= values(unit, n.before.Runs[name])[0]
	}
	return v
}

// noRatio reports a unit that has no logarithm in one of the runs.
func noRatio(unit string, runs []Run) string {
	all := values(unit, runs)
	switch {
	case len(all) < len(runs):
		return "a night has no value of it"
	case slices.Min(all) <= 0:
		return "it is 0 in a night, to which there is no ratio"
	}
	return ""
}
