package suite

import (
	"testing"

	"kvbench/internal/setting"
)

// two returns a job of two loads.
func two(readers, writers int, reads, writes float64) Job {
	return Job{Loads: []Load{
		{Kind: "read", Clients: readers, Op: Get{}, Rate: reads},
		{Kind: "write", Clients: writers, Op: Update{}, Rate: writes},
	}}
}

func TestName(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		job      Job
		rate     float64 // BENCH_RATE
		want     string
	}{
		{"a closed loop has no rate", two(8, 8, 0, 0), 0, "clients=16"},
		{"an open loop is named by the sum of its rates", two(8, 8, 7200, 1800), 0, "clients=16/rate=9000"},
		{"a low rate has a fraction", two(1, 1, 0.25, 0.25), 0, "clients=2/rate=0.5"},
		{"a high rate has no exponent", two(1, 1, 1e7, 0), 0, "clients=2/rate=10000000"},
		{"rates that don't add up exactly are rounded", two(8, 8, 7200*0.55, 1800*0.55), 0, "clients=16/rate=4950"},
		{"BENCH_RATE opens a closed loop", two(3, 5, 0, 0), 2000, "clients=8/rate=2000"},
		{"BENCH_RATE replaces other rates", two(8, 8, 7200, 1800), 100, "clients=16/rate=100"},
		{"BENCH_RATE in ninths is the same again", two(1, 8, 0, 0), 500, "clients=9/rate=500"},
	} {
		job := tc.job.atRate(setting.Bench{Rate: tc.rate})
		if got := job.name(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.sentence, got, tc.want)
		}
	}
}

func TestAtRate(t *testing.T) {
	for _, tc := range []struct {
		sentence      string
		job           Job
		reads, writes float64 // at BENCH_RATE=1000
	}{
		{"closed loops share by their clients", two(3, 1, 0, 0), 750, 250},
		{"open loops share by their rates, whatever their clients", two(1, 9, 800, 200), 800, 200},
		{"a closed loop beside an open one gets nothing", two(4, 4, 10, 0), 1000, 0},
	} {
		before := tc.job.Loads[0].Rate
		got := tc.job.atRate(setting.Bench{Rate: 1000})
		if got.Loads[0].Rate != tc.reads || got.Loads[1].Rate != tc.writes {
			t.Errorf("%s: %v and %v, want %v and %v", tc.sentence, got.Loads[0].Rate, got.Loads[1].Rate, tc.reads, tc.writes)
		}
		if tc.job.Loads[0].Rate != before {
			t.Errorf("%s: the job itself was changed", tc.sentence)
		}
	}
}

func TestShare(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		job      Job
		n, reads int64
	}{
		{"by clients", two(3, 1, 0, 0), 100, 75},
		{"by rates", two(8, 8, 7200, 1800), 100_000, 80_000},
		{"what rounding leaves is the last load's", two(2, 1, 0, 0), 100, 66},
		{"one operation has one kind", two(1, 1, 0, 0), 1, 0},
		{"numbers beyond 32 bits", two(700, 300, 0, 0), 1e15, 7e14},
	} {
		reads, writes := tc.job.share(0, tc.n), tc.job.share(1, tc.n)
		if reads != tc.reads || reads+writes != tc.n {
			t.Errorf("%s: %d and %d of %d, want %d reads and the rest", tc.sentence, reads, writes, tc.n, tc.reads)
		}
	}
}

func TestPartitionKeys(t *testing.T) {
	for n, want := range map[int64]string{0: "0:0", 24: "0:24", 25: "1:0", 1_000_000_007: "40000000:7"} {
		if got := string(PartitionKeys{Rows: 25}.Append([]byte("> "), n)); got != "> "+want {
			t.Errorf("row %d has key %q, want %q", n, got, "> "+want)
		}
	}
}
