package report

import (
	"slices"
	"time"

	"kvbench/internal/record"
)

// A Metricer is the part of a [testing.B] that Metrics needs.
type Metricer interface {
	ReportMetric(n float64, unit string)
}

// Extra is what a result line says beside the summaries. What is zero is left out.
type Extra struct {
	Rates     []float64     // arrival rate of each summary's operations, per second; 0 or nil in closed loop
	ClientCPU time.Duration // processor time of this process during the run
	Warmup    time.Duration // load before the measurement until the target was steady
	RowsPerOp int           // rows that each operation writes, if more than 1
}

// Metrics reports the outcomes of a run, one summary for each kind of operation.
// Of one kind the units are plain; of several, latencies begin with the kind
// ("read-p99-ns"), and totals are reported both ways. It must be called after
// b.Loop, which forgets what was reported before.
func Metrics(b Metricer, summaries []*record.Summary, extra Extra) {
	all := outcome{summaries: summaries, rates: extra.Rates, extra: extra}
	several := len(summaries) > 1
	for _, m := range metrics {
		if m.scope != perKind || !several {
			m.report(b, m.unit, all)
		}
		for i, s := range summaries {
			if m.scope != perRun && several {
				m.report(b, prefixed(s.Kind, m.unit), all.kind(i))
			}
		}
	}
	if slices.ContainsFunc(summaries, func(s *record.Summary) bool { return s.OpenLoop }) {
		b.ReportMetric(0, "ns/op") // suppresses it: it is 1/rate, whatever the target does
	}
}

func (m metric) report(b Metricer, unit string, o outcome) {
	if v, ok := m.of(o); ok {
		b.ReportMetric(v, unit)
	}
}
