package load

import (
	"context"
	"fmt"
	"testing"

	"kvbench/internal/record"
)

// BenchmarkOverhead measures what the engine adds to an operation: the
// operation itself does nothing.
func BenchmarkOverhead(b *testing.B) {
	for _, clients := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("loop=closed/clients=%d", clients), func(b *testing.B) { overhead(b, clients, nil) })
	}
	// At 10 G arrivals a second every operation is late, so nobody ever waits.
	b.Run("loop=open/clients=16", func(b *testing.B) { overhead(b, 16, Uniform(1e10)) })
}

func overhead(b *testing.B, clients int, arrivals Arrivals) {
	g := Group{Arrivals: arrivals, Ops: int64(b.N), Clients: noops(clients),
		Recorder: record.New(record.Config{Clients: clients, OpenLoop: arrivals != nil})}
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime()
	if _, err := Run(context.Background(), Plan{Groups: []Group{g}, Pacing: SleepPacing}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(processorTime()-before)/float64(b.N), "client-cpu-ns/op")
}

type noop struct{}

func (noop) Prepare(int64)            {}
func (noop) Do(context.Context) error { return nil }
func (noop) Done(err error) error     { return err }
