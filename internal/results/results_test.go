package results

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const line = "BenchmarkPut/system=etcd-2 \t 100\t 12 ns/op\t 13 p50-ns\t 7 ops/s\n"

func TestRead(t *testing.T) {
	f, err := Read("x.txt", strings.NewReader("# old servers\n# warning: 1 is down\nhost: a\nUnit ops/s better=higher\n"+line+
		"--- BENCH: BenchmarkPut\n    run.go:1: warning: hot\n    run.go:2: other\n"+
		"--- FAIL: BenchmarkGet\n    run.go:3: slow\n    run.go:4: slower\n"+line+"    run.go:5: nothing to do with it\n"+
		"BenchmarkPut/a=b-2 \t--- FAIL: BenchmarkPut/a=b\n    run.go:6: torn\n    run.go:7: warning: hot, too\n    run.go:8: last words:\n        FAIL\nFAIL\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Results) != 2 || f.Results[0].GetConfig("host") != "a" || f.Units.GetBetter("ops/s") != 1 {
		t.Errorf("results %v, units %v", f.Results, f.Units)
	}
	warnings := []Note{{"x.txt", 2, "", "1 is down"}, {"x.txt", 7, "BenchmarkPut", "hot"}, {"x.txt", 16, "BenchmarkPut/a=b", "hot, too"}}
	if diff := cmp.Diff(warnings, f.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Note{{"x.txt", 1, "", "old servers"}}, f.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	failures := []Failure{
		{Note{"x.txt", 9, "BenchmarkGet", "--- FAIL: BenchmarkGet"}, "slow; slower"},
		{Note{"x.txt", 14, "BenchmarkPut/a=b", "--- FAIL: BenchmarkPut/a=b"}, "torn"},
		{Note{"x.txt", 19, "", "FAIL"}, ""},
	}
	if diff := cmp.Diff(failures, f.Failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if got := f.Warnings[0].String(); got != "x.txt:2: 1 is down" {
		t.Errorf("a warning is %q", got)
	}
}

func TestValues(t *testing.T) {
	f, err := Read("x.txt", strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	r := f.Results[0]
	for unit, want := range map[string]float64{"ns/op": 12, "p50-ns": 13, "ops/s": 7} {
		if got, ok := Value(r, unit); !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", unit, got, ok, want)
		}
	}
	if v, ok := Value(r, "p99-ns"); ok {
		t.Errorf("a unit that isn't there is %v", v)
	}
	for i, want := range []string{"ns/op", "p50-ns", "ops/s"} {
		if got := Unit(r.Values[i]); got != want {
			t.Errorf("unit %q, want %q", got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "x.txt: no results are in it",
		"PASS\nok  \tm\t0.1s\n":           "x.txt: no results are in it",
		line + "BenchmarkPut 100 12\n":    "x.txt:2: ",
		"BenchmarkPut 100 1x ns/op":       `the line is torn: "BenchmarkPut 100 1x ns/op"`,
		line + strings.Repeat("x", 1<<20): "x.txt: bufio.Scanner: token too long",
	} {
		if f, err := Read("x.txt", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %q", text, f, err, want)
		}
	}
}
