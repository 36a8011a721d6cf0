package suite

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkDeath writes to a real server that is killed meanwhile, then again.
func BenchmarkDeath(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		if sys.Name != "etcd" {
			b.Skip("one system is enough")
		}
		servers, err := sys.running(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		killer := time.AfterFunc(500*time.Millisecond, func() { syscall.Kill(servers.Servers[0].PID, syscall.SIGKILL) })
		defer killer.Stop()
		for _, clients := range []int{8, 9} {
			sys.Run(b, Job{Table: Table{Name: "death"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: clients, Op: Insert{}}}})
		}
	})
}

func TestDeathOfAServerFailsTheRunAndIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real server; run without -short")
	}
	t.Parallel()
	o := invocation{fake: "real", bench: "Death", args: []string{day}, env: []string{"BENCH_WARMUP=0s"}}.run(t)
	if strings.Contains(o.text, "# etcd: no servers") {
		reason, _, _ := strings.Cut(o.text, "\n")
		t.Skip(reason)
	}
	o.ends(t, 1)
	o.says(t, "--- FAIL: BenchmarkDeath/system=etcd/clients=8", "--- FAIL: BenchmarkDeath/system=etcd/clients=9", "etcd node 1 (pid ", "killed")
	if len(o.results) > 0 {
		t.Errorf("there are results all the same:\n%s", o.text)
	}
}
