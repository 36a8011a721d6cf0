package suite

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"kvbench/internal/load"
	"kvbench/internal/record"
	"kvbench/internal/report"
	"kvbench/internal/verdict"
	"kvbench/internal/workload"
)

// A measurement is what one measured run leaves to be judged and reported.
type measurement struct {
	evidence  verdict.Evidence
	cpu       time.Duration // of this process, until the last operation was complete
	rowsPerOp int
}

// measure runs the job's load and sets b.N to the operations that were done.
func (r *run) measure(b *testing.B) (*measurement, error) {
	d, ops, err := benchtime()
	if err != nil {
		return nil, err
	}
	plan := r.plan()
	plan.Duration = r.suite.atMost(d)
	if plan.Groups, err = r.groups(d, ops, "run"); err != nil {
		return nil, err
	}
	keep, done, err := r.artifacts(b)
	if err != nil {
		return nil, err
	}
	plan.OnInterval = r.observer(d, ops, keep)
	res, cpu, err := r.enter(b, plan)
	if err := errors.Join(err, done()); err != nil {
		return nil, err
	}
	m := &measurement{cpu: cpu.whole}
	m.fill(r, res)
	m.evidence.ClientCPU = cpu.window
	if d > 0 {
		m.evidence.Wall = min(d, res.Elapsed)
	}
	if ops > 0 && r.suite.settings.Bench.Arrivals == "poisson" {
		m.evidence.Spread = 3 * math.Sqrt(float64(ops)) // three standard deviations
	}
	//lint:ignore SA3001 the loop had one iteration; the engine counts the operations
	b.N = m.ops()
	return m, r.checkDone(m, ops)
}

// observer returns what looks at the intervals of a run, nil if nobody does. A
// run of a number of operations ends when so many have failed that it has failed:
// with a server that is gone it would take for ever.
func (r *run) observer(d time.Duration, ops int64, keep func([]record.Interval)) func([]record.Interval) bool {
	if keep == nil && r.suite.progress == nil && ops == 0 {
		return nil
	}
	var failed int64
	tolerated := r.suite.settings.Bench.MaxErrors * float64(ops)
	return func(is []record.Interval) bool {
		r.show("run", d, is)
		if keep != nil {
			keep(is)
		}
		for _, i := range is {
			failed += i.Counts.Errors()
		}
		return ops > 0 && float64(failed) > tolerated
	}
}

// A cpuUse is the processor time that a run took of this process.
type cpuUse struct {
	window time.Duration // until no more operations were started
	whole  time.Duration
}

// enter runs plan within the first iteration of b's loop, so that the engine is
// entered exactly once a repetition and lasts -benchtime, or does exactly Nx
// operations.
func (r *run) enter(b *testing.B, plan load.Plan) (res *load.Result, cpu cpuUse, err error) {
	first := true
	for b.Loop() {
		if !first {
			continue // only with Nx: the other iterations are empty
		}
		first = false
		if res, cpu, err = r.timed(plan); err != nil {
			break // and the benchmark fails
		}
	}
	return res, cpu, err
}

func (r *run) timed(plan load.Plan) (res *load.Result, cpu cpuUse, err error) {
	var window atomic.Int64
	before := cpuTime()
	if plan.Duration > 0 {
		closing := time.AfterFunc(plan.Duration, func() { window.Store(int64(cpuTime() - before)) })
		defer closing.Stop()
	}
	res, err = load.Run(r.ctx, plan)
	cpu.whole = cpuTime() - before
	if cpu.window = time.Duration(window.Load()); cpu.window == 0 {
		cpu.window = cpu.whole
	}
	return res, cpu, err
}

// show tells who waits how the load is going.
func (r *run) show(phase string, total time.Duration, is []record.Interval) {
	r.suite.progress.Show(report.Status{
		Package: r.suite.name, Benchmark: r.name, Phase: phase, Elapsed: is[0].End, Total: total, Intervals: is,
	})
}

// artifacts returns what keeps an interval, nil unless -artifacts is given, and
// what completes the files.
func (r *run) artifacts(b *testing.B) (keep func([]record.Interval), done func() error, err error) {
	if !flagSet("test.artifacts") {
		return nil, func() error { return nil }, nil
	}
	files, err := report.Create(b.ArtifactDir(), b.Name())
	if err != nil {
		return nil, nil, err
	}
	var failed error
	keep = func(is []record.Interval) { failed = errors.Join(failed, files.Interval(is)) }
	done = func() error { return errors.Join(failed, files.Close()) }
	return keep, done, nil
}

// fill takes down what the run has seen.
func (m *measurement) fill(r *run, res *load.Result) {
	e := &m.evidence
	e.Summaries, e.Wall, e.Cores = res.Summaries, res.Elapsed, min(runtime.NumCPU(), runtime.GOMAXPROCS(0))
	e.Rows.Before, e.Rows.Ambiguous = r.before, r.unsure
	for i, s := range res.Summaries {
		e.Rates = append(e.Rates, r.job.Loads[i].Rate)
		rows := r.job.Loads[i].Op.inserts()
		e.Rows.Acked += rows * s.Counts.OK
		e.Rows.Ambiguous += rows * s.Counts.Ambiguous()
		m.rowsPerOp = max(m.rowsPerOp, int(rows))
	}
}

// ops returns the operations of all kinds.
func (m *measurement) ops() int {
	n := 0
	for _, s := range m.evidence.Summaries {
		n += int(s.Counts.Ops())
	}
	return n
}

// failed reports whether a kind of operation failed more often than is allowed.
func (m *measurement) failed(allowed float64) bool {
	return slices.ContainsFunc(m.evidence.Summaries, func(s *record.Summary) bool {
		return s.Counts.OK == 0 || s.ErrorRatio() > allowed
	})
}

// inspect looks at what the run has done to the store: how many rows there are,
// and whether acknowledged ones can be read. A system that has failed already is
// not asked: it may never answer.
func (r *run) inspect(m *measurement) error {
	e := &m.evidence
	if m.failed(r.suite.settings.Bench.MaxErrors) {
		return nil
	}
	if err := r.table.answers(r.ctx, r.clients[0], r.plan().Timeout); err != nil {
		return err
	}
	count, err := r.table.count(r.ctx, e.Rows.Before+e.Rows.Acked)
	if err != nil {
		return err
	}
	e.Rows.Counted, e.Rows.After = true, count
	e.Lost, err = r.table.readUpdates(r.ctx, r.clients[0], r.plan().Timeout)
	if err != nil || !r.job.inserts() {
		return err
	}
	rng := workload.Rand(r.suite.settings.Bench.Seed, "read back", 0)
	settled := r.table.acked.Limit() - r.table.first
	inserted, err := r.table.readBack(r.ctx, r.clients[0], settled, rng, r.plan().Timeout)
	e.Lost.Add(inserted)
	return err
}
