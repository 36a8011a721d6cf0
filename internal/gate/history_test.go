package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchproc"
)

// tonight writes six repetitions of a benchmark on a reference and on something new,
// with a p50 of so many ns, and returns the file.
func tonight(t *testing.T, lines string, reference, now int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%sUnit p50-ns better=lower\npkg: m/x\n", lines)
	for _, side := range []struct {
		version string
		p50     int
	}{{"1.0", reference}, {"1.1", now}} {
		fmt.Fprintf(&b, "etcd-version: %s\n", side.version)
		for i := range 6 {
			fmt.Fprintf(&b, "BenchmarkPut 1000 %d p50-ns\n", side.p50+i)
		}
	}
	name := filepath.Join(t.TempDir(), "tonight.txt")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The life of a history: it begins, says when it can tell, finds a regression each
// night that it is there, and isn't fooled by a slow night.
func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.txt")
	n := 0
	judge := func(lines string, reference, now int) (int, string) {
		n++
		status, out, stderr := gateOf("-history="+file, "-append", "-last=10", "-col=etcd-version", fmt.Sprintf("-night=2026-01-%02d", n), tonight(t, lines, reference, now))
		return status, out + stderr
	}
	for i := range minNights {
		if status, out := judge("", 1000, 1100+i); status != 3 || !strings.Contains(out, fmt.Sprintf("too early to tell: %d nights", i)) {
			t.Fatalf("night %d: status %d, want 3: %s", n, status, out)
		}
	}
	for _, tc := range []struct {
		sentence       string
		lines          string
		reference, now int
		status         int
		want           string
	}{
		{"a night like all others", "", 1000, 1103, 0, "nothing is worse: of 1 comparisons of 1.1 with the median of 6 nights"},
		{"a host of half the speed", "", 2000, 2210, 0, "nothing is worse: of 1 comparisons of 1.1 with the median of 7 nights"},
		{"a regression", "", 1000, 1300, 1, "WORSE  x.Put  p50-ns  1.105µs  1.302µs"},
		{"the same regression, the night after", "", 1000, 1301, 1, "1.1 with the median of 8 nights"},
		{"a regression on a fast host", "", 500, 650, 1, "WORSE"},
		{"an improvement", "", 1000, 900, 0, "BETTER"},
		{"another configuration", "consistency: ONE\n", 1000, 1100, 2, "if this is to stay, begin a new history"},
		{"a night that was mended", "", 1000, 1103, 0, "with the median of 9 nights"},
	} {
		if status, out := judge(tc.lines, tc.reference, tc.now); status != tc.status || !strings.Contains(out, tc.want) {
			t.Errorf("%s: status %d, want %d and %q:\n%s", tc.sentence, status, tc.status, tc.want, out)
		}
	}
	n--
	if status, out := judge("", 1000, 1100); status != 2 || !strings.Contains(out, `it has a night "2026-01-14" already`) {
		t.Errorf("the same night again: status %d, want 2: %s", status, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), "\nBenchmark"); got != 2*13 {
		t.Errorf("%d results of 13 nights, want one a side:\n%s", got, text)
	}
}

// What can't be compared with a history isn't added to it.
func TestWhatIsNoNight(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "history.txt")
	good := tonight(t, "", 1000, 1100)
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte(header+lines("Put", "p50-ns", fast[:5]...)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"-history " + file + " " + good, "history.txt: no such file"},
		{"-append " + good, "-append: want a -history"},
		{"-history " + file + " -append -last 5 " + good, "-last 5: want at least 6"},
		{"-history " + file + " -append -night= " + good, `-night ""`},
		{"-history " + file + " -append " + plain, "5 samples of Put: want at least 6"},
		{"-history " + good + " -append " + good, `no history: Put has no line "night: …"`},
		{"-history " + file + " -append -col host " + good, `-col "host"`},
		{"-history " + file + " -noise " + good, "-noise, -history"},
	} {
		if status, out, stderr := gateOf(strings.Fields(tc.args)...); status != 2 || out != "" || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: status %d, want 2 and %q: %s%s", tc.args, status, tc.want, out, stderr)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a history was begun")
	}
}

// What a night of real results leaves in a history.
func TestHistoryOfRealResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.txt")
	var text []byte
	for _, name := range []string{oldFile, newFile} {
		status, _, stderr := gateOf("-history="+file, "-append", "-differ=etcd-version", "-night="+filepath.Base(name), name)
		if status != 3 {
			t.Fatalf("status %d, want 3: %s", status, stderr)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "history.txt", string(text))
}

// How often a history is wrong and what it finds, on made-up nights: 14 of them, ten
// units of two sides that scatter by 3 % each, on hosts whose speeds scatter by 20 %.
func TestNights(t *testing.T) {
	const trials = 200
	for _, tc := range []struct {
		sentence    string
		col         string
		slower      float64 // of one unit tonight, the others stay
		least, most int     // of the trials in which it is found
	}{
		{"with a reference, nothing is worse in 99 of 100 nights", "side", 0, 0, 4},
		{"with a reference, 20 % more is found now and then", "side", 0.20, 60, 160},
		{"with a reference, 40 % more is found", "side", 0.40, 195, 200},
		{"without one, nothing is worse in 99 of 100 nights", "", 0, 0, 4},
		{"without one, 40 % more is less than what hosts differ by", "", 0.40, 0, 20},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			found, wrong := 0, 0
			for range trials {
				for _, c := range madeNights(t, rng, tc.col, tc.slower).Worse() {
					if c.Benchmark == "x.Put/clients=0" && tc.slower > 0 {
						found++
					} else {
						wrong++
					}
				}
			}
			t.Logf("found in %d of %d, %d false alarms", found, trials, wrong)
			if tc.slower == 0 {
				found = wrong
			}
			if found < tc.least || found > tc.most {
				t.Errorf("found in %d of %d trials, want %d to %d", found, trials, tc.least, tc.most)
			}
			if wrong > 4 {
				t.Errorf("%d false alarms in %d nights", wrong, trials)
			}
		})
	}
}

// madeNights compares a night with 14 before, in whose places are random numbers.
func madeNights(t *testing.T, rng *rand.Rand, col string, slower float64) *Report {
	t.Helper()
	var b strings.Builder
	b.WriteString("pkg: m/x\nUnit p50-ns better=lower\n")
	for i := range 15 {
		host := math.Exp(0.2 * rng.NormFloat64())
		for _, side := range []string{"old", "new"} {
			fmt.Fprintf(&b, "night: %d\ngate: same\nside: %s\n", i, side)
			for unit := range 10 {
				p50 := 1e6 * host * math.Exp(0.03*rng.NormFloat64())
				if i == 14 && side == "new" && unit == 0 {
					p50 *= 1 + slower
				}
				if col != "" || side == "new" {
					fmt.Fprintf(&b, "BenchmarkPut/clients=%d 100000 %.0f p50-ns\n", unit, p50)
				}
			}
		}
	}
	h, err := readHistory("history.txt", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	all, err := benchproc.NewFilter("*")
	if err != nil {
		t.Fatal(err)
	}
	last := h.nights[14]
	h.nights = h.nights[:14]
	r, err := h.compare(last, &options{col: col, last: 14}, all)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
