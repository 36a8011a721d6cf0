package suite

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"kvbench/internal/load"
	"kvbench/internal/workload"
)

// BenchmarkOverhead compares the suite with a bare loop on the same driver and
// the same servers: what remains of the throughput, and what an operation costs
// the client. It takes minutes, so it runs only if the variable says how many
// pairs of runs to compare, each run as long as -benchtime:
//
//	KVBENCH_OVERHEAD=7 go test ./internal/suite -run '^$' -bench Overhead -benchtime=5s -v
//
// The two take turns, and turns at being first, since a server's speed drifts;
// the medians of the pairs' ratios count. Before each run new rows are removed, and
// both write the same keys and sizes.
func BenchmarkOverhead(b *testing.B) {
	pairs, err := strconv.Atoi(os.Getenv(overheadVariable))
	if err != nil || pairs < 1 {
		b.Skip("set " + overheadVariable + " to a number of pairs")
	}
	overhead.Each(b, func(b *testing.B, sys *System) {
		for _, c := range comparisons(b, sys) {
			b.Run(fmt.Sprintf("op=%s/clients=%d", c.job.Loads[0].Op.name(), c.job.clients()), func(b *testing.B) {
				b.Cleanup(func() {
					if b.Failed() {
						sys.suite.failed.Add(1)
					}
				})
				c.run(b, sys, pairs)
			})
		}
	})
}

const overheadVariable = "KVBENCH_OVERHEAD"

var overhead = New("overhead", "etcd", "cassandra")

// A comparison is a job, and the same done by a bare loop.
type comparison struct {
	job  Job
	bare func(b *testing.B, r *run) bareLoop
}

// comparisons returns what is compared of a system.
func comparisons(b *testing.B, sys *System) []comparison {
	if sys.Name == "etcd" {
		keys, err := workload.PaddedKeys(256, 1e9)
		if err != nil {
			b.Fatal(err)
		}
		values, err := workload.NewValues(1024, 0, 1)
		if err != nil {
			b.Fatal(err)
		}
		puts := Load{Kind: "write", Clients: 100, Op: Insert{}}
		return []comparison{{Job{Table: Table{Name: "overhead"}, Rows: Rows{Keys: keys, Values: values}, Loads: []Load{puts}}, bareEtcd}}
	}
	rows, err := KeyValues(256, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	writes := Load{Kind: "write", Clients: 256, Op: Insert{}}
	reads := Load{Kind: "read", Clients: 256, Op: Get{Keys: workload.Uniform{}}}
	return []comparison{
		{Job{Table: Table{Name: "overhead_write"}, Rows: rows, Loads: []Load{writes}}, bareCassandra},
		{Job{Table: Table{Name: "overhead_read"}, Rows: rows, Preload: 100_000, Loads: []Load{reads}}, bareCassandra},
	}
}

// A side is the outcome of one run.
type side struct {
	rate float64 // operations a second
	cpu  float64 // ns of this process an operation
}

func (s side) String() string { return fmt.Sprintf("%.0f ops/s %.0f cpu-ns/op", s.rate, s.cpu) }

// run measures pairs and reports the medians of their ratios.
func (c comparison) run(b *testing.B, sys *System, pairs int) {
	d, ops, err := benchtime()
	if err != nil || ops > 0 {
		b.Fatalf("-benchtime: want the length of a run (%v)", err)
	}
	r := &run{suite: sys.suite, sys: sys, job: c.job, name: b.Name()}
	if err := r.prepare(); err != nil {
		b.Fatal(err)
	}
	defer r.close()
	bare := c.bare(b, r)
	if err := r.warm(); err != nil {
		b.Fatal(err)
	}
	both := [2]func() (side, error){
		func() (side, error) { return r.ours(d) },
		func() (side, error) { return bare.run(r.job.clients(), d) },
	}
	if _, err := both[1](); err != nil { // warm, too
		b.Fatal(err)
	}
	var pair [2][]side
	first := true
	for b.Loop() {
		if !first {
			continue
		}
		first = false
		for i := range pairs {
			for _, which := range [2]int{i % 2, 1 - i%2} {
				s, err := r.fresh(both[which])
				if err != nil {
					b.Fatal(err)
				}
				pair[which] = append(pair[which], s)
			}
			b.Logf("pair %d: suite %v, bare %v", i+1, pair[0][i], pair[1][i])
		}
	}
	reportPairs(b, pair[0], pair[1])
}

// fresh runs one side on a store and a heap without the other's remains.
func (r *run) fresh(f func() (side, error)) (side, error) {
	if err := r.empty(); err != nil {
		return side{}, err
	}
	runtime.GC()
	return f()
}

// ours is a run of the job as a benchmark does it.
func (r *run) ours(d time.Duration) (side, error) {
	groups, err := r.groups(d, 0, "run")
	if err != nil {
		return side{}, err
	}
	plan := r.plan()
	plan.Groups, plan.Duration = groups, d
	before := cpuTime()
	res, err := load.Run(r.ctx, plan)
	cpu := cpuTime() - before
	if err != nil {
		return side{}, err
	}
	counts := &res.Summaries[0].Counts
	if counts.Errors() > 0 {
		return side{}, fmt.Errorf("%d operations failed: %v", counts.Errors(), counts.First)
	}
	return sideOf(counts.OK, res.Elapsed, cpu), nil
}

func sideOf(ops int64, wall, cpu time.Duration) side {
	return side{rate: float64(ops) / wall.Seconds(), cpu: float64(cpu) / float64(ops)}
}

func reportPairs(b *testing.B, ours, bare []side) {
	var throughput, cpu []float64
	for i := range ours {
		throughput = append(throughput, ours[i].rate/bare[i].rate)
		cpu = append(cpu, ours[i].cpu/bare[i].cpu)
	}
	b.ReportMetric(median(throughput), "throughput-ratio")
	b.ReportMetric(median(cpu), "cpu-ratio")
	b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
