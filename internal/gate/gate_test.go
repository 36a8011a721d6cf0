package gate

import (
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchproc"
)

// tryText compares results given as text.
func tryText(c Config, before, after string) (*Report, error) {
	all, err := benchproc.NewFilter("*")
	if err != nil {
		return nil, err
	}
	var sides [2]*Side
	for i, text := range []string{before, after} {
		f, err := Read([]string{"old.txt", "new.txt"}[i], strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		if sides[i], err = f.Side(all); err != nil {
			return nil, err
		}
	}
	return Compare(sides[0], sides[1], c)
}

const header = "host: a\netcd-version: 1\npkg: m/x\nUnit p50-ns better=lower\nUnit p99.9-ns better=lower\nUnit ops/s better=higher\nUnit errors/op better=lower\n"

// lines are results of one benchmark, of the given values.
func lines(name, unit string, values ...string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString("Benchmark" + name + " 100000 " + v + " " + unit + "\n")
	}
	return b.String()
}

var (
	slow = []string{"200", "201", "202", "203", "204", "205", "206"}
	fast = []string{"100", "101", "102", "103", "104", "105", "106"}
)

func TestVerdicts(t *testing.T) {
	for _, tc := range []struct {
		sentence    string
		unit        string
		before, now []string
		want        Verdict
	}{
		{"more time is worse", "p50-ns", fast, slow, Worse},
		{"less time is better", "p50-ns", slow, fast, Better},
		{"more throughput is better", "ops/s", fast, slow, Better},
		{"less throughput is worse", "ops/s", slow, fast, Worse},
		{"the same is the same", "p50-ns", fast, fast, Same},
		{"a significant change below the minimum is the same", "p50-ns", fast, []string{"104", "105", "106", "107", "108", "107", "108"}, Same},
		{"a large change that scatters is the same", "p50-ns", fast, []string{"50", "90", "100", "110", "150", "190", "400"}, Same},
		{"errors where there were none are worse", "errors/op", []string{"0", "0", "0", "0", "0", "0", "0"}, []string{"0.001", "0.002", "0.001", "0.003", "0.001", "0.002", "0.001"}, Worse},
		{"no errors are the same as none", "errors/op", []string{"0", "0", "0", "0", "0", "0"}, []string{"0", "0", "0", "0", "0", "0"}, Same},
	} {
		r := compareText(t, Config{}, header+lines("Put", tc.unit, tc.before...), header+lines("Put", tc.unit, tc.now...))
		if got := r.Comparisons[0]; got.Verdict != tc.want || got.Benchmark != "x.Put" || got.Unit != tc.unit {
			t.Errorf("%s: got %+v, want %s", tc.sentence, got, tc.want)
		}
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	good := header + lines("Put", "p50-ns", fast...)
	for _, tc := range []struct {
		sentence    string
		before, now string
		config      Config
		want        string
	}{
		{"an empty file", "", good, Config{}, "old.txt: no results are in it"},
		{"a torn line", good, good + "BenchmarkPut 100 12 p50-ns 13\n", Config{}, "new.txt:15: "},
		{"a line that something was printed into", good, good + "BenchmarkPut-2   \tpanic soon\n", Config{}, "the line is torn"},
		{"a file that was cut off", good, strings.TrimSuffix(good, "\n"), Config{}, "new.txt:14: the line is torn: it has no end"},
		{"a maximum that is asked for", good + lines("Put", "max-ns", fast...), good + lines("Put", "max-ns", fast...), Config{Units: []string{"max-ns"}}, "no unit is left to compare"},
		{"a run that failed", good, good + "--- FAIL: BenchmarkPut\n", Config{}, `new.txt:15: a run that failed: "--- FAIL: BenchmarkPut"`},
		{"a package that failed", good, good + "FAIL\tm/x\t1.2s\n", Config{}, `new.txt:15: a run that failed`},
		{"five samples", good, header + lines("Put", "p50-ns", fast[:5]...), Config{}, "x.Put: 7 samples of old.txt and 5 of new.txt: want at least 6"},
		{"a unit without a direction", good, header + lines("Put", "p77-ns", fast...), Config{}, `no direction is known of unit "p77-ns"`},
		{"another host", good, strings.Replace(good, "host: a", "host: b", 1), Config{}, `configurations differ: host: "a" against "b"`},
		{"another version, which wasn't to differ", good, strings.Replace(good, "version: 1", "version: 2", 1), Config{Differ: []string{"host"}}, `etcd-version: "1" against "2"`},
		{"a line that is on one side", good, "consistency: ONE\n" + good, Config{}, `consistency: nothing against "ONE"`},
		{"two configurations on one side", good, good + "host: b\n" + lines("Put", "p50-ns", fast...), Config{}, `host: "a" against several`},
		{"a benchmark that is missing", good + lines("Get", "p50-ns", fast...), good, Config{}, "new.txt: x.Get is missing"},
		{"a benchmark that is new", good, good + lines("Get", "p50-ns", fast...), Config{}, "old.txt: x.Get is missing"},
		{"too few samples for so strict a bound", good, good, Config{Alpha: 1e-6}, "1 comparisons of so few samples can't show anything at α = 1e-06: want at least 12 of each side"},
		{"nothing that settles", header + lines("Put", "max-ns", fast...), header + lines("Put", "max-ns", fast...), Config{}, "no unit is left to compare"},
	} {
		_, err := tryText(tc.config, tc.before, tc.now)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.sentence, err, tc.want)
		}
	}
}

