package suite

import (
	"fmt"
	"strings"
	"testing"
)

// With -benchtime=Nx exactly so much is done, and the store shows it.
func TestCountedWorkIsExact(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		bench    string
		n        int
		table    string
		rows     int64
		calls    map[string]int // of the clients
	}{
		{"a row for each insert, beside one that was only tried", "Insert/.*/clients=4", 997, "insert", 997, map[string]int{"Put": 998}},
		{"25 rows for each batch, beside one that was only tried", "Batch", 37, "batch", 925, map[string]int{"PutBatch": 38}},
		{"reads leave what was preloaded", "Get/.*/clients=4", 321, "get", 1000, map[string]int{"GetStale": 321, "Put": 1000}},
		{"two rates share the operations as they share the arrivals", "Mixed", 205, "mixed", 1000, map[string]int{"Get": 164, "Put": 1042}},
		{"two closed loops share the operations as they share the clients", "Growing", 301, "growing", 251, map[string]int{"Get": 150, "Put": 252}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: tc.bench, args: []string{fmt.Sprintf("-test.benchtime=%dx", tc.n)},
				env: []string{"BENCH_WARMUP=0s", "BENCH_MIN_RATE=0"}}.run(t)
			o.ends(t, 0)
			if len(o.results) != 1 || o.results[0].Iters != tc.n {
				t.Fatalf("want one result of %d operations:\n%s", tc.n, o.text)
			}
			got := o.seen[tc.table]
			if got.Rows != tc.rows {
				t.Errorf("the store holds %d rows, want %d", got.Rows, tc.rows)
			}
			got.Calls["Get"]-- // after the run, to see whether the servers still answer
			// Rows that were inserted are read back one by one, up to a number.
			if inserts := tc.table == "insert" || tc.table == "batch" || tc.table == "growing"; inserts {
				got.Calls["Get"] -= readBacks(tc.table, tc.n)
			}
			if tc.table == "mixed" { // and updated ones, of which some were updated twice
				updates, back := tc.n-tc.calls["Get"], got.Calls["Get"]-tc.calls["Get"]
				if back < updates/2 || back > updates {
					t.Errorf("%d rows read back after %d updates", back, updates)
				}
				got.Calls["Get"] -= back
			}
			for _, method := range []string{"Put", "Get", "GetStale", "PutBatch"} {
				if got.Calls[method] != tc.calls[method] {
					t.Errorf("%d calls of %s, want %d", got.Calls[method], method, tc.calls[method])
				}
			}
		})
	}
}

// readBacks returns the number of rows that are read after n operations.
func readBacks(table string, n int) int {
	switch table {
	case "batch":
		return min(sampled, 25*n)
	case "growing":
		return min(sampled, n-n/2)
	}
	return min(sampled, n)
}

// A million rows through a client that waits for each reply would take an hour.
func TestPreloadIsNotLeftToOneClient(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "none", bench: "Get/.*/clients=1$", args: []string{"-test.benchtime=10x", "-test.count=2"}, env: []string{"BENCH_WARMUP=0s"}}.run(t)
	o.ends(t, 0)
	// 64 write the rows, one of whom reads them, and then another one reads them.
	if got := o.seen["get"]; got.Hired != preloadClients+1 || got.Calls["Put"] != 1000 {
		t.Errorf("%d clients wrote %d rows, want %d and 1000", got.Hired-1, got.Calls["Put"], preloadClients)
	}
}

