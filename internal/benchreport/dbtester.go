package benchreport

import (
	"fmt"
	"math"
	"slices"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"kvbench/internal/results"
	"kvbench/testdata/published"
)

// A dbtesterRow is a row of dbtester's table: its name there, the unit under which
// testdata/published has it, how it is written, and what it is of our runs; nil if
// the suite doesn't measure it.
type dbtesterRow struct {
	name, unit string
	text       func(float64) string
	of         func(*steps) (float64, bool)
}

var dbtesterRows = []dbtesterRow{
	{"READS-COMPLETED-DELTA", "server-disk-reads", count, nil},
	{"SECTORS-READS-DELTA-SUM", "server-disk-sectors-read", count, nil},
	{"WRITES-COMPLETED-DELTA-SUM", "server-disk-writes", count, nil},
	{"SECTORS-WRITTEN-DELTA-SUM", "server-disk-sectors-written", count, nil},
	{"AVG-DATA-SIZE", "server-data-bytes", scaledBy("%.1f GB", 1e9), nil},
	{"RECEIVE-BYTES-SUM", "server-received-bytes", scaledBy("%.1f GB", 1e9), nil},
	{"TRANSMIT-BYTES-SUM", "server-sent-bytes", scaledBy("%.1f GB", 1e9), nil},
	{"MAX-CPU-USAGE", "server-max-cpu-percent", scaledBy("%.2f %%", 1), nil},
	{"MAX-MEMORY-USAGE", "server-max-rss-bytes", scaledBy("%.2f MB", 1e6), nil},
	{"TOTAL-SECONDS", "total-ns", scaledBy("%.4f sec", 1e9), (*steps).seconds},
	{"MAX-THROUGHPUT", "max-ops/s", perSecond, (*steps).fastest},
	{"AVG-THROUGHPUT", "ops/s", perSecond, (*steps).throughput},
	{"MIN-THROUGHPUT", "min-ops/s", perSecond, (*steps).slowest},
	{"FASTEST-LATENCY", "min-ns", milliseconds(4), (*steps).min},
	{"AVG-LATENCY", "mean-ns", milliseconds(4), (*steps).mean},
	{"SLOWEST-LATENCY", "max-ns", milliseconds(4), (*steps).max},
	{"Latency p10", "p10-ns", milliseconds(6), quantile(10)},
	{"Latency p25", "p25-ns", milliseconds(6), quantile(25)},
	{"Latency p50", "p50-ns", milliseconds(6), quantile(50)},
	{"Latency p75", "p75-ns", milliseconds(6), quantile(75)},
	{"Latency p90", "p90-ns", milliseconds(6), quantile(90)},
	{"Latency p95", "p95-ns", milliseconds(6), quantile(95)},
	{"Latency p99", "p99-ns", milliseconds(6), quantile(99)},
	{"Latency p99.9", "p99.9-ns", milliseconds(6), quantile(99.9)},
}

// steps are all runs of Put on one subject, taken together as dbtester does.
type steps struct {
	runs        []*run
	repetitions float64
	total       *hdr.Histogram // nil if a run has left no .hlog
}

// dbtester returns dbtester's table, with our columns beside the published ones; nil
// if there are no runs to show.
func dbtester(runs []*run) (*Table, error) {
	theirs, err := results.Read("testdata/published/dbtester.txt", strings.NewReader(published.Dbtester))
	if err != nil {
		return nil, err
	}
	t := &Table{ID: "dbtester", Title: "dbtester's table", Head: []string{"row"}}
	for _, row := range dbtesterRows {
		t.Rows = append(t.Rows, []string{row.name})
	}
	seen := false
	for _, r := range theirs.Results {
		system := newRun("", r).system
		t.column(system+" "+r.GetConfig(system+"-version")+", published", func(row dbtesterRow) string {
			v, ok := results.Value(r, row.unit)
			return row.say(v, ok)
		})
		for _, same := range collect(putsOf(runs, system), subjectOf) {
			s := newSteps(same)
			seen = true
			t.column(same[0].subject+", here", s.say)
		}
	}
	if !seen {
		return nil, nil
	}
	t.Caption, t.Notes = dbtesterWords(runs, theirs.Results[0])
	return t, nil
}

// putsOf returns a system's runs of coord's Put in closed loop.
func putsOf(runs []*run, system string) []*run {
	return slices.DeleteFunc(slices.Clone(runs), func(u *run) bool {
		return u.system != system || u.group != "coord.Put" || u.rate > 0
	})
}

