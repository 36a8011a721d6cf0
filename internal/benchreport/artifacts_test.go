package benchreport

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"kvbench/internal/chart"
	"kvbench/internal/results"
)

// copied returns a copy of the fixture's results, with artifacts that a test may
// change.
func copied(t *testing.T) (file string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(putFile))); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "put.txt")
}

// edit changes the artifacts of one run: the first with an extension.
func edit(t *testing.T, file, extension string, change func(string) string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(strings.TrimSuffix(file, ".txt"), "*", "*clients=100"+extension))
	if err != nil || len(names) == 0 {
		t.Fatalf("no artifacts: %v", err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], []byte(change(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestArtifacts(t *testing.T) {
	cut := func(s string) string { return s[:len(s)-100] }
	for _, tc := range []struct {
		sentence  string
		extension string
		change    func(string) string
		note      string // in what the page says, or
		err       string
	}{
		{"all are there", ".csv", func(s string) string { return s }, "", ""},
		{"a series of another run is not the run's", ".csv", func(s string) string { return strings.Replace(s, ",write,6", ",write,7", 1) }, "1 of 6 results have no .hlog", ""},
		{"with the same number of operations, but another longest one", ".csv", func(s string) string { return strings.Replace(s, ",,0,0,0,0,0,0,0,0,0", "9,,0,0,0,0,0,0,0,0,0", -1) }, "1 of 6 results have no .hlog", ""},
		{"a series that is torn is not used", ".csv", cut, "Not used, since it can't be read: ", ""},
		{"nor is one without a column", ".csv", func(s string) string { return strings.Replace(s, "max-ns", "most", 1) }, `there is no column "max-ns"`, ""},
		{"nor is an empty one", ".csv", func(string) string { return "" }, "it is empty", ""},
		{"a log of others is not used", ".hlog", func(s string) string { return strings.Replace(s, "Logged by kvbench", "Logged by others", 1) }, "it is not a log of this suite", ""},
		{"a log that is torn is broken", ".hlog", cut, "", "clients=100.hlog: "},
		{"a log that lacks intervals is broken", ".hlog", func(s string) string { return s[:strings.LastIndex(s, "Tag=")] }, "", `it has not as many intervals of kind "write"`},
	} {
		file := copied(t)
		edit(t, file, tc.extension, tc.change)
		p, err := makeOf(t, file)
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: error %v, want %q", tc.sentence, err, tc.err)
			}
		case err != nil:
			t.Errorf("%s: %v", tc.sentence, err)
		case tc.note == "" && len(p.Notes) > 0, !strings.Contains(strings.Join(p.Notes, "\n"), tc.note):
			t.Errorf("%s: notes %q, want %q", tc.sentence, p.Notes, tc.note)
		}
	}
}

// What -outputdir makes beside the results is found as well.
func TestOutputDirectory(t *testing.T) {
	file := copied(t)
	if err := os.Rename(strings.TrimSuffix(file, ".txt"), filepath.Join(filepath.Dir(file), "_artifacts")); err != nil {
		t.Fatal(err)
	}
	if p := mustMake(t, file); len(p.Notes) > 0 {
		t.Errorf("notes %q", p.Notes)
	}
}

// A long run's points are as many as can be seen, and nothing is lost between them.
func TestPoints(t *testing.T) {
	for _, n := range []int{1, 2, 149, 150, 151, 600, 601, 86400} {
		k := new(kind)
		for i := range n {
			k.rows = append(k.rows, row{end: float64(i + 1)})
		}
		k.rows = append(k.rows, row{end: float64(n) + 0.002}) // what was under way at the end
		ends := k.ends()
		if len(ends) > points+1 || ends[len(ends)-1] != n+1 {
			t.Errorf("%d intervals make %d points, the last of which ends with %d", n, len(ends), ends[len(ends)-1])
		}
		last := 0
		for _, end := range ends {
			if end <= last {
				t.Errorf("%d intervals: a point of none", n)
			}
			last = end
		}
		if len(ends) > 1 && k.rows[n].end-k.rows[ends[len(ends)-2]-1].end < 0.5 {
			t.Errorf("%d intervals: the last point is of nothing but the rest", n)
		}
	}
}

// The faults of runs are shaded where they were, each once.
func TestShades(t *testing.T) {
	recorded := func(points ...point) *run {
		return &run{Result: newResult(t, line), recorded: &recording{kinds: []*kind{{points: points}}}}
	}
	first := recorded(point{from: 0, to: 1, ok: 5}, point{from: 1, to: 2, ok: 5, errors: 3}, point{from: 2, to: 3, ok: 5}, point{from: 3, to: 4, ok: 5}, point{from: 4, to: 5})
	second := recorded(point{from: 0, to: 1, ok: 5}, point{from: 1, to: 3, ok: 5, errors: 3}, point{from: 3, to: 5, ok: 5})
	all, caption := shades([]*run{first, second})
	want := []chart.Shade{{From: 1, To: 3, Name: "faults", Fault: true}, {From: 4, To: 5, Name: "faults", Fault: true}}
	if !slices.Equal(all, want) || !strings.Contains(caption, "operations failed, or none was done") {
		t.Errorf("shades %v, %q", all, caption)
	}
}

func newResult(t *testing.T, text string) *benchfmt.Result {
	t.Helper()
	f, err := results.Read("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Results[0]
}
