package suite

import "testing"

func TestMisbehaviourFailsTheRun(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		fake     string
		bench    string
		args     []string
		want     []string
	}{
		{"errors above the bound", "fail", "Insert/.*/clients=4", []string{"-test.benchtime=1000x"},
			[]string{"errors: 20 of 1000 write operations failed, more than BENCH_MAX_ERRORS=0.001 allows: 20 other (first: boom)"}},
		{"a system of which nothing succeeds", "dead", "Insert/.*/clients=4", []string{"-test.benchtime=10x"},
			[]string{"no operations: not one of 10 write operations succeeded: 10 unavailable (first: unavailable)"}},
		{"writes that are acknowledged and lost", "lose", "Insert/.*/clients=4", []string{"-test.benchtime=1000x"},
			[]string{"effect: the store holds 980 rows, want 1000: 0 before the run, 1000 acknowledged, 0 of unknown outcome",
				"lost: of 1000 acknowledged rows read back after the run ", "not found"}},
		{"batches that are acknowledged and lost", "lose", "Batch", []string{"-test.benchtime=100x"},
			[]string{"effect: the store holds 2450 rows, want 2500"}}, // the probe was the first of every 50
		{"updates that are acknowledged and lost", "drop", "Mixed", []string{"-test.benchtime=1000x"},
			[]string{"lost: of ", " acknowledged rows read back after the run 0 were missing and ", "not what was written: the last acknowledged update is not there"}},
		{"values that are not what was written", "corrupt", "Get/.*/clients=4", []string{"-test.benchtime=1000x"},
			[]string{"corrupt: 2 of 1000 read operations: not what was written"}},
		{"a store that holds more than was written", "miscount", "Insert/.*/clients=4", []string{"-test.benchtime=100x"},
			[]string{"effect: the store holds 101 rows, want 100"}},
		{"a rate that is not kept", "slow", "Mixed", nil,
			[]string{"rate: ", " read operations a second were done of 800.0 that arrived, less than BENCH_MIN_RATE=0.99 demands"}},
		{"a preload of which writes fail", "fail", "Get/.*/clients=4", nil,
			[]string{"preload: 20 of 1000 writes failed: 20 other (first: boom)"}},
		{"a preload of which writes are lost", "lose", "Get/.*/clients=4", nil,
			[]string{"preload: the store holds 980 rows, want 1000"}},
		{"a batch that the servers refuse, before it is measured", "small", "Batch", nil,
			[]string{"a batch of 25 rows, 1740 bytes (BATCH_ROWS, BATCH_VALUE_SIZE): ", "too large"}},
		{"a row that the servers refuse, before it is measured", "refuse", "Insert/.*/clients=4", nil,
			[]string{"one row of 69 bytes (KV_VALUE_SIZE, ", "too large"}},
		{"fewer operations than there are kinds", "none", "Mixed", []string{"-test.benchtime=1x"},
			[]string{`-benchtime=1x: no operation is left for kind "read" of 2 kinds`}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: tc.fake, bench: tc.bench, args: tc.args, env: []string{"BENCH_WARMUP=0s"}}.run(t)
			o.ends(t, 1)
			o.says(t, append(tc.want, "--- FAIL: Benchmark")...)
			if len(o.results) > 0 {
				t.Errorf("there are results all the same:\n%s", o.text)
			}
		})
	}
}

func TestErrorsWithinTheBoundAreReported(t *testing.T) {
	t.Parallel()
	o := invocation{
		fake: "fail", bench: "Insert/.*/clients=4", args: []string{"-test.benchtime=1000x"},
		env: []string{"BENCH_WARMUP=0s", "BENCH_MAX_ERRORS=0.02"},
	}.run(t)
	o.ends(t, 0)
	if len(o.results) != 1 {
		t.Fatalf("%d results, want 1:\n%s", len(o.results), o.text)
	}
	if got := metric(t, o.results[0], "errors/op"); got != 0.02 {
		t.Errorf("%v errors/op, want 0.02", got)
	}
}

// testing itself prints PASS and exits with 0 then.
func TestFailureOfALaterRepetitionIsNotForgotten(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "none", bench: "Third", args: []string{"-test.count=5", "-test.benchtime=100x"}, env: []string{"BENCH_WARMUP=0s"}}.run(t)
	if o.code != 1 {
		t.Errorf("exit status %d, want 1", o.code)
	}
	o.says(t, "--- FAIL: BenchmarkThird/system=etcd/leaf=x", "errors: 2 of 100 write operations failed", "FAIL: 1 repetitions of benchmarks failed")
	if len(o.results) != 4 {
		t.Errorf("%d results of the 4 good repetitions:\n%s", len(o.results), o.text)
	}
}
