// Package results reads files of benchmark results, and doesn't pass over what
// benchfmt passes over: failures, warnings and torn lines.
package results

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A File is what is in a file of results.
type File struct {
	Name     string // as it was given
	Results  []*benchfmt.Result
	Units    benchfmt.UnitMetadataMap
	Warnings []Note // that came with results, or before them
	Notices  []Note // comments: what the suite says of its servers, and who wrote the file of its origin
	Failures []Failure
}

// A Note is a line for people.
type Note struct {
	File      string
	Line      int    // from 1
	Benchmark string // that it is about, without GOMAXPROCS; "" if that isn't said
	Text      string
}

// String returns the note as compilers do it.
func (n Note) String() string { return fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text) }

// A Failure is a line by which testing says that something failed.
type Failure struct {
	Note
	Reason string // what is said below the line; "" is nothing, as of what failed because a part did
}

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
			if !f.failedAt(rec.Line) {
				return nil, fmt.Errorf("%w: the line is torn: %.200q", rec, lineOf(text, rec.Line))
			}
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
	// A repetition that fails does so behind the name that testing has printed already.
	failed = regexp.MustCompile(`^(?:\s*|Benchmark\S+\s+)(--- FAIL: (\S+).*)|^((?:FAIL\b|panic: |exit status [1-9]).*)`)
	passed = regexp.MustCompile(`^\s*--- BENCH: (\S+)`)
	detail = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)
	procs  = regexp.MustCompile(`-\d+$`)
)

// scan looks at what benchfmt passes over: failures and warnings.
func (f *File) scan(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	var benchmark string // that lines are about
	var failure *Failure // that has just been told
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if m := failed.FindStringSubmatch(line); m != nil {
			benchmark = procs.ReplaceAllString(m[2], "")
			f.Failures = append(f.Failures, Failure{Note: Note{f.Name, n, benchmark, strings.TrimSpace(m[1] + m[3])}})
			failure = &f.Failures[len(f.Failures)-1]
		} else if m := passed.FindStringSubmatch(line); m != nil {
			benchmark, failure = procs.ReplaceAllString(m[1], ""), nil
		} else if m := detail.FindStringSubmatch(line); m != nil {
			f.detail(Note{f.Name, n, benchmark, m[1]}, failure)
		} else if text, ok := strings.CutPrefix(line, "# "); ok {
			f.comment(Note{f.Name, n, "", text})
		} else if !strings.HasPrefix(line, " ") {
			benchmark, failure = "", nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// comment takes a line that is for people: a warning, or a notice.
func (f *File) comment(n Note) {
	if !f.warning(n) {
		f.Notices = append(f.Notices, n)
	}
}

// warning takes a line if it warns, and reports whether it does.
func (f *File) warning(n Note) (ok bool) {
	if n.Text, ok = strings.CutPrefix(n.Text, "warning: "); ok {
		f.Warnings = append(f.Warnings, n)
	}
	return ok
}

// detail takes a line that a benchmark has logged: a warning, or a reason of the
// failure before it. What ends with a colon is the head of a log.
func (f *File) detail(n Note, failure *Failure) {
	if f.warning(n) || failure == nil || strings.HasSuffix(n.Text, ":") {
		return
	}
	if failure.Reason != "" {
		failure.Reason += "; "
	}
	failure.Reason += n.Text
}

// lineOf returns a line, the first being 1.
func lineOf(text []byte, n int) []byte {
	lines := bytes.SplitAfterN(text, []byte("\n"), n+1)
	return bytes.TrimSpace(lines[n-1])
}

// failedAt reports whether a line says that something failed.
func (f *File) failedAt(line int) bool {
	return slices.ContainsFunc(f.Failures, func(l Failure) bool { return l.Line == line })
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
