// Package results reads files of benchmark results, and doesn't pass over what
// benchfmt passes over: failures, warnings and torn lines.
package results

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A File is what is in a file of results.
type File struct {
	Name     string // as it was given
	Results  []*benchfmt.Result
	Units    benchfmt.UnitMetadataMap
	Warnings []Note // that came with results
	Failures []Note // lines by which testing says that something failed
}

// A Note is a line for people.
type Note struct {
	File string
	Line int // from 1
	Text string
}

// String returns the note as compilers do it.
func (n Note) String() string { return fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text) }

// Read reads results. Its error names the file and the line: results that are torn,
// or neither results nor failures at all.
func Read(name string, r io.Reader) (*File, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Name: name}
	if err := f.scan(text); err != nil {
		return nil, err
	}
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("%w: the line is torn", rec)
		case *benchfmt.Result:
			f.Results = append(f.Results, rec.Clone())
		}
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(f.Results)+len(f.Failures) == 0 {
		return nil, fmt.Errorf("%s: no results are in it", name)
	}
	f.Units = reader.Units()
	return f, nil
}

var (
	failed  = regexp.MustCompile(`^\s*--- FAIL: |^FAIL\b|^panic: |^exit status [1-9]`)
	detail  = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)
	warning = regexp.MustCompile(`^warning: (.*)`)
)

// scan looks at what benchfmt passes over: failures and warnings. A failure's text
// has the reasons that follow it.
func (f *File) scan(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	inFailure := false
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		said := detail.FindStringSubmatch(line)
		switch {
		case failed.MatchString(line):
			f.Failures = append(f.Failures, Note{f.Name, n, strings.TrimSpace(line)})
		case said == nil:
		case warning.MatchString(said[1]):
			f.Warnings = append(f.Warnings, Note{f.Name, n, warning.FindStringSubmatch(said[1])[1]})
		case inFailure:
			f.Failures[len(f.Failures)-1].Text += ": " + said[1]
		}
		inFailure = failed.MatchString(line) || inFailure && said != nil
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// Unit returns the unit of a value as the benchmark printed it: benchfmt makes
// "sec" of "ns".
func Unit(v benchfmt.Value) string {
	if v.OrigUnit != "" {
		return v.OrigUnit
	}
	return v.Unit
}

// Value returns the value of a unit as it was printed, and false if the result has
// none.
func Value(r *benchfmt.Result, unit string) (float64, bool) {
	for _, v := range r.Values {
		switch unit {
		case v.OrigUnit:
			return v.OrigValue, true
		case v.Unit:
			return v.Value, true
		}
	}
	return 0, false
}
