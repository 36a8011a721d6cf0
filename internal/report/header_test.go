package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"kvbench/internal/record"
	"kvbench/internal/target"
)

var settings = []target.Setting{
	{Key: "cassandra-version", Value: "5.0.5"},
	{Key: "client-cpus", Value: " 2 of AMD EPYC: shared "},
	{Key: "gocql_conns.per-host", Value: "1"},
}

func header(t *testing.T, lines []target.Setting) string {
	t.Helper()
	var text strings.Builder
	if err := Header(&text, lines); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestHeader(t *testing.T) { golden(t, "header.txt", header(t, settings)) }

func TestHeaderRejects(t *testing.T) {
	for _, test := range []struct {
		why        string
		key, value string
		want       string
	}{
		{"an upper-case letter ends a key", "clientCPUs", "2", `"clientCPUs"`},
		{"a space ends a key", "client cpus", "2", `"client cpus"`},
		{"a colon ends a key", "a:b", "2", `"a:b"`},
		{"a digit does not begin a key", "9lives", "2", `"9lives"`},
		{"there must be a key", "", "2", "want a key"},
		{"a control character is not for a key", "a\x00b", "2", "want a key"},
		{"testing's own line would win", "pkg", "x", "testing prints its own"},
		{"an empty value deletes the key", "etcd-version", " \t", "no value"},
		{"a value of two lines is two lines", "etcd-version", "3.7\nBenchmarkX 1 1 ns/op", "not one line"},
		{"an escape sequence is not text", "etcd-version", "\x1b[1m3.7", "not one line"},
		{"one key has one value", "client-cpus", "4", "there are two"},
	} {
		var text strings.Builder
		err := Header(&text, append(slices.Clone(settings), target.Setting{Key: test.key, Value: test.value}))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.why, err, test.want)
		}
		if text.Len() > 0 {
			t.Errorf("%s: wrote a part: %q", test.why, text.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestHeaderReportsWriteErrors(t *testing.T) {
	if err := Header(full{}, nil); err == nil {
		t.Error("a header that was not written is no error")
	}
}

// resultLine returns the line that testing prints of a benchmark.
func resultLine(name string, extra Extra, summaries ...*record.Summary) string {
	r := testing.BenchmarkResult{N: 1, T: 10 * time.Second, Extra: report(extra, summaries...)}
	for _, s := range summaries {
		r.N += int(s.Counts.Ops())
	}
	return fmt.Sprintf("Benchmark%s-2 \t%s\n", name, r.String())
}

// resultFile is a file as "go test -bench" makes it, with every metric there is
// and latencies down to zero.
func resultFile(t *testing.T) string {
	many := func(kind string, openLoop bool, unit time.Duration) *record.Summary {
		return newSession(kind, openLoop).succeed(100_000, unit).summary()
	}
	mixed := Extra{Rates: []float64{7200, 1800}, ClientCPU: time.Second, Warmup: time.Second}
	return header(t, settings) + "goos: linux\n" +
		resultLine("Read/clients=256", Extra{ClientCPU: time.Second}, many("read", false, time.Microsecond)) +
		resultLine("Read/clients=256", Extra{ClientCPU: 1}, many("read", false, 0)) +
		resultLine("Batch/clients=64", Extra{RowsPerOp: 25}, many("write", false, time.Microsecond)) +
		resultLine("Put/rate=9000", Extra{Rates: []float64{9000}}, many("put", true, time.Microsecond)) +
		resultLine("Put/rate=9000", Extra{Rates: []float64{9000}}, many("put", true, 0)) +
		resultLine("Mixed", mixed, many("read", true, time.Microsecond), many("write", true, time.Microsecond)) +
		resultLine("Mixed", mixed, many("read", true, 0), many("write", true, 0)) +
		resultLine("Down", Extra{}, newSession("read", false).fail(3, record.Timeout, errors.New("slow")).summary())
}

func TestBenchfmtReadsWhatWeWrite(t *testing.T) {
	r := benchfmt.NewReader(strings.NewReader(resultFile(t)), "results.txt")
	seen := map[string]bool{}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			for _, s := range settings {
				if got := rec.GetConfig(s.Key); got != strings.TrimSpace(s.Value) {
					t.Errorf("%s: %s is %q, want %q", rec.Name, s.Key, got, s.Value)
				}
			}
			for _, v := range rec.Values {
				seen[v.Unit] = true
				if strings.HasSuffix(v.Unit, "-ns") || strings.HasSuffix(v.Unit, "-ns/op") {
					t.Errorf("%s: %v %s is not tidied: benchstat takes it for another unit", rec.Name, v.Value, v.Unit)
				}
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	units := r.Units()
	for unit := range seen {
		exact := units.GetAssumption(unit) == benchmath.AssumeExact
		if units.GetBetter(unit) == 0 && !exact {
			t.Errorf("%s has neither a direction nor is it exact", unit)
		}
		if exact != strings.HasSuffix(unit, "target-ops/s") {
			t.Errorf("%s: exact is %v", unit, exact)
		}
	}
	for _, m := range metrics {
		for _, unit := range m.units() {
			tidy := strings.Replace(unit, "-ns", "-sec", 1)
			if !seen[tidy] {
				t.Errorf("%s has a unit line, but no result", unit)
			}
		}
	}
}

func TestBenchprocKeepsRepetitionsTogether(t *testing.T) {
	filter, err := benchproc.NewFilter("*")
	if err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	rows, _, err := parser.ParseWithUnit(".fullname .config", filter)
	if err != nil {
		t.Fatal(err)
	}
	samples := map[benchproc.Key]int{}
	r := benchfmt.NewReader(strings.NewReader(resultFile(t)), "results.txt")
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok {
			for _, key := range rows.ProjectValues(res) {
				samples[key]++
			}
		}
	}
	for key, n := range samples {
		want := 2
		if s := key.String(); strings.Contains(s, "Batch") || strings.Contains(s, "Down") {
			want = 1
		}
		if n != want {
			t.Errorf("%v has %d samples, want %d", key, n, want)
		}
	}
	if len(samples) < len(metrics) {
		t.Errorf("only %d samples were read", len(samples))
	}
}

func TestComment(t *testing.T) {
	var text strings.Builder
	if err := Comment(&text, "consul: no servers:\ninstall Go, or\tset CONSUL_ENDPOINTS"); err != nil {
		t.Fatal(err)
	}
	want := "# consul: no servers: install Go, or set CONSUL_ENDPOINTS\n"
	if text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
	r := benchfmt.NewReader(strings.NewReader(want+"BenchmarkX 1 1 ns/op\n"), "output")
	for r.Scan() {
		if rec, ok := r.Result().(*benchfmt.Result); !ok || len(rec.Config) > 0 {
			t.Errorf("benchfmt does not pass over it: %+v", r.Result())
		}
	}
}
