// Package verdict decides whether a run's numbers are to be believed.
//
// It is pure: [Judge] looks at the [Evidence] of a run and returns [Finding]s.
// One that is fatal fails the benchmark, so that its numbers are not reported;
// the others are warnings that travel with the result. Each check names a
// mistake that a published benchmark made.
package verdict

import (
	"fmt"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/report"
)

// Limits are the bounds that the checks compare with.
type Limits struct {
	// MaxErrors is the failed share of the operations above which the run fails.
	// At the default of 0.001 failures can't move a percentile up to p99.9.
	MaxErrors float64
	// MinRate is the achieved share of the arrival rate below which an open-loop
	// run fails. At the default of 0.99 the load that was measured is the load
	// that was asked for.
	MinRate float64
}

// Evidence is what is known of a run.
type Evidence struct {
	Summaries []*record.Summary
	Rates     []float64 // arrival rate of each summary's operations, per second; 0 in closed loop
	Spread    float64   // arrivals by which random arrivals may miss the window they are expected in

	Rows Rows // effect on the store; zero if it was not looked at
	Lost Lost // acknowledged rows that were read afterwards

	ClientCPU time.Duration // of this process during Wall; 0 if unknown
	Cores     int           // processors that this process may use
	Wall      time.Duration // time in which operations were started
}

// Rows are the numbers of rows before and after a run.
type Rows struct {
	Counted   bool
	Before    int64 // in the store when the run began
	Acked     int64 // acknowledged new rows
	Ambiguous int64 // new rows whose write failed without saying that it was not applied
	After     int64 // in the store when the run had ended, counted by its servers
}

// Lost are the results of reading acknowledged rows back after a run.
type Lost struct {
	Read    int64 // rows that were looked for
	Missing int64 // of them: not there
	Wrong   int64 // of them: not what was written
	First   error // what was wrong with the first of them
}

// Add adds what other reads have found.
func (l *Lost) Add(m Lost) {
	l.Read += m.Read
	l.Missing += m.Missing
	l.Wrong += m.Wrong
	if l.First == nil {
		l.First = m.First
	}
}

// A Finding is the outcome of a check that did not pass.
type Finding struct {
	Check string // name of the check, e.g. "errors"
	Fatal bool   // the numbers must not be reported
	Text  string // one sentence with the figures
}

func (f Finding) String() string { return f.Check + ": " + f.Text }

// Judge returns the findings of all checks, the fatal ones first.
func Judge(e Evidence, l Limits) []Finding {
	var fatal, warnings []Finding
	for _, c := range checks {
		text := c.find(&e, &l)
		switch {
		case text == "":
		case c.fatal:
			fatal = append(fatal, Finding{c.name, true, text})
		default:
			warnings = append(warnings, Finding{c.name, false, text})
		}
	}
	return append(fatal, warnings...)
}

// A check returns a sentence if something is wrong, "" if all is well.
type check struct {
	name  string
	fatal bool
	find  func(*Evidence, *Limits) string
}

// checks are all checks, in the order of what they would make of a result.
var checks = []check{
	{"no operations", true, noOperations},
	{"errors", true, errorRatio},
	{"corrupt", true, corrupt},
	{"lost", true, lost},
	{"effect", true, effect},
	{"rate", true, rate},
	{"failures", false, failures},
	{"little's law", false, littlesLaw},
	{"client cpu", false, clientCPU},
	{"start lag", false, startLag},
	{"range", false, outOfRange},
}

// each returns the first sentence that f has for one of the summaries.
func (e *Evidence) each(f func(i int, s *record.Summary) string) string {
	for i, s := range e.Summaries {
		if text := f(i, s); text != "" {
			return text
		}
	}
	return ""
}

// noOperations catches runs in which nothing succeeded: their percentiles would
// be those of nothing, or of timeouts alone.
func noOperations(e *Evidence, _ *Limits) string {
	return e.each(func(_ int, s *record.Summary) string {
		if s.Counts.OK > 0 {
			return ""
		}
		return fmt.Sprintf("not one of %d %s operations succeeded: %s", s.Counts.Ops(), s.Kind, report.Failures(&s.Counts))
	})
}
