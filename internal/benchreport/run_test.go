package benchreport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSubjects(t *testing.T) {
	conf := func(lines ...string) string { return "pkg: kvbench/coord\n" + strings.Join(lines, "\n") + "\n" }
	for _, tc := range []struct {
		sentence string
		files    []string
		want     string
	}{
		{"repetitions are one subject", []string{conf("etcd-version: 3.7.3") + line + line}, "etcd 3.7.3"},
		{"versions are told apart", []string{conf("etcd-version: 3.5.21") + line, conf("etcd-version: 3.7.3") + line}, "etcd 3.5.21; etcd 3.7.3"},
		{"so is what else differs", []string{conf("etcd-version: 3", "etcd-nodes: 1") + line, conf("etcd-version: 3", "etcd-nodes: 3") + line}, "etcd 3, nodes 1; etcd 3, nodes 3"},
		{"what one lacks differs", []string{conf("etcd-version: 3") + line, conf("etcd-version: 3", "etcd-down: 1") + line}, "etcd 3, no down; etcd 3, down 1"},
		{"another system's setting doesn't", []string{conf("etcd-version: 3", "consul-nodes: 1") + line, conf("etcd-version: 3", "consul-nodes: 3") + strings.Replace(line, "10-", "20-", 1)}, "etcd 3"},
		{"GOMAXPROCS does", []string{conf("etcd-version: 3") + line + strings.Replace(line, "-2 ", "-4 ", 1)}, "etcd 3, gomaxprocs 2; etcd 3, gomaxprocs 4"},
		{"files of the same are sides, as benchstat has it", []string{conf("etcd-version: 3") + line, conf("etcd-version: 3") + line}, "etcd 3, file f0; etcd 3, file f1"},
		{"files that differ in many settings are sides, too", []string{conf("etcd-version: 3", "a: 1", "b: 1", "c: 1", "d: 1") + line, conf("etcd-version: 3") + line}, "etcd 3, file f0; etcd 3, file f1"},
		{"unless one of them has several of them", []string{conf("etcd-version: 3", "a: 1", "b: 1", "c: 1", "d: 1") + line + "a: 2\n" + line, conf("etcd-version: 3", "a: 2") + line}, "etcd 3, a 1, b 1, c 1, d 1; etcd 3, a 2, b 1, c 1, d 1; etcd 3, a 2, no b, no c, no d"},
		{"files of different benchmarks aren't", []string{conf("etcd-version: 3") + line, conf("etcd-version: 3") + strings.Replace(line, "Put", "Get", 1)}, "etcd 3"},
	} {
		p, err := text(t, tc.files...)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(p.Summary, ": "); got != tc.want+"." {
			t.Errorf("%s: %q, want %q", tc.sentence, got, tc.want)
		}
	}
}

// Files of the same name are told apart by their paths.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for _, d := range []string{"a", "b"} {
		name := filepath.Join(dir, d, "x.txt")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	p := mustMake(t, names...)
	if want := "etcd, path " + names[0] + "; etcd, path " + names[1] + "."; !strings.HasSuffix(p.Summary, want) {
		t.Errorf("%q, want %q at the end", p.Summary, want)
	}
}

// No file system has names as long as titles may be.
func TestLongTitles(t *testing.T) {
	long := strings.Repeat("a setting with a value, ", 20)
	a, b := slug(long+"1"), slug(long+"2")
	if len(a) > longest || a == b || !strings.HasPrefix(a, "a-setting-with-a-value-a-") {
		t.Errorf("names %q and %q", a, b)
	}
	if got := slug("Put: p99.9, etcd 3.7.3"); got != "put-p99-9-etcd-3-7-3" {
		t.Errorf("a short name is %q", got)
	}
}
