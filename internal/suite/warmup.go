package suite

import (
	"fmt"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/load"
	"kvbench/internal/record"
	"kvbench/internal/report"
	"kvbench/internal/workload"
)

// How long an automatic warm-up takes. Servers of ours are first warmed by many
// clients in closed loop until they are steady, once for each kind of load; each
// run then begins with a moment of its own load. On clusters that are not ours
// there is never more load than was asked for: the first run at each number of
// clients and rate begins with its load until that is steady.
const (
	steadyWindow  = 1500 * time.Millisecond
	steadyLimit   = 90 * time.Second
	patience      = 1                      // windows without progress
	patienceJVM   = 3                      // of servers that compile while they run
	again         = 500 * time.Millisecond // on servers that are warm: connections and caches of this run
	shortWarmup   = 100 * time.Millisecond // with -short
	warmInterval  = 250 * time.Millisecond
	warmupClients = 64 // a single client doesn't make a JVM compile what a thousand need
)

// warm runs the job's load unmeasured until the servers don't get faster, and
// leaves the store as it found it.
func (r *run) warm() error {
	start := time.Now()
	b := r.suite.settings.Bench
	var err error
	switch {
	case !b.Warmup.Auto:
		err = r.warmFor(b.Warmup.Duration)
	case testing.Short():
		err = r.warmFor(shortWarmup)
	case r.sys.steady[r.warmKey()]:
		err = r.warmFor(again)
	default:
		err = r.warmUntilSteady()
	}
	if err != nil {
		return err
	}
	if b.Warmup.Auto || b.Warmup.Duration > 0 {
		r.warmup = time.Since(start)
	}
	return r.empty()
}

// warmKey names what servers are warm for.
func (r *run) warmKey() string {
	if r.cluster.Owned() {
		return r.job.key()
	}
	return r.job.key() + " " + r.job.name()
}

func (r *run) warmFor(d time.Duration) error {
	if d == 0 {
		return nil
	}
	return r.warmWith(load.Plan{Duration: r.suite.atMost(d)})
}

// warmUntilSteady warms the servers for the job's kind of load.
func (r *run) warmUntilSteady() error {
	crowd := r.job.crowd()
	if !r.cluster.Owned() || len(crowd.Loads) == 0 {
		return r.steadily()
	}
	if err := r.crowd(crowd); err != nil {
		return err
	}
	return r.warmFor(again)
}

// steadily runs the job's load until it is steady.
func (r *run) steadily() error {
	s := &load.Steady{Window: steadyWindow, Patience: patience, Limit: r.suite.atMost(steadyLimit)}
	if r.sys.Name == cluster.Cassandra || r.sys.Name == cluster.ZooKeeper {
		s.Patience = patienceJVM
	}
	if err := r.warmWith(load.Plan{OnInterval: s.Add}); err != nil {
		return err
	}
	if s.Cut {
		r.notes = append(r.notes, fmt.Sprintf("warm-up: after %v the servers were still getting faster", s.Limit))
	}
	r.sys.steady[r.warmKey()] = true
	return nil
}

// crowd warms the servers by a closed loop of many clients.
func (r *run) crowd(job Job) error {
	big := *r
	big.job = job
	if err := big.prepare(); err != nil {
		return err
	}
	defer big.close()
	if err := big.steadily(); err != nil {
		return err
	}
	r.notes, r.unsure = big.notes, r.unsure+big.unsure
	r.sys.steady[r.warmKey()] = true
	return big.empty()
}

// warmWith performs the job's load until plan ends. What it records is thrown
// away, after all operations are complete. If nothing succeeds there is nothing
// to be measured.
func (r *run) warmWith(plan load.Plan) error {
	groups, err := r.groups(0, 0, "warm-up")
	if err != nil {
		return err
	}
	judge := plan.OnInterval
	base := r.plan()
	var ok int64
	plan.Groups, plan.Timeout, plan.Seed, plan.Every = groups, base.Timeout, base.Seed, warmInterval
	plan.OnInterval = func(is []record.Interval) bool {
		r.show("warm-up", 0, is)
		for _, i := range is {
			ok += i.Counts.OK
		}
		hopeless := ok == 0 && is[0].End > 2*base.Timeout
		return hopeless || judge != nil && judge(is)
	}
	res, err := load.Run(r.ctx, plan)
	if err != nil {
		return err
	}
	return r.account(res)
}

// account takes down what a warm-up leaves in doubt.
func (r *run) account(res *load.Result) error {
	for i, s := range res.Summaries {
		r.unsure += s.Counts.Ambiguous() * r.job.Loads[i].Op.inserts()
		if s.Counts.OK == 0 && s.Counts.Errors() > 0 {
			return fmt.Errorf("not one of %s %s operations succeeded: %s", report.Count(s.Counts.Ops()), s.Kind, report.Failures(&s.Counts))
		}
	}
	return nil
}

// empty removes what the warm-up has written, so that the measured rows are alone
// in the store. Rows beside preloaded ones stay: they are as if preloaded, too.
func (r *run) empty() (err error) {
	switch {
	case !r.job.inserts():
		return nil
	case r.job.Preload == 0:
		r.table.acked = workload.NewAcked(0)
		return r.table.clear(r.ctx)
	}
	delete(r.sys.preloaded, r.job.Table.Name) // the next run begins with the preload
	r.table.first = r.table.acked.Limit()
	r.before, err = r.table.count(r.ctx, r.table.first)
	return err
}