func TestRateMakesAnyBenchmarkOpenLoop(t *testing.T) {
	for _, tc := range []struct {
		sentence, bench, name string
		n                     int // arrivals in the 200 ms of -short
	}{
		{"a closed loop becomes open", "Insert/.*/clients=4", "Insert/system=etcd/clients=4/rate=500", 100},
		{"an open loop gets another rate, shared as before", "Mixed", "Mixed/system=etcd/clients=6/rate=500", 100},
		{"two closed loops share the rate by their clients", "Growing", "Growing/system=etcd/clients=8/rate=500", 100},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: tc.bench, env: []string{"BENCH_RATE=500", "BENCH_MIN_RATE=0"}}.run(t)
			o.ends(t, 0)
			if len(o.results) != 1 || !strings.HasPrefix(o.names()[0], tc.name) {
				t.Fatalf("results %q, want one of %s", o.names(), tc.name)
			}
			r := o.results[0]
			if r.Iters != tc.n {
				t.Errorf("%d operations, want %d", r.Iters, tc.n)
			}
			if got := metric(t, r, "target-ops/s"); got != 500 {
				t.Errorf("%v target-ops/s, want 500", got)
			}
			if reports(r, "ns/op") {
				t.Errorf("ns/op of an open loop is but the rate:\n%s", o.text)
			}
		})
	}
}

func TestWarmup(t *testing.T) {
	for _, tc := range []struct {
		sentence, warmup string
		reported         bool
	}{
		{"none if none is wanted", "0s", false},
		{"for a given time", "300ms", true},
		{"for a moment with -short", "auto", true},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: "Insert/.*/clients=4", args: []string{"-test.benchtime=50x"}, env: []string{"BENCH_WARMUP=" + tc.warmup}}.run(t)
			o.ends(t, 0)
			if reports(o.results[0], "warmup-ns") != tc.reported {
				t.Errorf("warmup-ns: want %v:\n%s", tc.reported, o.text)
			}
			if warmed := o.seen["insert"].Calls["Put"] > 51; warmed != tc.reported {
				t.Errorf("%d writes, 50 of them measured and one tried", o.seen["insert"].Calls["Put"])
			}
			if tc.warmup == "300ms" && metric(t, o.results[0], "warmup-ns") < 300e6 {
				t.Errorf("shorter than was asked for:\n%s", o.text)
			}
			if rows := o.seen["insert"].Rows; rows != 50 {
				t.Errorf("%d rows, want the 50 that were measured", rows)
			}
		})
	}
}

// With one client all keys and values follow from the seed.
func TestSeedRepeatsARun(t *testing.T) {
	t.Parallel()
	of := func(seed string) map[string]seen {
		o := invocation{fake: "instant", bench: "(Insert|Get)/.*/clients=1$", args: []string{"-test.benchtime=200x"},
			env: []string{"BENCH_WARMUP=0s", "BENCH_SEED=" + seed}}.run(t)
		o.ends(t, 0)
		return o.seen
	}
	one, again, other := of("7"), of("7"), of("8")
	for table, method := range map[string]string{"insert": "Put", "get": "GetStale"} {
		if one[table].Trace[method] != again[table].Trace[method] {
			t.Errorf("%s: two runs of seed 7 differ", table)
		}
		if one[table].Trace[method] == other[table].Trace[method] {
			t.Errorf("%s: runs of seeds 7 and 8 are the same", table)
		}
	}
}

func TestWrongSettingsAreOneErrorAndNothingElse(t *testing.T) {
	for _, tc := range []struct{ sentence, setting, want string }{
		{"a value that is none", "BENCH_WARMUP=soon", `BENCH_WARMUP="soon"`},
		{"a value out of range", "KV_KEYS=0", `KV_KEYS="0"`},
		{"a setting that does not exist", "BENCH_RATES=5", "BENCH_RATES: no such setting; did you mean BENCH_RATE?"},
		{"a cluster that does not answer", "ETCD_ENDPOINTS=127.0.0.1:1", `ETCD_ENDPOINTS="127.0.0.1:1": unavailable: nobody is there`},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: ".", env: []string{tc.setting}}.run(t)
			if o.code != 1 || !strings.HasPrefix(o.text, tc.want) || strings.Count(o.text, "\n") != 1 {
				t.Errorf("exit status %d, output %q; want 1 and one line that begins with %q", o.code, o.text, tc.want)
			}
		})
	}
}
