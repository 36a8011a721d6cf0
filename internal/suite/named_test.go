package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"kvbench/internal/target"
)

// fakeVersion is the version of the servers at the fake system's endpoints: at
// port 1 nobody is there, at port 2 somebody who wants a password, and at port 5
// somebody who never says anything.
func fakeVersion(ctx context.Context, p place) (string, error) {
	switch _, port, _ := strings.Cut(p.endpoints[0], ":"); port {
	case "1":
		return "", fmt.Errorf("%w: nobody is there", target.ErrUnavailable)
	case "2":
		return "", fmt.Errorf("%w: check ETCD_PASSWORD", target.ErrDenied)
	case "5":
		<-ctx.Done()
		return "", fmt.Errorf("%w: silence", target.ErrTimeout)
	default:
		return "1.0." + port, nil
	}
}

// A fakeRealm is as its name says. Its notes are those of all.
type fakeRealm struct{}

var fakeNotes sync.Map

func (fakeRealm) Others(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	switch bench.Settings().Bench.Namespace {
	case "crowded":
		return `key "theirs"`, nil
	case "hidden":
		return "", fmt.Errorf("%w: not your keys", target.ErrDenied)
	}
	return "", nil
}

func (fakeRealm) Claim(context.Context) error { return nil }
func (fakeRealm) Close() error                { return nil }

func (fakeRealm) Note(_ context.Context, name string) (string, error) {
	text, _ := fakeNotes.Load(name)
	s, _ := text.(string)
	return s, nil
}

func (fakeRealm) SetNote(_ context.Context, name, text string) error {
	fakeNotes.Store(name, text)
	called("realm", "SetNote "+name+" "+text)
	return nil
}

func (fakeRealm) Settings(context.Context) ([]target.Setting, error) {
	return []target.Setting{{Key: "fake-copies", Value: "2, as the servers say"}}, nil
}

func (fakeRealm) Drop(context.Context) error {
	called("realm", "Drop")
	if bench.Settings().Bench.Namespace == "sticky" {
		return errors.New("it sticks")
	}
	return nil
}

func TestNamedClusters(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		env      string
		code     int
		says     []string
	}{
		{"all endpoints answer", "ETCD_ENDPOINTS=127.0.0.1:3,127.0.0.1:4", 0,
			[]string{"etcd-version: 1.0.3/1.0.4\n", "etcd-endpoints: 2\n", "etcd-down: 0\n", "etcd-tls: off\n", "fake-copies: 2, as the servers say\n"}},
		{"one doesn't, which nobody has allowed for", "ETCD_ENDPOINTS=127.0.0.1:3,127.0.0.1:1", 1,
			[]string{`ETCD_ENDPOINTS="127.0.0.1:3,127.0.0.1:1": unavailable: nobody is there (1 of 2 endpoints don't answer; with BENCH_MAX_DOWN=1 the others would be measured)`}},
		{"one doesn't, which is allowed", "ETCD_ENDPOINTS=127.0.0.1:3,127.0.0.1:1 BENCH_MAX_DOWN=1", 0,
			[]string{"# warning: etcd: 1 of 2 endpoints don't answer (BENCH_MAX_DOWN=1)\n", "etcd-endpoints: 1\n", "etcd-down: 1\n"}},
		{"one is silent, which is allowed", "ETCD_ENDPOINTS=127.0.0.1:3,127.0.0.1:5 BENCH_MAX_DOWN=1 BENCH_TIMEOUT=1s", 0,
			[]string{"etcd-endpoints: 1\n", "etcd-down: 1\n"}},
		{"none does", "ETCD_ENDPOINTS=127.0.0.1:1 BENCH_MAX_DOWN=1", 1, []string{`ETCD_ENDPOINTS="127.0.0.1:1": unavailable: nobody is there`}},
		{"a refusal isn't a server that is down", "ETCD_ENDPOINTS=127.0.0.1:3,127.0.0.1:2 BENCH_MAX_DOWN=1", 1,
			[]string{`ETCD_ENDPOINTS="127.0.0.1:3,127.0.0.1:2": denied: check ETCD_PASSWORD`}},
		{"others use it", "ETCD_ENDPOINTS=127.0.0.1:3 BENCH_NAMESPACE=crowded", 1,
			[]string{`others use this cluster, it holds key "theirs"; BENCH_SHARED=true loads it all the same`}},
		{"others may use it", "ETCD_ENDPOINTS=127.0.0.1:3 BENCH_NAMESPACE=hidden", 1,
			[]string{"whether others use this cluster can't be seen: denied: not your keys; BENCH_SHARED=true loads it all the same"}},
		{"others use it and are said to", "ETCD_ENDPOINTS=127.0.0.1:3 BENCH_NAMESPACE=crowded BENCH_SHARED=true", 0, nil},
		{"what was written can't be removed", "ETCD_ENDPOINTS=127.0.0.1:3 BENCH_NAMESPACE=sticky", 1,
			[]string{`after the benchmarks: etcd: what the suite wrote, below "sticky", could not be removed: it sticks`}},
		{"it is loaded longer than is allowed", "ETCD_ENDPOINTS=127.0.0.1:3 BENCH_MAX_DURATION=10ms", 1,
			[]string{"-benchtime 200ms: longer than BENCH_MAX_DURATION=10ms"}},
		{"it is to be warmed up longer than is allowed", "ETCD_ENDPOINTS=127.0.0.1:3 BENCH_MAX_DURATION=1s BENCH_WARMUP=2s", 1,
			[]string{"BENCH_WARMUP=2s: longer than BENCH_MAX_DURATION=1s"}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: "Get/.*/clients=1$", env: strings.Fields("BENCH_WARMUP=0s " + tc.env)}.run(t)
			o.ends(t, tc.code)
			o.says(t, tc.says...)
		})
	}
}

func TestWhatWasWrittenIsRemoved(t *testing.T) {
	for _, tc := range []struct {
		env   string
		code  int
		drops int
	}{
		{"BENCH_KEEP=false", 0, 1},
		{"BENCH_KEEP=true", 0, 0},
		{"BENCH_NAMESPACE=unready", 1, 1}, // marked, and then the cluster isn't ready
	} {
		t.Run(tc.env, func(t *testing.T) {
			t.Parallel()
			o := invocation{fake: "none", bench: "Get", env: []string{"BENCH_WARMUP=0s", "ETCD_ENDPOINTS=127.0.0.1:3", tc.env}}.run(t)
			o.ends(t, tc.code)
			if got := o.seen["realm"].Calls["Drop"]; got != tc.drops {
				t.Errorf("the namespace was dropped %d times, want %d", got, tc.drops)
			}
		})
	}
}

// Of a number of operations that can't be done within the limit, nothing is reported.
func TestOperationsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	o := invocation{fake: "none", bench: "Get/.*/clients=1$", args: []string{"-test.benchtime=1000000000x"}, env: []string{"BENCH_MAX_DURATION=100ms"}}.run(t)
	o.ends(t, 1)
	o.says(t, "-benchtime=1000000000x: ", " operations were done within BENCH_MAX_DURATION=100ms")
	if len(o.results) > 0 {
		t.Errorf("there are results all the same:\n%s", o.text)
	}
}
