package suite

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/load"
	"kvbench/internal/record"
	"kvbench/internal/report"
	"kvbench/internal/target"
	"kvbench/internal/verdict"
	"kvbench/internal/workload"
)

// Run runs a job as sub-benchmark "clients=…" (and "/rate=…" in open loop).
func (sys *System) Run(b *testing.B, job Job) {
	job = job.atRate(sys.suite.settings.Bench)
	if testing.Short() {
		job.Preload = min(job.Preload, shortPreload)
	}
	b.Run(job.name(), func(b *testing.B) {
		r := &run{suite: sys.suite, sys: sys, job: job, name: b.Name()}
		r.repeat(b)
	})
}

// shortPreload is the number of preloaded rows with -short, at the most.
const shortPreload = 1000

// A run is one repetition of one benchmark.
type run struct {
	suite   *Suite
	sys     *System
	job     Job
	name    string
	ctx     context.Context // done when the user interrupts or the servers are lost
	cancel  context.CancelFunc
	cluster *cluster.Cluster
	table   *table
	clients []target.Client
	before  int64 // rows in the store when the measured part begins
	unsure  int64 // rows of unknown outcome that the warm-up wrote
	warmup  time.Duration
	notes   []string // warnings
}

// repeat is one repetition. Failures are counted, since testing forgets those of
// repetitions after the first. After an interrupt nothing more is begun.
func (r *run) repeat(b *testing.B) {
	if r.suite.interrupted() {
		b.Skip(errInterrupted)
	}
	b.Cleanup(func() {
		if b.Failed() {
			r.suite.failed.Add(1)
		}
	})
	if err := r.benchmark(b); err != nil {
		b.Fatal(r.explain(err))
	}
}

// benchmark prepares, warms up, measures, judges and reports, in this order.
func (r *run) benchmark(b *testing.B) error {
	defer r.suite.progress.Clear()
	if err := r.prepare(); err != nil {
		return err
	}
	defer r.close()
	if err := r.warm(); err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}
	m, err := r.measure(b)
	if err != nil {
		return err
	}
	if err := r.inspect(m); err != nil {
		b.Errorf("after the run: %v", r.explain(err)) // beside what the run itself has shown
	}
	r.pronounce(b, verdict.Judge(m.evidence, r.limits()))
	report.Metrics(b, m.evidence.Summaries, report.Extra{
		ClientCPU: m.cpu, Warmup: r.warmup, Rates: m.evidence.Rates, RowsPerOp: m.rowsPerOp,
	})
	return nil
}

// pronounce makes the run fail, or adds warnings to its result. If it fails, what
// the servers logged last may say why.
func (r *run) pronounce(b *testing.B, findings []verdict.Finding) {
	for _, f := range findings {
		if f.Fatal {
			b.Errorf("%v", f)
		} else {
			r.notes = append(r.notes, f.String())
		}
	}
	for _, note := range r.notes {
		b.Logf("warning: %s", note)
	}
	if b.Failed() && r.cluster.Owned() {
		b.Logf("the servers' last words:\n%s", r.cluster.Logs(10))
	}
}

func (r *run) limits() verdict.Limits {
	b := r.suite.settings.Bench
	return verdict.Limits{MaxErrors: b.MaxErrors, MinRate: b.MinRate}
}

// explain says that a server died or the namespace was taken, if so: whatever else
// failed then, did so for that reason.
func (r *run) explain(err error) error {
	if r.cluster == nil {
		return err
	}
	lost := r.sys.lost()
	if lost == nil || errors.Is(err, lost) {
		return err
	}
	return fmt.Errorf("%w\n%w", err, lost)
}

// prepare opens the store with a session for each client and the rows that the
// job needs.
func (r *run) prepare() (err error) {
	if r.cluster, err = r.sys.running(r.suite.ctx); err != nil {
		return err
	}
	r.untilDeath()
	limit := max(3*r.suite.settings.Bench.Timeout, openLimit)
	ctx, cancel := context.WithTimeoutCause(r.ctx, limit, fmt.Errorf("the store could not be opened within %v", limit))
	defer cancel()
	store, err := r.sys.open(ctx, r.cluster, &r.job)
	if err != nil {
		r.cancel()
		return err
	}
	r.table = newTable(r.job.Rows, store, r.job.Preload)
	r.before = r.job.Preload
	for _, step := range []func() error{r.hire, r.probe, r.preload} {
		if err := step(); err != nil {
			r.close()
			return err
		}
	}
	return nil
}

