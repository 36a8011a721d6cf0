package benchreport

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/results"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const (
	putFile = "../../testdata/report/put.txt" // etcd, three numbers of clients, two repetitions of 4 s, with artifacts
	oldFile = "../../testdata/compare/old.txt"
	newFile = "../../testdata/compare/new.txt"
)

func mustMake(t *testing.T, names ...string) *Page {
	t.Helper()
	p, err := makeOf(t, names...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func makeOf(t *testing.T, names ...string) (*Page, error) {
	t.Helper()
	var files []*results.File
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := results.Read(name, f)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, r)
	}
	return Make(files)
}

// What a report says of a real run, in words.
func TestGolden(t *testing.T) {
	got := said(mustMake(t, putFile))
	golden := strings.TrimSuffix(putFile, ".txt") + ".golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("go test ./internal/benchreport -run Golden -update rewrites it (-want +got):\n%s", diff)
	}
}

// said is all of a page but the points of its lines.
func said(p *Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nfailures %d, warnings %d, notes %q\n", p.Summary, len(p.Failures), len(p.Warnings), p.Notes)
	for _, s := range p.Config {
		fmt.Fprintf(&b, "%s = %s\n", s.Key, strings.Join(s.Values, " | "))
	}
	table := func(t *Table) {
		fmt.Fprintf(&b, "\n[%s] %s\n%s\n%s\n", t.ID, t.Title, t.Caption, strings.Join(t.Head, " | "))
		for _, r := range t.Rows {
			fmt.Fprintln(&b, strings.ReplaceAll(strings.Join(r, " | "), "\n", " / "))
		}
		fmt.Fprintln(&b, strings.Join(t.Notes, " "))
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n== %s\n%s\n", s.Title, s.Words)
		for _, t := range s.Tables {
			table(t)
		}
	}
	for _, c := range p.Charts() {
		fmt.Fprintf(&b, "\n[%s] %s\n%s\n%s\n", c.ID, c.Title, c.Caption, c.Words())
	}
	if p.Dbtester != nil {
		table(p.Dbtester)
	}
	return b.String()
}

// Charts must not have each other's names: files and links are called by them.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	p := mustMake(t, oldFile, newFile, putFile)
	for _, c := range p.Charts() {
		if seen[c.ID] {
			t.Errorf("two are called %q", c.ID)
		}
		seen[c.ID] = true
		lines := map[string]bool{}
		for _, s := range c.Series {
			if lines[s.Name] {
				t.Errorf("%s: two lines are called %q", c.ID, s.Name)
			}
			lines[s.Name] = true
		}
	}
	for _, s := range p.Sections {
		for _, table := range s.Tables {
			if seen[table.ID] {
				t.Errorf("two are called %q", table.ID)
			}
			seen[table.ID] = true
		}
	}
}

// Versions are compared as benchstat does it: README has the same numbers.
func TestVersions(t *testing.T) {
	p := mustMake(t, oldFile, newFile)
	table := p.Sections[0].Tables[1]
	if got := strings.Join(table.Head, "|"); got != "load|etcd 3.5.21|etcd 3.7.3" {
		t.Fatalf("columns %q", got)
	}
	if got, want := table.Rows[1][2], "8.47 ms ± 12%\n+18.49% (p=0.005 n=8)"; got != want {
		t.Errorf("p50 of 100 clients: %q, want %q", got, want)
	}
	if got := table.Rows[0][2]; !strings.Contains(got, "\n~ (p=0.959 n=8)") {
		t.Errorf("p50 of 1 client: %q, want no significant change", got)
	}
	if p.Config[0].Key != "etcd-version" || len(p.Config[0].Values) != 2 {
		t.Errorf("the first setting is %v, want the one that differs", p.Config[0])
	}
	if len(p.Notes) != 1 || !strings.HasPrefix(p.Notes[0], "32 of 32 results have no .hlog") {
		t.Errorf("notes %q", p.Notes)
	}
}

