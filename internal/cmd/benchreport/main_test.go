package main

import (
	"bytes"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	putFile = "../../../testdata/report/put.txt"
	oldFile = "../../../testdata/compare/old.txt"
	newFile = "../../../testdata/compare/new.txt"
)

func reportOf(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

// page makes a report and returns the directory and the page.
func page(t *testing.T, files ...string) (dir, html string) {
	t.Helper()
	dir = t.TempDir()
	status, out, stderr := reportOf(append([]string{"-o", dir}, files...)...)
	if status != 0 || out != filepath.Join(dir, "index.html")+"\n" || stderr != "" {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, string(text)
}

// The page needs no network: what it refers to is in it.
func TestSelfContained(t *testing.T) {
	_, html := page(t, putFile, oldFile, newFile)
	for _, m := range regexp.MustCompile(`(?i)(?:href|src|action)="([^"]*)"|url\(|@import|<script`).FindAllStringSubmatch(html, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:") {
			t.Errorf("the page has %q", m[0])
		}
	}
}

// Each chart is on the page, and beside it as SVG, PNG and CSV; the page's CSV is the
// file's.
func TestFiles(t *testing.T) {
	dir, html := page(t, putFile)
	downloads := regexp.MustCompile(`download="([^"]*)" href="data:text/csv;charset=utf-8,([^"]*)"`).FindAllStringSubmatch(html, -1)
	if len(downloads) != 9 || strings.Count(html, `<svg `) != 9 {
		t.Fatalf("%d downloads and %d charts, want 9 of each", len(downloads), strings.Count(html, `<svg `))
	}
	for _, d := range downloads {
		data, err := url.PathUnescape(strings.ReplaceAll(d[2], "&#43;", "+"))
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(dir, "charts", strings.TrimSuffix(d[1], ".csv"))
		if file, err := os.ReadFile(base + ".csv"); err != nil || string(file) != data {
			t.Errorf("%s: %q on the page, %q in the file, %v", d[1], data, file, err)
		}
		if svg, err := os.ReadFile(base + ".svg"); err != nil || !bytes.Contains(svg, []byte("</svg>")) {
			t.Errorf("%s.svg: %v", base, err)
		}
		picture, err := os.ReadFile(base + ".png")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
			t.Errorf("%s.png: %v", base, err)
		}
	}
}

// What results have in their names is text on the page and nothing else.
func TestEscaping(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	text := "etcd-note: <script>alert(1)</script>\npkg: kvbench/coord\n--- FAIL: BenchmarkGet\n    x.go:1: </ul><script>alert(2)</script>\n"
	for _, clients := range []string{"1", "2", "30"} {
		text += "BenchmarkPut/system=etcd/a=<script>/clients=" + clients + "-2 1000 1000 ns/op 500 p50-ns 900 p99-ns 1000 ops/s\n"
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, html := page(t, name)
	if strings.Contains(html, "<script") || !strings.Contains(html, "&lt;script&gt;alert(1)") || !strings.Contains(html, "<svg ") {
		t.Error("a name has become a part of the page")
	}
	if !strings.Contains(html, "<strong>1 failed.</strong>") {
		t.Error("the failure is not told")
	}
}

// A second report has nothing of the first, and what isn't a report stays.
func TestAgain(t *testing.T) {
	dir, _ := page(t, putFile)
	if status, _, stderr := reportOf("-o", dir, oldFile); status != 0 {
		t.Fatal(stderr)
	}
	left, err := filepath.Glob(filepath.Join(dir, "charts", "*over-time*"))
	if err != nil || len(left) > 0 {
		t.Errorf("charts of the report before: %q, %v", left, err)
	}
	index := filepath.Join(dir, "index.html")
	if err := os.WriteFile(index, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := reportOf("-o", dir, oldFile); status != 2 || !strings.Contains(stderr, "it is not of benchreport, and stays") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if text, err := os.ReadFile(index); err != nil || string(text) != "mine" {
		t.Errorf("the file has become %q, %v", text, err)
	}
}

func TestWhatCannotBeReported(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	empty := write("empty.txt", "")
	torn := write("torn.txt", "BenchmarkPut 100 12\n")
	broken := write("broken.txt", "pkg: kvbench/coord\nBenchmarkPut/system=etcd/clients=1-2 5 7 max-ns\n")
	write("broken/1/a.csv", "seconds,kind,ok,errors,max-ns\n1,write,5,0,7\n")
	write("broken/1/a.hlog", "#[Logged by kvbench: BenchmarkPut/system=etcd/clients=1, values in ns]\nTag=write,0.0,1.0,7,HIST!\n")
	for _, tc := range []struct {
		args, want string
		lines      int
	}{
		{"", "benchreport: no files: want at least one", 1},
		{"-x", "benchreport: flag provided but not defined: -x", 1},
		{filepath.Join(dir, "none.txt"), "none.txt: no such file", 1},
		{empty, "empty.txt: no results are in it", 1},
		{torn, "torn.txt:1: ", 1},
		{empty + " " + torn, "no results are in it", 2},
		{broken, filepath.Join("broken", "1", "a.hlog") + ": ", 1},
	} {
		out := filepath.Join(dir, "out")
		status, stdout, stderr := reportOf(append([]string{"-o", out}, strings.Fields(tc.args)...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tc.want) || strings.Count(stderr, "\n") != tc.lines {
			t.Errorf("%q: status %d, want 2 and %q in %d lines:\n%s%s", tc.args, status, tc.want, tc.lines, stdout, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q: something is written", tc.args)
		}
	}
	if status, out, stderr := reportOf("-h"); status != 0 || out != "" || !strings.Contains(stderr, "usage: benchreport") {
		t.Errorf("-h: status %d\n%s%s", status, out, stderr)
	}
}