// A percentile is compared if each run has a hundred operations above it.
func TestPercentilesThatDoNotSettle(t *testing.T) {
	few := strings.ReplaceAll(lines("Put", "p99.9-ns", fast...)+lines("Put", "p50-ns", fast...), " 100000 ", " 99999 ")
	r := compareText(t, Config{}, header+few, header+few)
	if len(r.Comparisons) != 1 || len(r.Omitted) != 1 || r.Omitted[0].Unit != "p99.9-ns" || !strings.Contains(r.Omitted[0].Reason, "takes 100000") {
		t.Errorf("compared %+v, omitted %+v", r.Comparisons, r.Omitted)
	}
	enough := header + lines("Put", "p99.9-ns", fast...)
	if r := compareText(t, Config{}, enough, enough); len(r.Comparisons) != 1 {
		t.Errorf("omitted %+v", r.Omitted)
	}
}

// Of a run with several kinds of operation, a percentile is of its own kind's.
func TestPercentilesOfAKind(t *testing.T) {
	text := "Unit read-p99-ns better=lower\nUnit write-p99-ns better=lower\nUnit ops/s better=higher\nUnit read-ops/s better=higher\nUnit write-ops/s better=higher\n" +
		strings.Repeat("BenchmarkMixed 20000 90 read-p99-ns 80 write-p99-ns 100 ops/s 80 read-ops/s 20 write-ops/s\n", 7)
	r := compareText(t, Config{Units: []string{"*p99-ns"}}, text, text)
	if len(r.Comparisons) != 1 || r.Comparisons[0].Unit != "read-p99-ns" || !strings.Contains(r.Omitted[0].Reason, "a run has 4000 operations") {
		t.Errorf("compared %+v, omitted %+v", r.Comparisons, r.Omitted)
	}
}

// The example of Holm's method: with four comparisons at 0.05, of the probabilities
// 0.01, 0.04, 0.03 and 0.005 the smallest two are significant.
func TestHolm(t *testing.T) {
	r := &Report{Alpha: 0.05, MinChange: 0}
	for _, p := range []float64{0.01, 0.04, 0.03, 0.005} {
		r.Comparisons = append(r.Comparisons, Comparison{P: p, Change: 1, better: -1})
	}
	r.adjust()
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		c := r.Comparisons[i]
		if math.Abs(c.Adjusted-want) > 1e-12 || (c.Verdict == Worse) != (want < 0.05) {
			t.Errorf("p=%v: adjusted %v, %s; want %v", c.P, c.Adjusted, c.Verdict, want)
		}
	}
}

// The smallest probability is what the test itself gives for sides that don't overlap.
func TestLeastProbability(t *testing.T) {
	r := compareText(t, Config{Alpha: 0.5}, header+lines("Put", "p50-ns", fast...), header+lines("Put", "p50-ns", slow...))
	if got, want := least(7, 7), r.Comparisons[0].P; math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, the test says %v", got, want)
	}
}
