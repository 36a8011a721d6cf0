package report

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// javaTools is the jar that holds the Java tools for histogram logs.
const javaTools = "org.hdrhistogram:HdrHistogram:2.2.2"

// javaJar returns the path of the Java tools, which it gets by Maven.
func javaJar(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: install a JDK and Maven (Debian: default-jdk-headless maven) to check logs with HdrHistogram's Java tools", tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache directory: set XDG_CACHE_HOME: ", err)
	}
	dir := filepath.Join(cache, "kvbench", "hdrhistogram")
	jar := filepath.Join(dir, "HdrHistogram-2.2.2.jar")
	if _, err := os.Stat(jar); err == nil {
		return jar
	}
	out, err := exec.CommandContext(t.Context(), "mvn", "--batch-mode", "--quiet", "dependency:copy",
		"-Dartifact="+javaTools, "-DoutputDirectory="+dir).CombinedOutput()
	if err != nil {
		t.Skipf("%s can't be had by Maven: check the network or Maven's settings: %v\n%s", javaTools, err, out)
	}
	return jar
}

// TestJavaReadsHistogramLog runs HdrHistogram's own log processor on a log of
// ours and compares what it finds with what we report.
func TestJavaReadsHistogramLog(t *testing.T) {
	jar := javaJar(t)
	dir := t.TempDir()
	log := filepath.Join(dir, "run.hlog")
	var text strings.Builder
	sum := logRun(t, &text, true)
	if err := os.WriteFile(log, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	process := func(args ...string) string {
		args = append([]string{"-cp", jar, "org.HdrHistogram.HistogramLogProcessor", "-i", log}, args...)
		out, err := exec.CommandContext(t.Context(), "java", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("java %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got, want := strings.Fields(process("-listtags")), "write write-service"; !strings.HasSuffix(strings.Join(got, " "), ": "+want) {
		t.Errorf("Java finds the tags %q, want %q", got, want)
	}
	for tag, ours := range map[string]*hdr.Histogram{"write": sum.Response, "write-service": sum.Service} {
		out := filepath.Join(dir, tag)
		process("-tag", tag, "-csv", "-outputValueUnitRatio", "1", "-o", out)
		compareWithJava(t, tag, out, ours)
	}
}

// compareWithJava checks the intervals that the log processor has written to
// file: end, count, three values; then count and values of all until then.
func compareWithJava(t *testing.T, tag, file string, ours *hdr.Histogram) {
	t.Helper()
	rows := javaRows(t, file)
	if len(rows) != 4 {
		t.Fatalf("%s: Java finds %d intervals, want 4", tag, len(rows))
	}
	for i, count := range []float64{20_000, 50_000, 0, 30_000} {
		if end := float64(i + 1); rows[i][0] != end || rows[i][1] != count {
			t.Errorf("%s: Java finds %v operations until %v s, want %v until %v s", tag, rows[i][1], rows[i][0], count, end)
		}
	}
	total := rows[3][5:]
	want := []int64{ours.TotalCount()}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
		want = append(want, ours.ValueAtPercentile(p))
	}
	want = append(want, ours.Max())
	for i, name := range []string{"count", "p50", "p90", "p99", "p99.9", "p99.99", "max"} {
		if total[i] != float64(want[i]) {
			t.Errorf("%s: Java's %s is %.0f, ours %d", tag, name, total[i], want[i])
		}
	}
}

// javaRows reads the lines of numbers of a file that the log processor has written.
func javaRows(t *testing.T, file string) (rows [][]float64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment, r.FieldsPerRecord = '#', 12
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] { // the first holds the columns' names
		var row []float64
		for _, field := range line {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}
