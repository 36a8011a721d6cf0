package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, tc := range []struct{ bench, want string }{
		{".", "./^system=etcd$"},
		{"Put|Get", "Put|Get/^system=etcd$"},
		{"Put/.*/clients=100$", "Put/^system=etcd$/clients=100$"},
		{"Put//clients=100$", "Put/^system=etcd$/clients=100$"},
		{"Put/system=(etcd|consul)/clients=1$", "Put/^system=etcd$/clients=1$"},
		{"Get/consistency=stale", ""},
	} {
		got, err := plan{System: "etcd", Bench: tc.bench}.pattern()
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%q: got %q, %v; want %q", tc.bench, got, err, tc.want)
		}
	}
}

// Each pair has one repetition of each side, and a seed decides the order.
func TestOrder(t *testing.T) {
	p := plan{Count: 50, Seed: 7}
	order := p.order()
	first := map[string]int{}
	for i := 0; i < len(order); i += 2 {
		a, b := order[i], order[i+1]
		if a.pair != i/2+1 || b.pair != a.pair || a.side == b.side {
			t.Fatalf("pair %d is %v, %v", i/2+1, a, b)
		}
		first[a.side]++
	}
	if len(order) != 100 || first[oldSide] < 10 || first[newSide] < 10 {
		t.Errorf("%d repetitions; first are %v", len(order), first)
	}
	if !slices.Equal(order, p.order()) {
		t.Error("the same seed gives another order")
	}
	if slices.Equal(order, plan{Count: 50, Seed: 8}.order()) {
		t.Error("another seed gives the same order")
	}
}

func TestEnvironmentOfASide(t *testing.T) {
	t.Setenv("ETCD_VERSION", "1.2.3")
	t.Setenv("ETCD_ENDPOINTS", "10.0.0.1:2379")
	t.Setenv("BENCH_BORROW", "true")
	t.Setenv("BENCH_SERVERS", "process")
	for _, tc := range []struct {
		by   string
		want string
	}{
		{"version", "BENCH_BORROW=false BENCH_SERVERS=process ETCD_VERSION=new"},
		{"image", "BENCH_BORROW=true BENCH_SERVERS=container ETCD_IMAGE=new"},
		{"endpoints", "BENCH_BORROW=true BENCH_SERVERS=process ETCD_ENDPOINTS=new"},
		{"commit", "BENCH_BORROW=true BENCH_SERVERS=process ETCD_ENDPOINTS=10.0.0.1:2379 ETCD_VERSION=1.2.3"},
	} {
		c := comparison{plan: plan{System: "etcd", By: tc.by, Old: "old", New: "new"}}
		last := map[string]string{} // what a command that is run with it sees
		for _, entry := range c.env(newSide) {
			name, value, _ := strings.Cut(entry, "=")
			last[name] = value
		}
		var got []string
		for _, name := range []string{"BENCH_BORROW", "BENCH_SERVERS", "ETCD_ENDPOINTS", "ETCD_IMAGE", "ETCD_VERSION"} {
			if value, ok := last[name]; ok {
				got = append(got, name+"="+value)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: got %q, want %q", tc.by, got, tc.want)
		}
	}
}

// The line that tells the sides apart is the one in which they differ.
func TestKey(t *testing.T) {
	for _, tc := range []struct{ by, old, new, want string }{
		{"version", "1", "2", "etcd-version"},
		{"image", "a:1", "a:2", "etcd-image"},
		{"commit", "a", "b", "suite-commit"},
		{"endpoints", "10.0.0.1:2379", "10.0.0.2:2379", "side"},
		{"version", "1", "1", "side"},
	} {
		p := plan{System: "etcd", By: tc.by, Old: tc.old, New: tc.new}
		if got := p.key(); got != tc.want {
			t.Errorf("by %s, %s and %s: got %q, want %q", tc.by, tc.old, tc.new, got, tc.want)
		}
	}
}

func TestPlanOfADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ab")
	p := plan{System: "etcd", By: "version", Old: "1", New: "2", Bench: ".", Benchtime: "1s", Count: 3}
	for range 2 {
		if err := p.settle(dir); err != nil {
			t.Fatalf("the same plan: %v", err)
		}
	}
	p.Count = 4
	want := dir + `: another comparison is in this directory, with "Count": 3 where this one has "Count": 4: remove it, or choose another -dir`
	if err := p.settle(dir); err == nil || err.Error() != want {
		t.Errorf("another plan: got %v, want %s", err, want)
	}
}

