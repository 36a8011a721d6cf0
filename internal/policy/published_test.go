package policy

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// quotes are the published figures as their sources have them, in the order of the
// systems, and where testdata/published has them.
var quotes = []struct {
	file, unit string
	label      string   // before the figures, in the source
	figures    []string // of each result that has the unit
}{
	{"yugabyte-key-value.txt", "ops/s", "", []string{"Write Ops/sec ~90k", "(Read) Ops/sec ~150k"}},
	{"yugabyte-key-value.txt", "rows/s", "", []string{"(Batch Write) Ops/sec ~140k"}},
	{"yugabyte-key-value.txt", "mean-ns", "", []string{"Write Latency ~2.5-3.0 ms/op", "(Read) Latency ~1.66 ms/op", "(Batch Write) Latency ~9.0 ms/op"}},
	{"yugabyte-key-value.txt", "server-cpu-percent", "", []string{"CPU (User + Sys) 60%", "CPU (User + Sys) 60%", "CPU (User + Sys) 80%"}},

	{"yugabyte-ndbench.txt", "read-mean-ns", "Read: Avg =", []string{"1.368ms"}},
	{"yugabyte-ndbench.txt", "read-p95-ns", "P95 =", []string{"3.311ms"}},
	{"yugabyte-ndbench.txt", "read-p99-ns", "P99 =", []string{"5.722ms"}},
	{"yugabyte-ndbench.txt", "read-p99.5-ns", "P995 =", []string{"6.866ms"}},
	{"yugabyte-ndbench.txt", "write-mean-ns", "Write: Avg =", []string{"1.803ms"}},
	{"yugabyte-ndbench.txt", "write-p95-ns", "P95 =", []string{"2.299ms"}},
	{"yugabyte-ndbench.txt", "write-p99-ns", "P99 =", []string{"3.311ms"}},
	{"yugabyte-ndbench.txt", "write-p99.5-ns", "P995 =", []string{"4.768ms"}},
	{"yugabyte-ndbench.txt", "read-target-ops/s", "", []string{"ndbench.config.readRateLimit=7200"}},
	{"yugabyte-ndbench.txt", "write-target-ops/s", "", []string{"ndbench.config.writeRateLimit=1800"}},

	{"dbtester.txt", "server-disk-reads", "READS-COMPLETED-DELTA", []string{"335", "217", "257"}},
	{"dbtester.txt", "server-disk-sectors-read", "SECTORS-READS-DELTA-SUM", []string{"0", "0", "0"}},
	{"dbtester.txt", "server-disk-writes", "WRITES-COMPLETED-DELTA-SUM", []string{"1,231,556", "955,211", "2,516,639"}},
	{"dbtester.txt", "server-disk-sectors-written", "SECTORS-WRITTEN-DELTA-SUM", []string{"729,836", "10,554,668", "44,590,452"}},
	{"dbtester.txt", "server-data-bytes", "AVG-DATA-SIZE", []string{"2.4 GB", "7.7 GB", "3.0 GB"}},
	{"dbtester.txt", "server-received-bytes", "RECEIVE-BYTES-SUM", []string{"5.1 GB", "5.4 GB", "7.9 GB"}},
	{"dbtester.txt", "server-sent-bytes", "TRANSMIT-BYTES-SUM", []string{"3.9 GB", "4.4 GB", "6.7 GB"}},
	{"dbtester.txt", "server-max-cpu-percent", "MAX-CPU-USAGE", []string{"445.33 %", "547.73 %", "411.23 %"}},
	{"dbtester.txt", "server-max-rss-bytes", "MAX-MEMORY-USAGE", []string{"1348.55 MB", "3886.00 MB", "6300.68 MB"}},
	{"dbtester.txt", "total-ns", "TOTAL-SECONDS", []string{"348.6809 sec", "325.9369 sec", "833.0403 sec"}},
	{"dbtester.txt", "max-ops/s", "MAX-THROUGHPUT", []string{"35,607 req/sec", "36,742 req/sec", "14,389 req/sec"}},
	{"dbtester.txt", "ops/s", "AVG-THROUGHPUT", []string{"2,867 req/sec", "3,060 req/sec", "1,200 req/sec"}},
	{"dbtester.txt", "min-ops/s", "MIN-THROUGHPUT", []string{"154 req/sec", "0 req/sec", "0 req/sec"}},
	{"dbtester.txt", "min-ns", "FASTEST-LATENCY", []string{"1.1331 ms", "1.1178 ms", "3.0202 ms"}},
	{"dbtester.txt", "mean-ns", "AVG-LATENCY", []string{"13.9505 ms", "30.7027 ms", "199.2154 ms"}},
	{"dbtester.txt", "max-ns", "SLOWEST-LATENCY", []string{"268.1365 ms", "4791.4295 ms", "22578.4875 ms"}},
	{"dbtester.txt", "p10-ns", "Latency p10", []string{"2.329807 ms", "2.425453 ms", "3.935582 ms"}},
	{"dbtester.txt", "p25-ns", "Latency p25", []string{"5.932790 ms", "3.847339 ms", "7.653584 ms"}},
	{"dbtester.txt", "p50-ns", "Latency p50", []string{"10.211023 ms", "6.907074 ms", "21.364391 ms"}},
	{"dbtester.txt", "p75-ns", "Latency p75", []string{"17.023281 ms", "13.768245 ms", "59.155494 ms"}},
	{"dbtester.txt", "p90-ns", "Latency p90", []string{"28.458718 ms", "23.767844 ms", "161.821492 ms"}},
	{"dbtester.txt", "p95-ns", "Latency p95", []string{"43.808491 ms", "29.821734 ms", "317.361200 ms"}},
	{"dbtester.txt", "p99-ns", "Latency p99", []string{"62.109107 ms", "699.922794 ms", "4416.572182 ms"}},
	{"dbtester.txt", "p99.9-ns", "Latency p99.9", []string{"92.473754 ms", "2228.556340 ms", "20750.406953 ms"}},
}

