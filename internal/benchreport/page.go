// Package benchreport makes of result files, and of the artifacts beside them, what
// a report shows: verdicts, configuration, charts, and tables of comparisons.
package benchreport

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kvbench/internal/chart"
	"kvbench/internal/results"
)

// A Page is what a report shows, in its order.
type Page struct {
	Summary  string
	Failures []results.Failure
	Warnings []results.Note
	Notes    []string // what else there is to know: comments of the files, and what the report lacks
	Config   []Setting
	Sections []*Section
	Dbtester *Table // nil if there is nothing to be put beside it
}

// A Setting is a configuration line, with several values if results differ in it.
type Setting struct {
	Key    string
	Values []string
}

// A Section is about one benchmark.
type Section struct {
	ID, Title string
	Charts    []*chart.Chart // against the load
	Tables    []*Table       // side by side
	Words     string         // what the tables say, and what they can't
	Shapes    []*chart.Chart // latency by percentile
	Times     []*chart.Chart // over time
}

// Charts returns all charts of the page.
func (p *Page) Charts() (all []*chart.Chart) {
	for _, s := range p.Sections {
		all = slices.Concat(all, s.Charts, s.Shapes, s.Times)
	}
	return all
}

// Make makes a page of files, and of the artifacts beside them. Artifacts that are
// missing are noted; the error is of one that belongs to a result and is broken.
func Make(files []*results.File) (*Page, error) {
	p := new(Page)
	var runs []*run
	found := &artifacts{of: map[string][]*artifact{}}
	var errs []error
	missing := 0
	for _, f := range files {
		p.Failures = append(p.Failures, failures(f)...)
		p.Warnings = append(p.Warnings, warnings(f)...)
		for _, n := range f.Notices {
			if !slices.Contains(p.Notes, n.Text) && !strings.HasPrefix(n.Text, "repetition ") { // benchab's marks
				p.Notes = append(p.Notes, n.Text)
			}
		}
		for _, r := range f.Results {
			u := newRun(f.Name, r)
			errs = append(errs, found.attach(u))
			if u.recorded == nil {
				missing++
			}
			runs = append(runs, u)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	nameSubjects(runs)
	p.Summary = summary(files, runs)
	p.Notes = append(p.Notes, notes(len(runs), missing, found.unusable)...)
	p.Config = settings(runs)
	for _, same := range collect(runs, func(u *run) string { return u.group }) {
		p.Sections = append(p.Sections, section(same))
	}
	var err error
	p.Dbtester, err = dbtester(runs)
	return p, err
}

// failures are those of a file that have a reason, each once: testing tells that of a
// repetition twice, and also what failed since a part of it did. Without any reason
// they are all that is known.
func failures(f *results.File) (all []results.Failure) {
	type key struct{ benchmark, reason string }
	seen := map[key]bool{}
	for _, l := range f.Failures {
		k := key{l.Benchmark, l.Reason}
		if l.Reason != "" && !seen[k] {
			all = append(all, l)
		}
		seen[k] = true
	}
	if all == nil {
		return f.Failures
	}
	return all
}

// warnings are those of a file, each once: testing tells those of a failed
// repetition twice, and each package that of a cluster.
func warnings(f *results.File) (all []results.Note) {
	type key struct{ benchmark, text string }
	seen := map[key]bool{}
	for _, w := range f.Warnings {
		k := key{w.Benchmark, w.Text}
		if !seen[k] {
			all = append(all, w)
		}
		seen[k] = true
	}
	return all
}

func summary(files []*results.File, runs []*run) string {
	var subjects []string
	for _, same := range collect(runs, subjectOf) {
		subjects = append(subjects, same[0].subject)
	}
	benchmarks := len(collect(runs, func(u *run) string { return u.group + u.bench }))
	return fmt.Sprintf("%s of %s from %s: %s.", plural(float64(len(runs)), "result"), plural(float64(benchmarks), "benchmark"),
		plural(float64(len(files)), "file"), strings.Join(subjects, "; ")) + measured(runs)
}

// measured says when the runs were, as far as their recordings know.
func measured(runs []*run) string {
	var first, last time.Time
	for _, u := range runs {
		if r := u.recorded; r != nil && !r.began.IsZero() {
			if first.IsZero() || r.began.Before(first) {
				first = r.began
			}
			if r.ended.After(last) {
				last = r.ended
			}
		}
	}
	if first.IsZero() {
		return ""
	}
	begin, end := first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)
	if end == begin {
		end = ""
	}
	return fmt.Sprintf(" Measured %s %s to %s UTC.", begin, first.UTC().Format("15:04"), strings.TrimSpace(end+" "+last.UTC().Format("15:04")))
}

func notes(all, missing int, unusable []string) (notes []string) {
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d results have no .hlog and .csv of their own beside their file, so that their percentiles are those of the result lines and nothing is shown over time. go test writes them with -artifacts -outputdir=DIR, DIR being the file's directory.", missing, all))
	}
	for _, u := range unusable {
		notes = append(notes, "Not used, since it can't be read: "+u)
	}
	return notes
}

// settings are the configuration lines about what was measured, those first in which
// results differ.
func settings(runs []*run) (all []Setting) {
	var measured []string
	for _, same := range collect(runs, func(u *run) string { return u.system }) {
		measured = append(measured, same[0].system)
	}
	others := slices.DeleteFunc(slices.Clone(systems), func(s string) bool { return slices.Contains(measured, s) })
	var keys []string
	values := map[string]map[string]bool{}
	for _, u := range runs {
		for _, c := range u.Config {
			prefix, _, _ := strings.Cut(c.Key, "-")
			if c.Key == "pkg" || slices.Contains(others, prefix) {
				continue
			}
			if values[c.Key] == nil {
				values[c.Key] = map[string]bool{}
				keys = append(keys, c.Key)
			}
			values[c.Key][string(c.Value)] = true
		}
	}
	for _, k := range keys {
		all = append(all, Setting{k, slices.Sorted(maps.Keys(values[k]))})
	}
	slices.SortStableFunc(all, func(a, b Setting) int { return min(len(b.Values), 2) - min(len(a.Values), 2) })
	return all
}

// section is what is shown of a benchmark.
func section(runs []*run) *Section {
	title := runs[0].group
	tables := sideBySide(title, runs)
	return &Section{
		ID: slug(title), Title: title,
		Charts: across(title, runs),
		Tables: tables,
		Words:  comparisonWords(tables),
		Shapes: distributions(title, runs),
		Times:  overTime(title, runs),
	}
}
