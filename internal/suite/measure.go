package suite

import (
	"errors"
	"math"
	"runtime"
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
	rowsPerOp int
}

// measure runs the job's load and sets b.N to the operations that were done.
func (r *run) measure(b *testing.B) (*measurement, error) {
	d, ops, err := benchtime()
	if err != nil {
		return nil, err
	}
	plan := r.plan()
	plan.Duration = d
	if plan.Groups, err = r.groups(d, ops, "run"); err != nil {
		return nil, err
	}
	keep, done, err := r.artifacts(b)
	if err != nil {
		return nil, err
	}
	plan.OnInterval = func(is []record.Interval) bool {
		r.show("run", d, is)
		keep(is)
		return false
	}
	res, cpu, err := r.enter(b, plan)
	if err := errors.Join(err, done()); err != nil {
		return nil, err
	}
	m := &measurement{}
	m.fill(r, res, cpu)
	if ops > 0 && r.suite.settings.Bench.Arrivals == "poisson" {
		m.evidence.Spread = 3 * math.Sqrt(float64(ops)) // three standard deviations
	}
	//lint:ignore SA3001 the loop had one iteration; the engine counts the operations
	b.N = m.ops()
	return m, nil
}

// enter runs plan within the first iteration of b's loop, so that the engine is
// entered exactly once a repetition and lasts -benchtime, or does exactly Nx
// operations. It also returns the processor time that the run took here.
func (r *run) enter(b *testing.B, plan load.Plan) (res *load.Result, cpu time.Duration, err error) {
	first := true
	for b.Loop() {
		if !first {
			continue // only with Nx: the other iterations are empty
		}
		first = false
		before := cpuTime()
		res, err = load.Run(r.ctx, plan)
		cpu = cpuTime() - before
		if err != nil {
			break
		}
	}
	return res, cpu, err
}

// show tells who waits how the load is going.
func (r *run) show(phase string, total time.Duration, is []record.Interval) {
	r.suite.progress.Show(report.Status{
		Package: r.suite.name, Benchmark: r.name, Phase: phase, Elapsed: is[0].End, Total: total, Intervals: is,
	})
}

// artifacts returns what keeps an interval, and what completes the files: nothing
// unless -artifacts is given.
func (r *run) artifacts(b *testing.B) (keep func([]record.Interval), done func() error, err error) {
	if !flagSet("test.artifacts") {
		return func([]record.Interval) {}, func() error { return nil }, nil
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
func (m *measurement) fill(r *run, res *load.Result, cpu time.Duration) {
	e := &m.evidence
	e.ClientCPU = cpu
	e.Summaries, e.Wall, e.Cores = res.Summaries, res.Elapsed, min(runtime.NumCPU(), runtime.GOMAXPROCS(0))
	e.Rows.Before = r.before
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

// inspect looks at what the run has done to the store: how many rows there are,
// and whether acknowledged ones can be read.
func (r *run) inspect(m *measurement) error {
	e := &m.evidence
	count, err := r.table.count(r.ctx, e.Rows.Before+e.Rows.Acked)
	if err != nil {
		return err
	}
	e.Rows.Counted, e.Rows.After = true, count
	if !r.job.inserts() {
		return nil
	}
	rng := workload.Rand(r.suite.settings.Bench.Seed, "read back", 0)
	settled := r.table.acked.Limit() - r.table.first
	e.Lost, err = r.table.readBack(r.ctx, r.clients[0], settled, rng, r.plan().Timeout)
	return err
}
