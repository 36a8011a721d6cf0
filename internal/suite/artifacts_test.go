package suite

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// files returns the files below dir whose name has an extension.
func files(t *testing.T, dir, extension string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) == extension {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestArtifactsHoldTheWholeRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := invocation{fake: "none", bench: "Insert/.*/clients=4", args: []string{"-test.benchtime=2700ms", "-test.artifacts", "-test.outputdir=" + dir}}.run(t)
	o.ends(t, 0)
	n := o.results[0].Iters
	logs, series := files(t, dir, ".hlog"), files(t, dir, ".csv")
	if len(logs) != 1 || len(series) != 1 {
		t.Fatalf("%q and %q, want a file each", logs, series)
	}
	if got := logged(t, logs[0]); got != int64(n) {
		t.Errorf("the log holds %d operations, the result %d", got, n)
	}
	rows, sum := listed(t, series[0])
	if rows != 3 {
		t.Errorf("%d rows of 2.7 s, want one a second", rows)
	}
	if sum != int64(n) {
		t.Errorf("the time series holds %d operations, the result %d", sum, n)
	}
}

// logged returns the number of operations in a histogram log.
func logged(t *testing.T, file string) (n int64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := hdr.NewHistogramLogReader(f)
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			return n
		}
		n += h.TotalCount()
	}
}

// listed returns the number of rows of a time series, and of operations in it.
func listed(t *testing.T, file string) (rows int, n int64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table[1:] {
		ok, err := strconv.ParseInt(row[2], 10, 64)
		if err != nil || table[0][2] != "ok" {
			t.Fatalf("column %q: %v", table[0][2], err)
		}
		n += ok
	}
	return len(table) - 1, n
}

func TestNoArtifactsUnlessAskedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := invocation{fake: "none", bench: "Insert/.*/clients=4", args: []string{"-test.benchtime=10x", "-test.outputdir=" + dir}}.run(t)
	o.ends(t, 0)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("there is %v (%v)", left, err)
	}
}
