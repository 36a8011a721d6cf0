package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// A comparison of a version of etcd with itself is interrupted when its first
// repetition is done, and taken up again.
func TestInterruptedAndTakenUpAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	for name, value := range map[string]string{"COORD_CLIENTS": "1", "BENCH_WARMUP": "0s", "BENCH_SERVERS": "process"} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	args := []string{"-system", "etcd", "-old", "3.7.3", "-new", "3.7.3", "-bench", "Put", "-benchtime", "20x", "-count", "2", "-seed", "5", "-dir", dir}

	ctx, cancel := context.WithCancel(t.Context())
	log := &untilSecond{cancel: cancel}
	if status := run(ctx, args, new(bytes.Buffer), log); status != 2 || !strings.Contains(log.String(), "interrupted; the same command goes on with repetition ") {
		t.Fatalf("status %d, want 2:\n%s", status, log)
	}
	done, err := filepath.Glob(filepath.Join(dir, "0*.txt"))
	if err != nil || len(done) != 1 {
		t.Fatalf("want one repetition done, have %v, %v", done, err)
	}
	first, err := os.Stat(done[0])
	if err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	if status := run(t.Context(), args, &out, &stderr); status != 2 || !strings.Contains(stderr.String(), "1 of 4 repetitions are done already") ||
		!strings.Contains(stderr.String(), "2 samples of old and 2 of new: want at least 6") {
		t.Fatalf("status %d, want 2:\n%s", status, &stderr)
	}
	if again, err := os.Stat(done[0]); err != nil || !again.ModTime().Equal(first.ModTime()) {
		t.Errorf("the finished repetition was run again: %v", err)
	}
	if n := results(t, filepath.Join(dir, "results.txt")); n != 4 {
		t.Errorf("%d results, want 4:\n%s", n, &stderr)
	}
}

// A side that fails is told, and what there is of the other is kept and shown.
func TestSideThatFails(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
	for name, value := range map[string]string{"COORD_CLIENTS": "1", "BENCH_WARMUP": "0s", "BENCH_SERVERS": "process"} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	var out, stderr bytes.Buffer
	status := run(t.Context(), strings.Fields("-system etcd -old 3.7.3 -new 9.9.9 -bench Put -benchtime 20x -count 1 -dir "+dir), &out, &stderr)
	for _, want := range []string{"01-new failed: coord: exit status 1", "9.9.9", "1 repetitions are missing, since they failed: 01-new; the same command tries them again", `want two values to compare, have 1: ["3.7.3"]`} {
		if status != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("status %d, want 2 and %q:\n%s", status, want, &stderr)
		}
	}
	if n := results(t, filepath.Join(dir, "results.txt")); n != 1 {
		t.Errorf("%d results, want 1", n)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "01-new.failed")); err != nil || !strings.Contains(string(text), "9.9.9") {
		t.Errorf("the output of what failed is %q, %v", text, err)
	}
}

// untilSecond is a log that calls cancel when the second repetition begins.
type untilSecond struct {
	bytes.Buffer
	cancel func()
}

func (u *untilSecond) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("2 of 4:")) {
		u.cancel()
	}
	return u.Buffer.Write(p)
}

// results counts the results in a file, of which no line may be torn.
func results(t *testing.T, name string) (n int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := benchfmt.NewReader(f, name)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			n++
		}
	}
	return n
}
