package verdict

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"kvbench/internal/record"
)

// closedLoop returns the summary of a healthy closed loop: 10 clients, 1 ms an
// operation, 10,000 operations in a second.
func closedLoop() *record.Recorder {
	r := record.New(record.Config{Kind: "write", Clients: 10, Window: time.Second})
	for i := range 10_000 {
		start := time.Duration(i/10) * time.Millisecond
		r.Stripe(i).Success(record.Op{Intended: start, Sent: start, Done: start + time.Millisecond})
	}
	return r
}

// openLoop returns an open loop of 1,000 arrivals in a second, which are sent late
// by lag and take 1 ms; all after the first served ones are done too late.
func openLoop(served int, lag time.Duration) *record.Recorder {
	r := record.New(record.Config{Kind: "read", Clients: 10, OpenLoop: true, Window: time.Second})
	for i := range 1000 {
		at := time.Duration(i) * time.Millisecond
		sent := at + lag
		if i >= served {
			sent = time.Second
		}
		r.Stripe(i).Success(record.Op{Intended: at, Sent: sent, Done: sent + time.Millisecond})
	}
	return r
}

// behind returns an open loop of 1,000 arrivals that by chance take 1.09 s instead
// of a second.
func behind() *record.Recorder {
	r := record.New(record.Config{Kind: "read", Clients: 10, OpenLoop: true, Window: time.Second})
	for i := range 1000 {
		at := time.Duration(i) * 1090 * time.Microsecond
		r.Stripe(i).Success(record.Op{Intended: at, Sent: at, Done: at + time.Millisecond})
	}
	return r
}

// overloaded returns an open loop of 1,000 arrivals in a second on a system that
// does 500, with a client free for each.
func overloaded() *record.Recorder {
	r := record.New(record.Config{Kind: "read", Clients: 5000, OpenLoop: true, Window: time.Second})
	for i := range 1000 {
		at := time.Duration(i) * time.Millisecond
		r.Stripe(i).Success(record.Op{Intended: at, Sent: at, Done: 2*at + time.Millisecond})
	}
	return r
}

func fail(r *record.Recorder, n int, c record.Class, err error) *record.Recorder {
	for i := range n {
		r.Stripe(i).Failure(record.Op{Done: time.Millisecond}, c, err)
	}
	return r
}

func TestJudge(t *testing.T) {
	limits := Limits{MaxErrors: 0.001, MinRate: 0.99}
	boom := errors.New("boom")
	for _, tc := range []struct {
		sentence string
		recorder *record.Recorder
		change   func(*Evidence)
		want     string // "" or "check: part of its text"
		fatal    bool
	}{
		{"a healthy run has no findings", closedLoop(), nil, "", false},
		{"a run of nothing fails", record.New(record.Config{Kind: "write", Clients: 1, Window: time.Second}), nil, "no operations: not one of 0", true},
		{"errors up to the bound are accepted and named", fail(closedLoop(), 10, record.Other, boom), nil, "failures: of 10010 write operations 10 other (first: boom)", false},
		{"errors above the bound fail the run and are named", fail(closedLoop(), 11, record.Other, boom), nil, "errors: 11 of 10011 write operations failed, more than BENCH_MAX_ERRORS=0.001 allows: 11 other (first: boom)", true},
		{"one corrupt value is one too many", fail(closedLoop(), 1, record.Corrupt, boom), nil, "corrupt: 1 of 10001 write operations: boom", true},
		{"one acknowledged row that isn't found is one too many", fail(closedLoop(), 1, record.NotFound, boom), nil, "corrupt: 1 of 10001", true},
		{"an acknowledged row that is gone afterwards fails the run", closedLoop(), func(e *Evidence) { e.Lost = Lost{Read: 100, Missing: 1, First: boom} }, "lost: of 100 acknowledged rows read back after the run 1 were missing", true},
		{"the store holds what was acknowledged", closedLoop(), func(e *Evidence) { e.Rows = Rows{true, 5, 10, 0, 15} }, "", false},
		{"the store holds less than was acknowledged", closedLoop(), func(e *Evidence) { e.Rows = Rows{true, 5, 10, 2, 14} }, "effect: the store holds 14 rows, want 15 to 17", true},
		{"the store holds more than was attempted", closedLoop(), func(e *Evidence) { e.Rows = Rows{true, 0, 10, 0, 11} }, "effect: the store holds 11 rows, want 10:", true},
		{"rows of unknown outcome may be there or not", closedLoop(), func(e *Evidence) { e.Rows = Rows{true, 0, 10, 2, 11} }, "", false},
		{"a kept rate is fine", openLoop(1000, 0), func(e *Evidence) { e.Rates[0] = 1000 }, "", false},
		{"a rate that is missed by more than a hundredth fails", openLoop(980, 0), func(e *Evidence) { e.Rates[0] = 1000 }, "rate: 980.0 read operations a second were done of 1000.0 that arrived", true},
		{"an overloaded system with more clients than operations fails", overloaded(), func(e *Evidence) { e.Rates[0] = 1000 }, "rate: 500.0 read operations a second were done of 1000.0 that arrived", true},
		{"what is being served at the end is not missed", openLoop(989, 0), func(e *Evidence) { e.Rates[0] = 1000 }, "start lag: ", false},
		{"random arrivals may come after the window", behind(), func(e *Evidence) { e.Rates[0] = 1000; e.Spread = 3 * math.Sqrt(1000) }, "", false},
		{"busy clients that don't add up are a warning", closedLoop(), func(e *Evidence) { e.Wall *= 2 }, "little's law: throughput times mean latency makes 5.0 busy clients of 10", false},
		{"a client near its processors is a warning", closedLoop(), func(e *Evidence) { e.ClientCPU = 1700 * time.Millisecond }, "client cpu: the client used 1.7 of its 2 processors", false},
		{"late starts are a warning", openLoop(1000, 500*time.Microsecond), func(e *Evidence) { e.Rates[0] = 1000 }, "start lag: p99 of the delay before read operations", false},
		{"values beyond the histogram are a warning", clipped(), nil, "range: 1 write latencies above 10 min", false},
	} {
		e := Evidence{Summaries: []*record.Summary{tc.recorder.Summary(time.Second)}, Rates: []float64{0}, Cores: 2, Wall: time.Second}
		if tc.change != nil {
			tc.change(&e)
		}
		found := Judge(e, limits)
		switch {
		case tc.want == "" && len(found) > 0:
			t.Errorf("%s: found %v", tc.sentence, found)
		case tc.want != "" && (len(found) == 0 || !strings.HasPrefix(found[0].String(), tc.want) || found[0].Fatal != tc.fatal):
			t.Errorf("%s: found %v, want %q (fatal %v)", tc.sentence, found, tc.want, tc.fatal)
		}
	}
}

func clipped() *record.Recorder {
	r := closedLoop()
	r.Stripe(0).Success(record.Op{Done: time.Hour})
	return r
}