func dbtesterWords(runs []*run, theirs *benchfmt.Result) (caption string, notes []string) {
	var loads []string
	for _, same := range collect(slices.DeleteFunc(slices.Clone(runs), func(u *run) bool { return u.group != "coord.Put" }), (*run).load) {
		loads = append(loads, same[0].load())
	}
	caption = fmt.Sprintf("Published: a million writes by 1 to 1,000 clients. Here: all steps of Put together (%s), total operations by total seconds; of several repetitions the mean.", strings.Join(loads, "; "))
	return caption, []string{
		"Published on " + theirs.GetConfig("hardware") + ", three servers of each system.",
		"dbtester leaves failed requests out of its latencies and its throughput; here a timeout counts with its time, and failures fail the run.",
		"Not measured: by the suite. Not recorded: not all runs have left an .hlog and a .csv.",
		"Its steps share one store that grows, ours each begin with an empty one. Rates are of whole seconds.",
	}
}

// column adds a column.
func (t *Table) column(head string, of func(dbtesterRow) string) {
	t.Head = append(t.Head, head)
	for i, row := range dbtesterRows {
		t.Rows[i] = append(t.Rows[i], of(row))
	}
}

func (row dbtesterRow) say(v float64, ok bool) string {
	if !ok {
		return "–"
	}
	return row.text(v)
}

func newSteps(runs []*run) *steps {
	return &steps{runs: runs, repetitions: float64(len(runs)) / float64(len(collect(runs, (*run).load))), total: merged(runs, "")}
}

// say is what a row says of the steps.
func (s *steps) say(row dbtesterRow) string {
	if row.of == nil {
		return "not measured"
	}
	v, ok := row.of(s)
	if !ok {
		return "not recorded"
	}
	return row.text(v)
}

// seconds returns the time of all steps in ns, of one repetition.
func (s *steps) seconds() (ns float64, ok bool) {
	for _, u := range s.runs {
		v, _ := u.value("ns/op") // closed loop has it
		ns += v * float64(u.Iters)
	}
	return ns / s.repetitions, ns > 0
}

func (s *steps) throughput() (float64, bool) {
	ops := 0.0
	for _, u := range s.runs {
		errors, _ := u.value("errors/op")
		ops += float64(u.Iters) * (1 - errors)
	}
	ns, ok := s.seconds()
	return ops / s.repetitions / ns * 1e9, ok
}

// rates calls do with the rate of each whole second of each run.
func (s *steps) rates(do func(float64)) bool {
	for _, u := range s.runs {
		k := u.recorded.of("")
		if k == nil {
			return false
		}
		start := 0.0
		for i, r := range k.rows {
			if r.end-start >= 0.5 || i == 0 { // the last interval is a rest
				do(r.ok / (r.end - start))
			}
			start = r.end
		}
	}
	return true
}

func (s *steps) fastest() (rate float64, ok bool) {
	ok = s.rates(func(r float64) { rate = max(rate, r) })
	return rate, ok
}

func (s *steps) slowest() (rate float64, ok bool) {
	rate = math.Inf(1)
	ok = s.rates(func(r float64) { rate = min(rate, r) })
	return rate, ok
}

func (s *steps) min() (float64, bool) {
	if s.total == nil {
		return 0, false
	}
	return float64(s.total.Min()), true
}

func (s *steps) max() (ns float64, ok bool) {
	for _, v := range valuesOf(s.runs, "max-ns") {
		ns = max(ns, v)
	}
	return ns, ns > 0
}

// mean is that of all operations, not of the steps.
func (s *steps) mean() (float64, bool) {
	sum, n := 0.0, 0.0
	for _, u := range s.runs {
		if v, ok := u.value("mean-ns"); ok {
			sum += v * float64(u.Iters)
			n += float64(u.Iters)
		}
	}
	return sum / n, n > 0
}

func quantile(q float64) func(*steps) (float64, bool) {
	return func(s *steps) (float64, bool) {
		if s.total == nil {
			return 0, false
		}
		return float64(s.total.ValueAtQuantile(q)), true
	}
}

// count writes a whole number with commas, as dbtester does.
func count(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func perSecond(v float64) string { return count(v) + " req/sec" }

func scaledBy(format string, by float64) func(float64) string {
	return func(v float64) string { return fmt.Sprintf(format, v/by) }
}

func milliseconds(decimals int) func(float64) string {
	return scaledBy(fmt.Sprintf("%%.%df ms", decimals), 1e6)
}
