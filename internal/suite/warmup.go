package suite

import (
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/load"
	"kvbench/internal/record"
	"kvbench/internal/workload"
)

// How long an automatic warm-up takes. Servers that are ours are first warmed by
// many clients until they are steady, once for each kind of load; after that, and
// on clusters that are not ours, each run begins with its own load until that is
// steady, or for a moment if it has been before.
const (
	steadyWindow  = 2 * time.Second
	steadyLimit   = 90 * time.Second
	patience      = 1                      // windows without progress
	patienceJVM   = 3                      // of servers that compile while they run
	again         = time.Second            // on servers that are warm: connections and caches of this run
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
	case r.sys.steady[r.job.key()]:
		err = r.warmFor(again)
	default:
		err = r.warmUntilSteady()
		r.sys.steady[r.job.key()] = true
	}
	if err != nil {
		return err
	}
	if b.Warmup.Auto || b.Warmup.Duration > 0 {
		r.warmup = time.Since(start)
	}
	return r.empty()
}

func (r *run) warmFor(d time.Duration) error {
	if d == 0 {
		return nil
	}
	return r.warmWith(load.Plan{Duration: d})
}

// warmUntilSteady warms the servers for the job's kind of load.
func (r *run) warmUntilSteady() error {
	// Many clients, but never more load than was asked for, and on our servers only.
	if r.cluster.Owned() && r.job.rate() == 0 && r.job.clients() < warmupClients && !r.job.grows() {
		if err := r.crowd(); err != nil {
			return err
		}
		return r.warmFor(again)
	}
	return r.warmWith(load.Plan{OnInterval: r.steady().Add})
}

func (r *run) steady() *load.Steady {
	s := &load.Steady{Window: steadyWindow, Patience: patience, Limit: steadyLimit}
	if r.sys.Name == cluster.Cassandra || r.sys.Name == cluster.ZooKeeper {
		s.Patience = patienceJVM
	}
	return s
}

// crowd warms the servers by a run of the same job with more clients.
func (r *run) crowd() error {
	big := *r
	big.job.Loads = nil
	for _, l := range r.job.Loads {
		l.Clients = max(l.Clients, warmupClients)
		big.job.Loads = append(big.job.Loads, l)
	}
	if err := big.prepare(); err != nil {
		return err
	}
	defer big.close()
	if err := big.warmWith(load.Plan{OnInterval: r.steady().Add}); err != nil {
		return err
	}
	return big.empty()
}

// warmWith performs the job's load until plan ends. What it records is thrown
// away, after all operations are complete.
func (r *run) warmWith(plan load.Plan) error {
	groups, err := r.groups(0, 0, "warm-up")
	if err != nil {
		return err
	}
	judge := plan.OnInterval
	base := r.plan()
	plan.Groups, plan.Timeout, plan.Seed, plan.Every = groups, base.Timeout, base.Seed, warmInterval
	plan.OnInterval = func(is []record.Interval) bool {
		r.show("warm-up", 0, is)
		return judge != nil && judge(is)
	}
	_, err = load.Run(r.ctx, plan)
	return err
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
