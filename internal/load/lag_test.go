package load

import (
	"context"
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/record"
)

// BenchmarkLag measures how late operations that do nothing are started, for as
// long as -benchtime, and how much of a processor that takes. At 100,000/s starts
// are released in batches.
func BenchmarkLag(b *testing.B) {
	for _, c := range []struct{ rate, clients int }{{9000, 16}, {9000, 1000}, {100_000, 16}, {100_000, 1000}} {
		b.Run(fmt.Sprintf("rate=%d/clients=%d", c.rate, c.clients), func(b *testing.B) {
			lag(b, Uniform(float64(c.rate)), c.clients)
		})
	}
}

func lag(b *testing.B, arrivals Arrivals, clients int) {
	d := benchDuration(b)
	g := Group{Arrivals: arrivals, Clients: noops(clients), Recorder: record.New(record.Config{Clients: clients, OpenLoop: true, Window: d})}
	res, used := once(b, Plan{Duration: d, Groups: []Group{g}})
	s := res.Summaries[0]
	for _, p := range []float64{50, 99} {
		late, _ := s.LagPercentile(p)
		b.ReportMetric(float64(max(1, late)), fmt.Sprintf("lag-p%v-ns", p))
	}
	b.ReportMetric(s.Throughput(), "ops/s")
	b.ReportMetric(used.Seconds()/res.Elapsed.Seconds(), "client-cpus")
	b.ReportMetric(0, "ns/op") // but the rate
}

// once runs a plan within the first iteration of b's loop. It returns the
// processor time that this took, too.
func once(b *testing.B, p Plan) (res *Result, used time.Duration) {
	b.Helper()
	for b.Loop() {
		if res != nil {
			continue
		}
		var err error
		before := processorTime()
		if res, err = Run(context.Background(), p); err != nil {
			b.Fatal(err)
		}
		used = processorTime() - before
	}
	//lint:ignore SA3001 the loop had one iteration; the engine counts the operations
	b.N = int(res.Summaries[0].Counts.Ops())
	return res, used
}

// benchDuration returns -benchtime, which must be a duration.
func benchDuration(b *testing.B) time.Duration {
	b.Helper()
	d, err := time.ParseDuration(flag.Lookup("test.benchtime").Value.String())
	if err != nil {
		b.Skip("wants a duration as -benchtime")
	}
	return d
}

func noops(n int) []Client {
	clients := make([]Client, n)
	for i := range clients {
		clients[i] = noop{}
	}
	return clients
}

// processorTime returns what this process has used, user and system.
func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