// text makes a page of result lines, each file given by its text.
func text(t *testing.T, files ...string) (*Page, error) {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for i, f := range files {
		names = append(names, filepath.Join(dir, fmt.Sprintf("f%d.txt", i)))
		if err := os.WriteFile(names[i], []byte(f), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return makeOf(t, names...)
}

const line = "BenchmarkPut/system=etcd/clients=10-2 1000 1000 ns/op 500 p50-ns 900 p99-ns 1000 ops/s 0 errors/op\n"

// What is compared looks the same in all charts of a benchmark, those too that lack
// one of it.
func TestStyles(t *testing.T) {
	at := func(system, clients string) string {
		return strings.Replace(strings.Replace(line, "etcd", system, 1), "clients=10-", "clients="+clients+"-", 1)
	}
	p, err := text(t, at("etcd", "1")+at("etcd", "100")+at("zookeeper", "100")+at("consul", "1")+at("consul", "100"))
	if err != nil {
		t.Fatal(err)
	}
	style := map[string]int{"etcd": 0, "zookeeper": 1, "consul": 2}
	seen := 0
	for _, c := range p.Charts() {
		for _, s := range c.Series {
			if want, ok := style[s.Name]; ok {
				seen++
				if s.Style != want {
					t.Errorf("%s: %s looks like number %d, want %d", c.ID, s.Name, s.Style, want)
				}
			}
		}
	}
	if seen != 3+3+2+3 {
		t.Errorf("%d lines of systems, want three in both charts by clients and in that of 100 clients, two in that of 1", seen)
	}
}

func TestArrivalRates(t *testing.T) {
	var b strings.Builder
	b.WriteString("pkg: kvbench/kv\n")
	for _, rate := range []int{100, 1000, 9000} {
		fmt.Fprintf(&b, "BenchmarkMixed/system=cassandra/clients=16/rate=%d-2 1000 %d read-p50-ns %d read-p99-ns 800 write-p50-ns 90000 write-p99-ns %d ops/s %d read-ops/s 1 write-ops/s\n", rate, rate*10, rate*20, rate, rate)
	}
	p, err := text(t, b.String())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range p.Sections[0].Charts {
		got[c.ID] = c.CSV()
	}
	const want = "series,target-ops/s,p99-ns\ncassandra,100,2000\ncassandra,1000,20000\ncassandra,9000,180000\n"
	if got["kv-mixed-read-p99-by-arrival-rate"] != want || len(got) != 4 {
		t.Errorf("charts %q, want four by arrival rate, of both kinds", got)
	}
}

func TestFailuresAndWarnings(t *testing.T) {
	p, err := text(t, line+"--- BENCH: BenchmarkPut/system=etcd/clients=10-2\n    run.go:102: warning: the client measured itself\n"+
		strings.Repeat("--- FAIL: BenchmarkGet/system=etcd-2\n    run.go:99: errors: 12 % failed\n    run.go:100: first: timeout\n", 2)+"--- FAIL: BenchmarkGet\nFAIL\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Text != "the client measured itself" || p.Warnings[0].Line != 3 {
		t.Errorf("warnings %v", p.Warnings)
	}
	if len(p.Failures) != 1 || p.Failures[0].Benchmark != "BenchmarkGet/system=etcd" || p.Failures[0].Reason != "errors: 12 % failed; first: timeout" {
		t.Errorf("failures %v", p.Failures)
	}
}

// What the suite says before its results is told once, however many packages say it.
func TestNotices(t *testing.T) {
	const head = "# repetition old-1\n# setting ETCD_ENDPOINTS is etcdctl's\n# warning: 1 of 3 endpoints don't answer\n"
	p, err := text(t, head+line+head+line)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Text != "1 of 3 endpoints don't answer" {
		t.Errorf("warnings %v", p.Warnings)
	}
	if len(p.Notes) != 2 || p.Notes[0] != "setting ETCD_ENDPOINTS is etcdctl's" {
		t.Errorf("notes %q", p.Notes)
	}
}

// Nothing but a failure is a report, too: of the failure.
func TestOnlyFailures(t *testing.T) {
	p, err := text(t, "--- FAIL: BenchmarkGet/system=etcd\n    run.go:99: errors: all failed\n")
	if err != nil || len(p.Failures) != 1 || len(p.Charts()) != 0 {
		t.Errorf("%v, %+v", err, p)
	}
}

func TestDbtesterNeedsPut(t *testing.T) {
	if p := mustMake(t, putFile); p.Dbtester == nil || len(p.Dbtester.Rows) != 24 || len(p.Dbtester.Head) != 5 {
		t.Errorf("the table is %+v", p.Dbtester)
	}
	p, err := text(t, "pkg: kvbench/coord\n"+strings.Replace(line, "Put", "Get", 1))
	if err != nil || p.Dbtester != nil {
		t.Errorf("a table without runs of Put: %+v, %v", p.Dbtester, err)
	}
}