// derived are figures that follow from others, as the files' comments say.
var derived = map[string]bool{
	"yugabyte-key-value.txt ops/s": true, // of batches: rows/s by 25
	"yugabyte-ndbench.txt ops/s":   true, "yugabyte-ndbench.txt read-ops/s": true, "yugabyte-ndbench.txt write-ops/s": true, "yugabyte-ndbench.txt target-ops/s": true,
}

func TestPublishedFigures(t *testing.T) {
	for _, q := range quotes {
		got := published(t, q.file)[q.unit]
		if len(got) != len(q.figures) && !derived[q.file+" "+q.unit] {
			t.Errorf("%s: %d values of %s, want %d", q.file, len(got), q.unit, len(q.figures))
			continue
		}
		for i, figure := range q.figures {
			if want := number(t, figure); math.Abs(got[i]-want) > 1e-9*want {
				t.Errorf("%s: %s is %v, the source says %q", q.file, q.unit, got[i], figure)
			}
		}
	}
}

// Each value of each file is a figure of the source, or is known to follow from some.
func TestPublishedFilesHoldNothingElse(t *testing.T) {
	quoted := map[string]bool{}
	for _, q := range quotes {
		quoted[q.file+" "+q.unit] = true
	}
	for _, file := range []string{"yugabyte-key-value.txt", "yugabyte-ndbench.txt", "dbtester.txt"} {
		for unit := range published(t, file) {
			if key := file + " " + unit; !quoted[key] && !derived[key] {
				t.Errorf("%s: %s is in no source", file, unit)
			}
		}
	}
}

// The sources themselves, where they are at hand, have all figures behind their labels.
func TestPublishedQuotes(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join(root, "..", "shared", "seeds", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) == 0 {
		t.Skip("the three source documents are not beside the repository; the figures are checked against their quotations above")
	}
	var all strings.Builder
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\n|", r) }), " "))
	}
	for _, q := range quotes {
		want := strings.TrimSpace(q.label + " " + strings.Join(q.figures, " "))
		if q.label == "" {
			for _, figure := range q.figures {
				if !strings.Contains(all.String(), figure) {
					t.Errorf("no source has %q", figure)
				}
			}
		} else if !strings.Contains(all.String(), want) {
			t.Errorf("no source has %q", want)
		}
	}
}

// published returns the values in a file of published results, by unit as printed.
func published(t *testing.T, file string) map[string][]float64 {
	t.Helper()
	name := "testdata/published/" + file
	found := map[string][]float64{}
	r := benchfmt.NewReader(strings.NewReader(read(t, name)), name)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			for _, key := range []string{"source", "date", "tool", "hardware"} {
				if rec.GetConfig(key) == "" {
					t.Errorf("%s: no line %q", name, key)
				}
			}
			for _, v := range rec.Values {
				unit, value := v.Unit, v.Value
				if v.OrigUnit != "" {
					unit, value = v.OrigUnit, v.OrigValue
				}
				if r.Units().Get(v.Unit, "better") == nil && r.Units().Get(v.Unit, "assume") == nil {
					t.Errorf("%s: no line \"Unit %s …\"", name, unit)
				}
				found[unit] = append(found[unit], value)
			}
		}
	}
	return found
}

// number returns the last number of a figure as the files have it: times in
// nanoseconds, sizes in bytes; the middle of two numbers with a dash.
func number(t *testing.T, figure string) float64 {
	t.Helper()
	scale := 1.0
	for _, unit := range []struct {
		sign  string
		scale float64
	}{{"ms", 1e6}, {" sec", 1e9}, {"GB", 1e9}, {"MB", 1e6}, {"k", 1e3}} {
		if !strings.Contains(figure, "req/sec") && (strings.HasSuffix(figure, unit.sign) || strings.Contains(figure, unit.sign+"/op")) {
			scale = unit.scale
			break
		}
	}
	digits := strings.FieldsFunc(strings.ReplaceAll(figure, ",", ""), func(r rune) bool { return !strings.ContainsRune("0123456789.-", r) })
	var values []float64
	for _, d := range strings.Split(digits[len(digits)-1], "-") {
		v, err := strconv.ParseFloat(d, 64)
		if err != nil {
			t.Fatalf("%q: %v", figure, err)
		}
		values = append(values, v)
	}
	return scale * (values[0] + values[len(values)-1]) / 2
}
