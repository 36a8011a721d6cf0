package suite

import (
	"flag"
	"testing"
	"time"
)

func TestBenchtime(t *testing.T) {
	old := flag.Lookup("test.benchtime").Value.String()
	defer flag.Set("test.benchtime", old)
	for _, tc := range []struct {
		text string
		d    time.Duration
		ops  int64
	}{{"10s", 10 * time.Second, 0}, {"1h30m", 90 * time.Minute, 0}, {"1x", 0, 1}, {"1000000x", 0, 1_000_000}} {
		if err := flag.Set("test.benchtime", tc.text); err != nil {
			t.Fatal(err)
		}
		d, ops, err := benchtime()
		if d != tc.d || ops != tc.ops || err != nil {
			t.Errorf("%s: %v, %d operations (%v); want %v, %d", tc.text, d, ops, err, tc.d, tc.ops)
		}
	}
}

func TestDefaultBenchtime(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		args     []string
		ops      func(n int) bool // of a fake that does some 900 a second with one client, or fewer
	}{
		{"with -short it is a moment", nil, func(n int) bool { return n > 1 && n < 2500 }},
		{"what the user says goes before", []string{"-test.benchtime=7x"}, func(n int) bool { return n == 7 }},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: "Insert/.*/clients=1$", args: tc.args, env: []string{"BENCH_WARMUP=0s"}}.run(t)
			o.ends(t, 0)
			if n := o.results[0].Iters; !tc.ops(n) {
				t.Errorf("%d operations", n)
			}
		})
	}
}
