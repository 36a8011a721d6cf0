package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/record"
)

const benchmark = "BenchmarkWrite/system=etcd/clients=8"

func create(t *testing.T, dir string) *Artifacts {
	t.Helper()
	a, err := Create(dir, benchmark)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestArtifactsOfRepetitionsAreKept(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		a := create(t, dir)
		s := newSession("write", false).succeed(100, time.Microsecond)
		err := errors.Join(a.Interval([]record.Interval{s.Interval(time.Second)}), a.Close())
		if err != nil {
			t.Fatal(err)
		}
	}
	base := "BenchmarkWrite__system=etcd__clients=8"
	want := []string{base + ".2.csv", base + ".2.hlog", base + ".3.csv", base + ".3.hlog", base + ".csv", base + ".hlog"}
	if got := files(t, dir); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files %q, want %q", got, want)
	}
	for _, name := range want {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n < 2 {
			t.Errorf("%s has %d lines, want a head and an interval", name, n)
		}
	}
}

func TestArtifactsGoTogether(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "BenchmarkWrite__system=etcd__clients=8.csv")
	if err := os.WriteFile(taken, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := create(t, dir)
	defer a.Close()
	if got, want := a.path(".csv"), strings.TrimSuffix(taken, ".csv")+".2.csv"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	if got := files(t, dir); len(got) != 3 {
		t.Errorf("files %q: want the one that was there and two of number 2", got)
	}
	if text, _ := os.ReadFile(taken); string(text) != "mine" {
		t.Errorf("a file that was there was overwritten by %q", text)
	}
}

func TestArtifactsOfARunWithoutIntervals(t *testing.T) {
	dir := t.TempDir()
	a := create(t, dir)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a.path(".hlog"))
	if err != nil || !strings.Contains(string(text), "StartTime") {
		t.Errorf("log %q, error %v: want a log that can be read and holds nothing", text, err)
	}
}

func TestCreateNamesWhatIsWrong(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := Create(missing, benchmark)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("got error %v, want one that names %s", err, missing)
	}
}

func TestFileName(t *testing.T) {
	for benchmark, want := range map[string]string{
		"BenchmarkWrite/system=etcd/clients=8": "BenchmarkWrite__system=etcd__clients=8",
		"BenchmarkGet/stale=true#01":           "BenchmarkGet__stale=true#01",
		`BenchmarkX/a\b:c*d?"e<f>g|h`:          "BenchmarkX__a-b-c-d--e-f-g-h",
		"BenchmarkX/über\x00":                  "BenchmarkX__-ber-",
		"../../etc/passwd":                     "__..__etc__passwd",
	} {
		if got := fileName(benchmark); got != want {
			t.Errorf("%q: got %q, want %q", benchmark, got, want)
		}
	}
}

// fillDisk makes writing to f fail like on a full disk.
func fillDisk(t *testing.T, f *artifact) {
	t.Helper()
	const path = "/dev/full"
	full, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs Linux's /dev/full, the device that is always full: ", err)
	}
	f.file.Close()
	f.file = full
}

func TestFullDiskIsReportedOnceByInterval(t *testing.T) {
	a := create(t, t.TempDir())
	fillDisk(t, &a.hlog)
	s := newSession("write", false)
	second := func(n int) error {
		s.succeed(100, time.Microsecond)
		return a.Interval([]record.Interval{s.Interval(time.Duration(n) * time.Second)})
	}
	if err := second(1); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("got error %v, want a full disk and the file's name", err)
	}
	if err := errors.Join(second(2), a.Close()); err != nil {
		t.Errorf("the error is reported again: %v", err)
	}
	text, err := os.ReadFile(a.path(".csv"))
	if n := strings.Count(string(text), "\n"); err != nil || n != 3 {
		t.Errorf("the other file has %d lines (%v), want 3: it can be written", n, err)
	}
}

func TestFullDiskIsReportedByClose(t *testing.T) {
	a := create(t, t.TempDir())
	fillDisk(t, &a.hlog)
	if err := a.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got error %v, want that of the head that was not written", err)
	}
	if err := a.Close(); err == nil {
		t.Error("closing twice is no error")
	}
}
