// Testlog reads the output of "go test -json" and prints what go test prints by
// itself, and then which tests were skipped and why: go test says that only
// with -v, between everything else.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	if err := condense(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
}

// An event is one line of go test -json; "go doc test2json" explains it.
type event struct {
	Action  string
	Package string
	Test    string // "" if it is the package's
	Output  string
}

// A test is named by its package and itself.
type test struct{ pkg, name string }

// A log is what is known of tests that have not ended, and of skipped ones.
type log struct {
	out     io.Writer
	running map[test][]string // output, in pieces that end where a line ends
	reasons []string          // of skips, in the order in which they came
	skips   map[string][]test // by reason
}

// condense copies what matters of the events in r to w.
func condense(r io.Reader, w io.Writer) error {
	l := &log{out: w, running: map[test][]string{}, skips: map[string][]test{}}
	for dec := json.NewDecoder(r); ; {
		var e event
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return l.summary()
		} else if err != nil {
			return fmt.Errorf("not the output of go test -json: %w", err)
		}
		l.add(e)
	}
}

func (l *log) add(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		if e.Test != "" {
			l.running[t] = append(l.running[t], e.Output)
		} else if e.Output != "PASS\n" && e.Output != "testing: warning: no tests to run\n" {
			l.print(e.Output)
		}
	case "build-output":
		l.print(e.Output)
	case "skip":
		if e.Test != "" {
			l.skip(t)
		}
		delete(l.running, t)
	case "pass":
		delete(l.running, t)
	case "fail":
		l.fail(e)
	}
}

// fail prints the output of a failed test; of a failed package, that of the
// tests which it left unfinished.
func (l *log) fail(e event) {
	for t, lines := range l.running {
		if t.pkg == e.Package && (t.name == e.Test || e.Test == "") {
			l.print(lines...)
			delete(l.running, t)
		}
	}
}

// print writes lines, without those that say what runs now.
func (l *log) print(lines ...string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(l.out, line)
		}
	}
}

// place matches where in its file a test said something.
var place = regexp.MustCompile(`^\s*\w+\.go:\d+: `)

// skip takes down why a test was skipped.
func (l *log) skip(t test) {
	var said []string
	for _, line := range l.running[t] {
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(strings.TrimSpace(line), "--- SKIP") {
			said = append(said, strings.TrimSpace(place.ReplaceAllString(line, "")))
		}
	}
	reason := strings.Join(said, " ")
	if len(l.skips[reason]) == 0 {
		l.reasons = append(l.reasons, reason)
	}
	l.skips[reason] = append(l.skips[reason], t)
}

// summary prints the skipped tests by reason.
func (l *log) summary() error {
	for _, reason := range l.reasons {
		tests := l.skips[reason]
		first := tests[0].pkg + "." + tests[0].name
		if n := len(tests) - 1; n > 0 {
			first += fmt.Sprintf(" and %d more", n)
		}
		if _, err := fmt.Fprintf(l.out, "skipped %s: %s\n", first, reason); err != nil {
			return err
		}
	}
	return nil
}
