package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/record"
)

var _ Metricer = (*testing.B)(nil)

// reported collects metrics and finds those that are reported twice.
type reported map[string]float64

func (r reported) ReportMetric(n float64, unit string) {
	if old, twice := r[unit]; twice {
		panic(fmt.Sprintf("%s was reported as %v and %v", unit, old, n))
	}
	r[unit] = n
}

func report(extra Extra, summaries ...*record.Summary) reported {
	r := reported{}
	Metrics(r, summaries, extra)
	return r
}

// near compares like benchstat's reader would: the histograms keep three digits.
var near = cmp.Comparer(func(a, b float64) bool { return max(a, b)-min(a, b) <= 0.001*max(a, b) })

func TestMetricsOfClosedLoop(t *testing.T) {
	s := newSession("read", false).succeed(100_000, time.Microsecond).fail(25, record.Unavailable, errors.New("down")).summary()
	want := reported{
		"mean-ns": 50e6, "p50-ns": 50e6, "p90-ns": 90e6, "p95-ns": 95e6, "p99-ns": 99e6,
		"p99.5-ns": 99.5e6, "p99.9-ns": 99.9e6, "p99.99-ns": 99.99e6, "max-ns": 100e6,
		"ops/s": 10_000, "errors/op": 25.0 / 100_025, "client-cpu-ns/op": 1e9 / 100_025.0,
	}
	if diff := cmp.Diff(want, report(Extra{ClientCPU: time.Second}, s), near); diff != "" {
		t.Error(diff)
	}
}

func TestMetricsOfOpenLoop(t *testing.T) {
	s := newSession("write", true).succeed(1000, time.Microsecond).summary()
	want := reported{
		"ns/op":   0, // suppressed
		"mean-ns": 500.5e3, "p50-ns": 500e3, "p90-ns": 900e3, "p95-ns": 950e3, "p99-ns": 990e3, "max-ns": 1000e3,
		"service-p99-ns": 495e3, "lag-p99-ns": 495e3,
		"ops/s": 100, "target-ops/s": 101, "errors/op": 0, "rows/s": 2500, "warmup-ns": 12e9,
	}
	got := report(Extra{Rates: []float64{101}, RowsPerOp: 25, Warmup: 12 * time.Second}, s)
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

func TestMetricsOfSeveralKinds(t *testing.T) {
	read := newSession("read", true).succeed(4000, time.Microsecond).summary()
	write := newSession("write", true).succeed(1000, time.Microsecond).fail(1000, record.Overload, errors.New("busy")).summary()
	got := report(Extra{Rates: []float64{400, 200}, ClientCPU: 6 * time.Millisecond}, read, write)
	wants := reported{
		"read-ops/s": 400, "write-ops/s": 100, "ops/s": 500,
		"read-target-ops/s": 400, "write-target-ops/s": 200, "target-ops/s": 600,
		"read-errors/op": 0, "write-errors/op": 0.5, "errors/op": 1.0 / 6,
		"read-p99-ns": 3960e3, "write-p99-ns": 990e3,
		"read-lag-p99-ns": 1980e3, "write-service-p99-ns": 495e3,
		"client-cpu-ns/op": 1000, "ns/op": 0,
	}
	for unit, want := range wants {
		if v, ok := got[unit]; !ok || !cmp.Equal(v, want, near) {
			t.Errorf("%s: got %v (reported: %v), want %v", unit, v, ok, want)
		}
	}
	for unit := range got {
		if strings.HasPrefix(unit, "p") || unit == "mean-ns" || unit == "max-ns" || unit == "read-client-cpu-ns/op" {
			t.Errorf("%s is reported of different kinds of operation together", unit)
		}
	}
}

func TestMetricsWithoutEnoughOperations(t *testing.T) {
	for _, test := range []struct {
		ops  int
		want []string // percentiles
	}{
		{19, nil},
		{20, []string{"p50-ns"}},
		{999, []string{"p50-ns", "p90-ns", "p95-ns"}},
		{1000, []string{"p50-ns", "p90-ns", "p95-ns", "p99-ns"}},
		{10_000, []string{"p50-ns", "p90-ns", "p95-ns", "p99-ns", "p99.5-ns", "p99.9-ns"}},
	} {
		got := report(Extra{}, newSession("read", false).succeed(test.ops, time.Microsecond).summary())
		var percentiles []string
		for _, unit := range slices.Sorted(maps.Keys(got)) {
			if strings.HasPrefix(unit, "p") {
				percentiles = append(percentiles, unit)
			}
		}
		if !slices.Equal(percentiles, test.want) {
			t.Errorf("%d operations: percentiles %v, want %v", test.ops, percentiles, test.want)
		}
	}
}

func TestMetricsWithoutSuccess(t *testing.T) {
	s := newSession("read", false).fail(7, record.Unavailable, errors.New("down")).summary()
	want := reported{"ops/s": 0, "errors/op": 1}
	if diff := cmp.Diff(want, report(Extra{}, s)); diff != "" {
		t.Errorf("of failures without latencies only rates can be told:\n%s", diff)
	}
	want = reported{"ops/s": 0, "errors/op": 0}
	if diff := cmp.Diff(want, report(Extra{ClientCPU: 1}, newSession("read", false).summary())); diff != "" {
		t.Errorf("no operations:\n%s", diff)
	}
}

func TestMetricsAreNeverZeroNanoseconds(t *testing.T) {
	s := newSession("read", true)
	for range 100_000 {
		s.Stripe(0).Success(record.Op{Intended: 5, Sent: 5, Done: 5})
	}
	for unit, v := range report(Extra{Rates: []float64{1}, ClientCPU: 1, Warmup: 1}, s.summary()) {
		if strings.Contains(unit, "-ns") && v < 1 {
			t.Errorf("%s is %v", unit, v)
		}
	}
}

func TestMetricsRejectUnknownKinds(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a unit without a direction line was reported")
		}
	}()
	report(Extra{}, newSession("read", false).summary(), newSession("scan", false).summary())
}
