package workload

import (
	"math/rand/v2"
	"testing"
)

// perOperation are the calls that a client makes for an operation, each with
// its state ready and its buffers large enough. Both the allocation test and
// the benchmarks go through them.
func perOperation(t testing.TB) map[string]func(r *rand.Rand, n int64) {
	ops := map[string]func(*rand.Rand, int64){}
	for _, spec := range specs() {
		d, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		ops["next/"+spec] = func(r *rand.Rand, n int64) { d.Next(r, 1_000_000_000+n) }
	}
	key := make([]byte, 0, 300)
	ops["key/ycql"] = func(_ *rand.Rand, n int64) { key = YCQLKeys().Append(key[:0], n) }
	ops["key/padded-256"] = func(_ *rand.Rand, n int64) { key = Keys{Width: 256}.Append(key[:0], n) }

	value := make([]byte, 0, 2048)
	small, large := newValues(t, 256, 0), newValues(t, 1024, 0.5)
	ops["append/256"] = func(r *rand.Rand, n int64) { value = small.Append(value[:0], n, r) }
	ops["append/1024"] = func(r *rand.Rand, n int64) { value = large.Append(value[:0], n, r) }
	written := small.Append(nil, 7, Rand(1, "test", 0))
	ops["check/256"] = func(*rand.Rand, int64) { must(t, small.Check(7, written)) }
	pool := newPool(t, 1000, 1024, 1)
	ops["pool/pick"] = func(r *rand.Rand, _ int64) { pool.Pick(r) }
	ops["pool/check"] = func(*rand.Rand, int64) { must(t, pool.Check(pool.values[0])) }

	acked, read := NewAcked(0), NewAcked(1_000_000)
	var fresh int64
	ops["acked/ack"] = func(*rand.Rand, int64) { acked.Ack(fresh); fresh++ }
	ops["acked/draw"] = func(r *rand.Rand, _ int64) { read.Draw(Uniform{}, r) }
	return ops
}

func must(t testing.TB, err error) {
	if err != nil {
		t.Error(err)
	}
}

func TestNoOperationAllocates(t *testing.T) {
	r := Rand(1, "test", 0)
	for name, op := range perOperation(t) {
		var n int64
		if allocs := testing.AllocsPerRun(1000, func() { op(r, n); n++ }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

func BenchmarkOperation(b *testing.B) {
	for name, op := range perOperation(b) {
		b.Run(name, func(b *testing.B) {
			r := Rand(1, "bench", 0)
			var n int64
			for b.Loop() {
				op(r, n)
				n++
			}
		})
	}
}

// Writers of one store share an Acked.
func BenchmarkAckAmongWriters(b *testing.B) {
	a := NewAcked(0)
	var next Sequential
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			a.Ack(next.Next(nil, 1<<62))
		}
	})
}
