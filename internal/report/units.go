package report

import (
	"fmt"
	"slices"
	"time"

	"kvbench/internal/record"
)

// kinds are the kinds of operation that can be measured in one run. Where
// several are, their units begin with "read-" and "write-".
var kinds = [...]string{"read", "write"}

// A scope says whose number a metric is.
type scope int

const (
	perKind scope = iota // one kind of operation's: percentiles of different kinds don't add up
	perBoth              // each kind's, and all kinds' together
	perRun               // the run's as a whole
)

// A metric is a unit and where its number comes from. The result lines and the
// unit lines are both made from metrics, so that no unit is without a direction.
type metric struct {
	unit string
	meta string // what benchfmt is told about the unit
	scope
	// of returns the number, and false if there is none. A perKind metric's
	// outcome has one summary.
	of func(outcome) (float64, bool)
}

const (
	lower  = "better=lower"
	higher = "better=higher"
	given  = "assume=exact" // was asked for: neither better nor worse, and the same in every run
)

// metrics are all metrics of result lines in the order of the unit lines.
// Beside them testing prints its own ns/op, B/op and allocs/op.
var metrics = [...]metric{
	{"mean-ns", lower, perKind, mean},
	{"p50-ns", lower, perKind, response(50)},
	{"p90-ns", lower, perKind, response(90)},
	{"p95-ns", lower, perKind, response(95)},
	{"p99-ns", lower, perKind, response(99)},
	{"p99.5-ns", lower, perKind, response(99.5)},
	{"p99.9-ns", lower, perKind, response(99.9)},
	{"p99.99-ns", lower, perKind, response(99.99)},
	{"max-ns", lower, perKind, longest},
	{"service-p99-ns", lower, perKind, serviceP99},
	{"lag-p99-ns", lower, perKind, lagP99},
	{"ops/s", higher, perBoth, opsPerSecond},
	{"target-ops/s", given, perBoth, outcome.target},
	{"errors/op", lower, perBoth, errorsPerOp},
	{"rows/s", higher, perRun, rowsPerSecond},
	{"client-cpu-ns/op", lower, perRun, clientCPU},
	{"warmup-ns", lower, perRun, warmup},
}

// An outcome is what the numbers of a result line are taken from.
type outcome struct {
	summaries []*record.Summary
	rates     []float64 // of the summaries; nil in closed loop
	extra     Extra
}

// kind returns the outcome of the i-th kind alone.
func (o outcome) kind(i int) outcome {
	k := outcome{summaries: o.summaries[i : i+1], extra: o.extra}
	if o.rates != nil {
		k.rates = o.rates[i : i+1]
	}
	return k
}

func (o outcome) only() *record.Summary { return o.summaries[0] }

// recorded reports whether there are any latencies.
func (o outcome) recorded() bool { return o.only().Response.TotalCount() > 0 }

func (o outcome) ops() (n int64) {
	for _, s := range o.summaries {
		n += s.Counts.Ops()
	}
	return n
}

func (o outcome) throughput() (perSecond float64) {
	for _, s := range o.summaries {
		perSecond += s.Throughput()
	}
	return perSecond
}

func (o outcome) target() (perSecond float64, ok bool) {
	for _, r := range o.rates {
		perSecond += r
	}
	return perSecond, perSecond > 0
}

// nanos returns d in nanoseconds, at least 1: benchfmt tidies "ns" to "sec",
// except if the value is 0, which therefore becomes a sample of another unit.
func nanos(d time.Duration, ok bool) (float64, bool) {
	return max(1, float64(d)), ok
}

func mean(o outcome) (float64, bool)    { return nanos(o.only().Mean(), o.recorded()) }
func longest(o outcome) (float64, bool) { return nanos(o.only().Max, o.recorded()) }
func warmup(o outcome) (float64, bool)  { return nanos(o.extra.Warmup, o.extra.Warmup > 0) }

func response(p float64) func(outcome) (float64, bool) {
	return func(o outcome) (float64, bool) { return nanos(o.only().Percentile(p)) }
}

func serviceP99(o outcome) (float64, bool) {
	d, ok := o.only().ServicePercentile(99)
	return nanos(d, ok && o.only().OpenLoop)
}

func lagP99(o outcome) (float64, bool) { return nanos(o.only().LagPercentile(99)) }

func opsPerSecond(o outcome) (float64, bool) { return o.throughput(), true }

func errorsPerOp(o outcome) (float64, bool) {
	var failed int64
	for _, s := range o.summaries {
		failed += s.Counts.Errors()
	}
	return float64(failed) / float64(max(1, o.ops())), true
}

func rowsPerSecond(o outcome) (float64, bool) {
	return o.throughput() * float64(o.extra.RowsPerOp), o.extra.RowsPerOp > 1
}

func clientCPU(o outcome) (float64, bool) {
	cpu, ops := o.extra.ClientCPU, o.ops()
	return max(1, float64(cpu)/float64(max(1, ops))), cpu > 0 && ops > 0
}

// prefixed returns unit as the unit of one of several kinds.
func prefixed(kind, unit string) string {
	if !slices.Contains(kinds[:], kind) {
		panic(fmt.Sprintf("report: kind %q has no units", kind))
	}
	return kind + "-" + unit
}
