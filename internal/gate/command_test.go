package gate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	oldFile = "../../testdata/compare/old.txt" // etcd 3.5.21, real
	newFile = "../../testdata/compare/new.txt" // 3.7.3
)

func gateOf(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Command(args, &out, &err)
	return status, out.String(), err.String()
}

func TestRealFiles(t *testing.T) {
	status, out, stderr := gateOf(oldFile, newFile)
	if status != 0 || !strings.Contains(out, `differs: etcd-version: "3.5.21" against "3.7.3"`) || !strings.Contains(out, "nothing is worse: of ") {
		t.Errorf("status %d:\n%s%s", status, out, stderr)
	}
	status, out, stderr = gateOf("-alpha=0.05", "-unit=ops/s,p50-ns,p99-ns", oldFile, newFile)
	if status != 1 || !strings.Contains(out, "WORSE  coord.Put/system=etcd/clients=100-2  p50-ns  7.145ms") {
		t.Errorf("status %d, want 1:\n%s%s", status, out, stderr)
	}
}

// A file is compared with another in which one unit was made worse.
func TestRegression(t *testing.T) {
	text, err := os.ReadFile(oldFile)
	if err != nil {
		t.Fatal(err)
	}
	worse := filepath.Join(t.TempDir(), "worse.txt")
	var b strings.Builder
	for line := range strings.Lines(string(text)) { // a tenth of the throughput
		fields := strings.Fields(line)
		for i, f := range fields {
			if f == "ops/s" && i > 1 {
				line = strings.Replace(line, fields[i-1]+" ops/s", fields[i-1][:len(fields[i-1])-1]+" ops/s", 1)
			}
		}
		b.WriteString(line)
	}
	if err := os.WriteFile(worse, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "markdown", "json"} {
		status, out, stderr := gateOf("-format="+format, oldFile, worse)
		if status != 1 || !strings.Contains(out, "ops/s") || !strings.Contains(strings.ToLower(out), "worse") {
			t.Errorf("%s: status %d, want 1:\n%s%s", format, status, out, stderr)
		}
		if format == "json" && !json.Valid([]byte(out)) {
			t.Errorf("no JSON: %s", out)
		}
	}
}

// The files that are asked for are written whatever the outcome is.
func TestFilesBesideTheReport(t *testing.T) {
	dir := t.TempDir()
	md, js := filepath.Join(dir, "gate.md"), filepath.Join(dir, "gate.json")
	for _, tc := range []struct {
		args         []string
		status       int
		inMD, inJSON string
	}{
		{[]string{oldFile, newFile}, 0, "### Benchmarks: nothing is worse", `"verdict": "same"`},
		{[]string{"-differ=none", oldFile, newFile}, 2, "### Benchmarks: it can't be told\n\n```text\n" + oldFile, `"errors": [`},
		{[]string{"-history=" + filepath.Join(dir, "history.txt"), "-append", oldFile}, 3, "### Benchmarks: too early to tell", "0 nights"},
	} {
		status, _, stderr := gateOf(append([]string{"-markdown=" + md, "-json=" + js}, tc.args...)...)
		for file, want := range map[string]string{md: tc.inMD, js: tc.inJSON} {
			if text, err := os.ReadFile(file); status != tc.status || err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%q: status %d, want %d; %s: %v, want %q:\n%s%s", tc.args, status, tc.status, file, err, want, text, stderr)
			}
		}
	}
}

func TestColumn(t *testing.T) {
	var both bytes.Buffer
	for _, name := range []string{oldFile, newFile} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		both.Write(text)
	}
	file := filepath.Join(t.TempDir(), "both.txt")
	if err := os.WriteFile(file, both.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, stderr := gateOf("-col=etcd-version", file)
	if status != 0 || !strings.Contains(out, "of 3.7.3 with 3.5.21") {
		t.Errorf("status %d:\n%s%s", status, out, stderr)
	}
	if status, _, stderr := gateOf("-col=seed", file); status != 2 || !strings.Contains(stderr, `-col "seed": want two values to compare, have 1: ["1"]`) {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args string
		want string
	}{
		{"", "0 files: want 2"},
		{oldFile, "1 files: want 2"},
		{"-col=x " + oldFile + " " + newFile, "2 files: want 1"},
		{"/none.txt " + newFile, "open /none.txt: no such file"},
		{empty + " " + newFile, "no results are in it"},
		{"-differ=none " + oldFile + " " + newFile, "configurations differ: etcd-version"},
		{"-filter=.name:Get " + oldFile + " " + newFile, "no results pass the filter"},
		{"-filter=( " + oldFile + " " + newFile, `-filter "("`},
		{"-format=xml " + oldFile + " " + newFile, `-format "xml"`},
		{"-alpha=2 " + oldFile + " " + newFile, "-alpha 2"},
		{"-min=-1 " + oldFile + " " + newFile, "-min -1"},
		{"-x", "flag provided but not defined: -x"},
	} {
		status, out, stderr := gateOf(strings.Fields(tc.args)...)
		if status != 2 || !strings.Contains(stderr, tc.want) || out != "" {
			t.Errorf("%s: status %d, want 2 and %q:\n%s%s", tc.args, status, tc.want, out, stderr)
		}
	}
	if status, out, stderr := gateOf("-h"); status != 0 || !strings.Contains(stderr, "usage: benchgate") || out != "" {
		t.Errorf("-h: status %d\n%s%s", status, out, stderr)
	}
}