// A configuration line that one side doesn't have is taken back before its results.
func TestAssemble(t *testing.T) {
	c := comparison{dir: t.TempDir(), plan: plan{System: "etcd", By: "version", Old: "1", New: "2", Count: 1}}
	for side, text := range map[string]string{
		oldSide: "etcd-version: 1\netcd-quota: 8GiB\nUnit ops/s better=higher\nBenchmarkPut/system=etcd 1 1 ops/s\nPASS\n",
		newSide: "etcd-version: 2\nUnit ops/s better=higher\nBenchmarkPut/system=etcd 1 2 ops/s\nPASS\n",
	} {
		if err := writeFile(c.file(repetition{1, side}), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.assemble(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(c.output())
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(text), "# repetition 01-new\n")
	if !strings.HasPrefix(before, "# repetition 01-old\netcd-version: 1\n") || !strings.HasSuffix(before, "etcd-quota:\n") || !strings.HasPrefix(after, "etcd-version: 2\n") {
		t.Errorf("got\n%s", text)
	}
	c.plan.Count = 2
	if got := names(c.undone(c.plan.order())); got != "02-old 02-new" && got != "02-new 02-old" {
		t.Errorf("two repetitions are missing: got %q", got)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"", `-system "": want one of cassandra, consul, etcd, scylla, yugabyte, zookeeper`},
		{"-system etcd -old 1", `-old "1", -new ""`},
		{"-system etcd -old 1 -new 2 -by luck", `-by "luck"`},
		{"-system etcd -old 1 -new 2 -bench (", `-bench "("`},
		{"-system etcd -old 1 -new 2 -count 0", "-count 0"},
		{"-system etcd -old 1 -new 2 -gate -bad", `-gate "-bad": flag provided but not defined: -bad`},
		{"-system etcd -old 1 -new 2 -gate -filter=(", `-filter "("`},
		{"-system etcd -old 1 -new 2 x", `"x": no such argument`},
	} {
		var out, stderr strings.Builder
		if status := run(t.Context(), strings.Fields(tc.args), &out, &stderr); status != 2 || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: status %d, want 2 and %q: %s", tc.args, status, tc.want, &stderr)
		}
	}
}

// What a branch's name stands for when a comparison begins stays what it compares.
func TestCommitsArePinned(t *testing.T) {
	root := t.TempDir()
	c := comparison{root: root, plan: plan{By: "commit", Old: "main", New: "nowhere"}}
	git := func(args ...string) string {
		t.Helper()
		out, err := c.git(t.Context(), args...)
		if err != nil {
			t.Skipf("git: %v: %s", err, out)
		}
		return out
	}
	git("init", "-q", "-b", "main")
	git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "first")
	if err := c.pin(t.Context()); err == nil || !strings.Contains(err.Error(), `commit "nowhere"`) {
		t.Errorf("got %v", err)
	}
	c.plan.Old, c.plan.New = "main", "HEAD"
	if err := c.pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := git("rev-parse", "--short=12", "HEAD"); c.plan.Old != want || c.plan.New != want || c.plan.key() != sideKey || !strings.HasPrefix(want, c.plan.Suite) {
		t.Errorf("got %+v, want commit %s", c.plan, want)
	}
}

func TestSettingsOfAPlan(t *testing.T) {
	got := settings([]string{"PATH=/bin", "KV_KEYS=1", "ETCD_PASSWORD=secret", "BENCH_NODES=3"})
	if want := []string{"BENCH_NODES=3", "KV_KEYS=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A comparison goes on with the program that it began with, or not at all.
func TestTheFirstBinaryIsKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "coord.test")
	for _, tc := range []struct{ text, want string }{
		{"a program", ""},
		{"a program", ""},
		{"another program", "isn't the one that ran the first repetitions"},
	} {
		if err := os.WriteFile(name+".tmp", []byte(tc.text), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := keepFirst(name); (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.text, err, tc.want)
		}
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "a program" {
		t.Errorf("the first is %q, %v", text, err)
	}
}
