package gate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"kvbench/internal/results"
)

// newNight returns the night that a file of repetitions is of.
func newNight(name string, f *File) (*night, error) {
	medians, err := condense(f)
	if err != nil {
		return nil, err
	}
	file := *f.File
	file.Results = medians
	return &night{name: name, file: &File{&file}}, nil
}

// condense makes one result of all repetitions of a benchmark: the medians, and the
// least number of operations.
func condense(f *File) ([]*benchfmt.Result, error) {
	groups := map[string][]*benchfmt.Result{}
	var order []string
	for _, res := range f.Results {
		key := groupOf(res)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], res)
	}
	var medians []*benchfmt.Result
	var errs []error
	for _, key := range order {
		group := groups[key]
		if n := len(group); n < minSamples {
			errs = append(errs, fmt.Errorf("%s: %d samples of %s: want at least %d (-count)", f.Name, n, group[0].Name.Full(), minSamples))
			continue
		}
		medians = append(medians, middle(group))
	}
	return medians, errors.Join(errs...)
}

// groupOf returns what repetitions have in common: name and configuration.
func groupOf(res *benchfmt.Result) string {
	var lines []string
	for _, c := range res.Config {
		lines = append(lines, c.Key+": "+string(c.Value))
	}
	slices.Sort(lines)
	return string(res.Name.Full()) + "\n" + strings.Join(lines, "\n")
}

// middle returns the medians of repetitions. A unit that some of them lack is left out.
func middle(group []*benchfmt.Result) *benchfmt.Result {
	m := group[0].Clone()
	m.Values = m.Values[:0]
	for _, v := range group[0].Values {
		unit := results.Unit(v)
		var sample []float64
		for _, res := range group {
			if value, ok := results.Value(res, unit); ok {
				sample = append(sample, value)
			}
		}
		if len(sample) == len(group) {
			m.Values = append(m.Values, valueOf(median(sample), unit))
		}
	}
	for _, res := range group {
		m.Iters = min(m.Iters, res.Iters)
	}
	return m
}

// valueOf returns a value as benchfmt reads it.
func valueOf(v float64, unit string) benchfmt.Value {
	tidied, tidyUnit := benchunit.Tidy(v, unit)
	if tidied == v {
		return benchfmt.Value{Value: v, Unit: unit}
	}
	return benchfmt.Value{Value: tidied, Unit: tidyUnit, OrigValue: v, OrigUnit: unit}
}

// append adds a night and what was said of it to the file of the history, which is
// written whole or not at all.
func (h *history) append(n *night, verdict string) error {
	text, err := os.ReadFile(h.name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	more, err := h.lines(n, verdict)
	if err != nil {
		return err
	}
	tmp := h.name + ".tmp"
	if err := os.WriteFile(tmp, append(text, more...), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, h.name)
}

// lines returns what is added to the file: units that it lacks, configuration lines
// that change, and the results.
func (h *history) lines(n *night, verdict string) ([]byte, error) {
	var b bytes.Buffer
	w := benchfmt.NewWriter(&b)
	var errs []error
	if h.last != nil {
		errs = append(errs, w.Write(h.last)) // so that it knows which lines are in force
		b.Reset()
	}
	missing := maps.Clone(n.file.Units)
	maps.DeleteFunc(missing, func(key benchfmt.UnitMetadataKey, _ *benchfmt.UnitMetadata) bool { return h.units[key] != nil })
	for _, u := range slices.SortedFunc(maps.Values(missing), func(a, b *benchfmt.UnitMetadata) int { return strings.Compare(a.OrigUnit, b.OrigUnit) }) {
		errs = append(errs, w.Write(u))
	}
	for _, res := range n.file.Results {
		config := slices.Concat([]benchfmt.Config{
			{Key: nightKey, Value: []byte(n.name), File: true},
			{Key: verdictKey, Value: []byte(verdict), File: true},
		}, res.Config)
		errs = append(errs, w.Write(&benchfmt.Result{Config: config, Name: res.Name, Iters: res.Iters, Values: res.Values}))
	}
	return b.Bytes(), errors.Join(errs...)
}
