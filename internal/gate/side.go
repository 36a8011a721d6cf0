package gate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"kvbench/internal/results"
)

// A Side is what is compared: the results of a file, or a part of them.
type Side struct {
	Name     string
	Runs     map[string][]Run // by benchmark, in the order of the file
	Config   map[string][]string
	Units    benchfmt.UnitMetadataMap
	Warnings []string

	order []string // of the benchmarks
}

// A Run is one result line.
type Run struct {
	Ops    int // that were measured
	Values []benchfmt.Value
}

// names returns the benchmarks in the order in which they came.
func (s *Side) names() []string { return s.order }

// add adds a result.
func (s *Side) add(r *benchfmt.Result) {
	name := string(r.Name.Full())
	if pkg := r.GetConfig("pkg"); pkg != "" {
		name = pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + name
	}
	if s.Runs[name] == nil {
		s.order = append(s.order, name)
	}
	s.Runs[name] = append(s.Runs[name], Run{r.Iters, slices.Clone(r.Values)})
	for _, c := range r.Config {
		if value := string(c.Value); !slices.Contains(s.Config[c.Key], value) {
			s.Config[c.Key] = append(s.Config[c.Key], value)
		}
	}
}

func newSide(name string) *Side {
	return &Side{Name: name, Runs: map[string][]Run{}, Config: map[string][]string{}}
}

// A File is the results of a file in which every line is what it should be, and
// nothing failed.
type File struct{ *results.File }

// Read reads results. Its error names the file and the line: results that are torn,
// a benchmark that failed, or none at all.
func Read(name string, r io.Reader) (*File, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := results.Read(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		return nil, fmt.Errorf("%s:%d: the line is torn: it has no end", name, 1+bytes.Count(text, []byte("\n")))
	}
	if len(f.Failures) > 0 {
		n := f.Failures[0]
		return nil, fmt.Errorf("%s:%d: a run that failed: %q", n.File, n.Line, n.Text)
	}
	return &File{f}, nil
}

// warnings returns the warnings that came with the results.
func (f *File) warnings() []string {
	var all []string
	for _, w := range f.Warnings {
		all = append(all, w.String())
	}
	return all
}

// Side returns the results that pass a filter of benchproc's syntax, "*" for all.
func (f *File) Side(filter *benchproc.Filter) (*Side, error) {
	s := newSide(f.Name)
	if err := f.each(filter, func(r *benchfmt.Result) error { s.add(r); return nil }); err != nil {
		return nil, err
	}
	s.Units, s.Warnings = f.Units, f.warnings()
	return s, nil
}

// Split returns the results by the value of a configuration key or of a part of the
// name ("/system"): those of the first value that comes, and those of the other.
func (f *File) Split(key string, filter *benchproc.Filter) (before, after *Side, err error) {
	var parser benchproc.ProjectionParser
	projection, err := parser.Parse(key, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("-col %q: %w", key, err)
	}
	sides := map[string]*Side{}
	var names []string
	err = f.each(filter, func(r *benchfmt.Result) error {
		value := projection.Project(r).StringValues()
		if value == "" {
			return fmt.Errorf("%s: -col %q: %s has no such key", f.Name, key, r.Name.Full())
		}
		if sides[value] == nil {
			names = append(names, value)
			sides[value] = newSide(value)
			sides[value].Units, sides[value].Warnings = f.Units, nil
		}
		sides[value].add(without(r, key))
		return nil
	})
	if err == nil && len(names) != 2 {
		err = fmt.Errorf("%s: -col %q: want two values to compare, have %d: %q", f.Name, key, len(names), names)
	}
	if err != nil {
		return nil, nil, err
	}
	sides[names[0]].Warnings = f.warnings()
	return sides[names[0]], sides[names[1]], nil
}

// without returns the result without the key that tells the sides apart.
func without(r *benchfmt.Result, key string) *benchfmt.Result {
	c := r.Clone()
	if !strings.HasPrefix(key, "/") {
		c.SetConfig(key, "")
		return c
	}
	base, parts := c.Name.Parts()
	name := slices.Clone(base)
	for _, p := range parts {
		if !bytes.HasPrefix(p, []byte(key+"=")) {
			name = append(name, p...)
		}
	}
	c.Name = name
	return c
}

// each calls do for the results that pass the filter.
func (f *File) each(filter *benchproc.Filter, do func(*benchfmt.Result) error) error {
	found := false
	for _, r := range f.Results {
		c := r.Clone()
		keep, err := filter.Apply(c)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if !keep {
			continue
		}
		found = true
		if err := do(c); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s: no results pass the filter", f.Name)
	}
	return nil
}