// untilDeath makes the run's context one that ends when the servers are lost.
func (r *run) untilDeath() {
	ctx, cancel := context.WithCancelCause(r.suite.ctx)
	go func() {
		select {
		case <-r.cluster.Died():
			cancel(r.cluster.Err())
		case <-r.sys.turn.taken():
			cancel(r.sys.turn.Err())
		case <-ctx.Done():
		}
	}()
	r.ctx, r.cancel = ctx, func() { cancel(nil) }
}

// hire makes the job's clients.
func (r *run) hire() (err error) {
	r.clients, err = r.connect(r.job.clients())
	return err
}

// connect makes n clients, some at a time. Beside an error it returns those that
// it has made; the others are nil.
func (r *run) connect(n int) ([]target.Client, error) {
	ctx, cancel := context.WithTimeoutCause(r.ctx, connectLimit, fmt.Errorf("%d clients did not connect within %v", n, connectLimit))
	defer cancel()
	clients := make([]target.Client, n)
	return clients, parallel(n, 32, func(i int) (err error) {
		if clients[i], err = r.table.store.Client(ctx); err != nil {
			return fmt.Errorf("client %d of %d: %w", i+1, n, err)
		}
		return nil
	})
}

// Limits of what comes before a run: making a schema or a thousand buckets, and a
// thousand sessions.
const (
	openLimit    = 30 * time.Second
	connectLimit = time.Minute
)

// disconnect ends the sessions of clients.
func disconnect(clients []target.Client) {
	parallel(len(clients), 32, func(i int) error {
		if clients[i] != nil {
			clients[i].Close()
		}
		return nil
	})
}

// probe tries one operation of each load that writes, so that what the servers
// refuse is an error before the run and not a run of errors.
func (r *run) probe() error {
	ctx, cancel := context.WithTimeout(r.ctx, r.suite.settings.Bench.Timeout)
	defer cancel()
	for _, l := range r.job.Loads {
		if err := l.Op.probe(ctx, r.table, r.clients[0], workload.Rand(0, "probe", 0)); err != nil {
			return err
		}
	}
	return nil
}

// plan returns what all plans of the run have in common.
func (r *run) plan() load.Plan {
	b := r.suite.settings.Bench
	return load.Plan{Timeout: b.Timeout, Seed: b.Seed}
}

// groups returns the job's loads, for a run of the given length or number of
// operations, on fresh counters: clients and connections are the run's.
func (r *run) groups(window time.Duration, ops int64, stream string) ([]load.Group, error) {
	var groups []load.Group
	bench, next := r.suite.settings.Bench, 0
	for i, l := range r.job.Loads {
		arrivals, err := r.job.arrivals(i, bench)
		if err != nil {
			return nil, err
		}
		g := load.Group{Arrivals: arrivals}
		if ops > 0 {
			if g.Ops = r.job.share(i, ops); g.Ops == 0 {
				return nil, fmt.Errorf("-benchtime=%dx: no operation is left for kind %q of %d kinds; want more", ops, l.Kind, len(r.job.Loads))
			}
		}
		g.Recorder = record.New(record.Config{
			Kind: l.Kind, Clients: l.Clients, OpenLoop: arrivals != nil, Window: windowOf(window, g),
		})
		for range l.Clients {
			rng := workload.Rand(bench.Seed, stream+"/"+l.Kind, next)
			g.Clients = append(g.Clients, l.Op.client(r.table, r.clients[next], rng))
			next++
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// windowOf returns the time within which a group's operations are to be done: a
// run's duration, or the time in which a number of operations is meant to arrive.
func windowOf(d time.Duration, g load.Group) time.Duration {
	if d == 0 && g.Ops > 0 && g.Arrivals != nil {
		return time.Duration(float64(g.Ops) / g.Arrivals.Rate() * float64(time.Second))
	}
	return d
}

// close ends the clients' sessions and the store's connections.
func (r *run) close() {
	defer r.cancel()
	disconnect(r.clients)
	r.table.store.Close()
}
