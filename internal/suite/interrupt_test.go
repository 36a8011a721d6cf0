package suite

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"
)

// The benchmarks of these tests would take a day.
const day = "-test.benchtime=24h"

func TestInterruptEndsTheRun(t *testing.T) {
	for name, number := range map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": sigterm, "SIGHUP": sighup} {
		t.Run(name, func(t *testing.T) {
			if signal.Ignored(number) { // by whoever started this test, with nohup say, and so by the run
				t.Skipf("start the test where %s isn't ignored", name)
			}
			t.Parallel()
			o := invocation{fake: name, bench: "Insert", args: []string{day, "-test.count=2"}, env: []string{"BENCH_WARMUP=0s"}}.run(t)
			o.ends(t, 1)
			o.says(t, "--- FAIL: BenchmarkInsert/system=etcd/clients=1", ": interrupted\n")
			if len(o.results) > 0 {
				t.Errorf("an interrupted benchmark has a result:\n%s", o.text)
			}
			if n := o.seen["insert"].Opened; n != 1 {
				t.Errorf("%d benchmarks were begun, want the one that was interrupted", n)
			}
		})
	}
}

func TestInterruptBetweenBenchmarksIsAFailureToo(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "between", bench: "Insert", args: []string{"-test.benchtime=10x"}, env: []string{"BENCH_WARMUP=0s"}}.run(t)
	o.ends(t, 1)
	o.says(t, "\ninterrupted\n")
	if len(o.results) != 1 {
		t.Errorf("%d results, want that of the benchmark that was complete:\n%s", len(o.results), o.text)
	}
}

// nohup makes a process ignore SIGHUP: such a run goes on when its user logs out.
func TestIgnoredSignalsDoNotInterrupt(t *testing.T) {
	t.Parallel()
	i := invocation{fake: "SIGHUP", bench: "Insert/.*/clients=1$", args: []string{"-test.benchtime=200x"}, env: []string{"BENCH_WARMUP=0s"}}
	cmd := i.command(context.Background(), t, filepath.Join(t.TempDir(), "witness"))
	shell := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `trap "" HUP; exec "$0" "$@"`}, cmd.Args...)...)
	shell.Env = cmd.Env
	text, err := shell.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
}
