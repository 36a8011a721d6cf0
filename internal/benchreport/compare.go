package benchreport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"kvbench/internal/chart"
)

// A Table is what is shown as a table. The first column has the names of the rows.
type Table struct {
	ID      string
	Title   string
	Caption string
	Head    []string
	Rows    [][]string
	Notes   []string
}

// compared are the metrics of the tables, each of all kinds of operation.
var compared = []struct {
	unit, title string
	as          func(float64) string
}{
	{"ops/s", "throughput, operations a second", count},
	{"p50-ns", "p50 response time", chart.Time.Text},
	{"p99-ns", "p99 response time", chart.Time.Text},
	{"p99.9-ns", "p99.9 response time", chart.Time.Text},
	{"errors/op", "operations that failed", percent},
}

// sideBySide are the tables of a group: for each metric a row for each load and a
// column for each subject. The versions of a system are compared with its first one,
// and all subjects with the first.
func sideBySide(title string, runs []*run) (tables []*Table) {
	bySystem := collect(runs, func(u *run) string { return u.system })
	sets := [][]*run{runs}
	if len(bySystem) > 1 {
		for _, same := range bySystem {
			if len(collect(same, subjectOf)) > 1 {
				sets = append(sets, same)
			}
		}
	}
	for i, set := range sets {
		name := title
		if i > 0 {
			name += ", " + set[0].system
		}
		for _, prefix := range kindsOf(set) {
			for _, m := range compared {
				if t := compare(name, prefix, m.unit, m.as, set); t != nil {
					t.Title = strings.Join(words(name+":", strings.TrimSuffix(prefix, "-"), m.title), " ")
					t.ID = slug(t.Title)
					tables = append(tables, t)
				}
			}
		}
	}
	return tables
}

// compare returns the table of a metric, nil if it has nothing to say.
func compare(name, prefix, unit string, as func(float64) string, runs []*run) *Table {
	subjects := collect(runs, subjectOf)
	t := &Table{Head: []string{"load"}}
	for _, s := range subjects {
		t.Head = append(t.Head, s[0].subject)
	}
	said := map[string]bool{}
	zero := true
	for _, same := range collect(runs, (*run).load) {
		row := []string{same[0].load()}
		var base *benchmath.Sample
		for _, s := range subjects {
			var mine []*run
			for _, u := range same {
				if u.subject == s[0].subject {
					mine = append(mine, u)
				}
			}
			values := valuesOf(mine, prefix+unit)
			zero = zero && !slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
			text, sample := cell(values, as, base, said)
			if base == nil {
				base = sample
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	if zero {
		return nil
	}
	t.Notes = slices.Sorted(maps.Keys(said))
	return t
}

// percent writes a share without an exponent.
func percent(v float64) string { return chart.Number.Text(100*v) + " %" }

// comparisonWords says what tables of comparisons have in common, and what
// benchmath has to say of their samples.
func comparisonWords(tables []*Table) string {
	said := map[string]bool{}
	words := "Median ± 95 % confidence interval of the repetitions."
	for i, t := range tables {
		for _, n := range t.Notes {
			said[n] = true
		}
		if i == 0 && len(t.Head) > 2 {
			words += " Changes are against the first number of the row by the U test at α = 0.05; ~ is none that is significant."
		}
	}
	if len(said) > 0 {
		words += " Of some: " + strings.Join(slices.Sorted(maps.Keys(said)), "; ") + "."
	}
	return words
}

// cell is a sample as benchstat says it, and how it differs from a base.
func cell(values []float64, as func(float64) string, base *benchmath.Sample, said map[string]bool) (string, *benchmath.Sample) {
	if len(values) == 0 {
		return "–", nil
	}
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(values, &thresholds)
	summary := benchmath.AssumeNothing.Summary(sample, 0.95)
	note(said, summary.Warnings)
	text := as(summary.Center) + " ± " + summary.PctRangeString()
	if base == nil {
		return text, sample
	}
	c := benchmath.AssumeNothing.Compare(base, sample)
	note(said, c.Warnings)
	center := benchmath.AssumeNothing.Summary(base, 0.95).Center
	return fmt.Sprintf("%s\n%s (%s)", text, c.FormatDelta(center, summary.Center), c), sample
}

func note(said map[string]bool, warnings []error) {
	for _, w := range warnings {
		said[w.Error()] = true
	}
}
