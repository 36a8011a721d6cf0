package suite

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// A healthy run is understood as a whole by the tools that read benchmarks.
func TestHealthyRun(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "none", bench: "Insert|Get|Batch|Mixed|Growing", env: []string{"BENCH_MIN_RATE=0"}}.run(t)
	o.ends(t, 0)
	if len(o.results) != 7 {
		t.Errorf("%d results of 7 benchmarks: %q", len(o.results), o.names())
	}
	config(t, o)
	for _, r := range o.results {
		directions(t, o.units, r)
		if r.Iters == 0 {
			t.Errorf("%s: no operations", r.Name)
		}
		if got := metric(t, r, "errors/op"); got != 0 {
			t.Errorf("%s: %v errors/op", r.Name, got)
		}
	}
}

// config checks that all configuration is in all results, so that benchstat
// puts them into one table.
func config(t *testing.T, o outcome) {
	t.Helper()
	for _, r := range o.results {
		for key, want := range map[string]string{
			"etcd-source": "process", "etcd-version": "1.2.3", "etcd-nodes": "1", "etcd-heap": "none", "fake": "yes",
			"consul-source": "none", "seed": "1", "warmup": "auto", "timeout": "10s",
		} {
			if got := r.GetConfig(key); got != want {
				t.Errorf("%s: %s: %q, want %q", r.Name, key, got, want)
			}
		}
		if !slices.EqualFunc(r.Config, o.results[0].Config, sameConfig) {
			t.Errorf("%s has another configuration than %s", r.Name, o.results[0].Name)
		}
	}
}

func sameConfig(a, b benchfmt.Config) bool {
	return a.Key == b.Key && string(a.Value) == string(b.Value)
}

// directions checks that a program can tell what is better of every unit.
func directions(t *testing.T, units benchfmt.UnitMetadataMap, r *benchfmt.Result) {
	t.Helper()
	for _, v := range r.Values {
		assumed := units.Get(v.Unit, "assume")
		if units.GetBetter(v.Unit) == 0 && (assumed == nil || assumed.Value != "exact") {
			t.Errorf("%s: nothing says what is better of %s", r.Name, v.Unit)
		}
	}
}

func TestMissingServersAreExplainedBeforeTheResults(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "none", bench: "Insert/.*/clients=1$"}.run(t)
	o.ends(t, 0)
	first, _, _ := strings.Cut(o.text, "\n")
	if want := "# consul: no servers: install a fake"; first != want {
		t.Errorf("the output begins with %q, want %q", first, want)
	}
}

var (
	configLine = regexp.MustCompile(`^([a-z][a-z0-9-]*: .+|Unit \S+ (better|assume)=\w+|# .+)$`)
	resultLine = regexp.MustCompile(`^Benchmark\S+\s+\d+(\t +[0-9.e+-]+ \S+)+$`)
	loggedLine = regexp.MustCompile(`^(--- BENCH: |    )`) // warnings: after a result, understood by benchfmt
)

// testing tears a result line if anything is printed while its benchmark runs
// for a second time.
func TestRepetitionsThroughAPipe(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "none", bench: "Insert", args: []string{"-test.count=10", "-test.cpu=1,2", "-test.benchtime=20x"}}.run(t)
	o.ends(t, 0)
	found := map[string]int{}
	for i, line := range strings.Split(strings.TrimSuffix(o.text, "\nPASS\n"), "\n") {
		switch {
		case resultLine.MatchString(line):
			found[strings.Fields(line)[0]]++
		case len(found) == 0 && configLine.MatchString(line):
		case len(found) > 0 && loggedLine.MatchString(line):
		default:
			t.Errorf("line %d should not be there: %q", i+1, line)
		}
	}
	for _, name := range []string{"clients=1", "clients=1-2", "clients=4", "clients=4-2"} {
		if n := found["BenchmarkInsert/system=etcd/"+name]; n != 10 {
			t.Errorf("%d unbroken lines of %s, want 10; the output was\n%s", n, name, o.text)
		}
	}
	if len(o.results) != 40 {
		t.Errorf("benchfmt reads %d results, want 40", len(o.results))
	}
}
