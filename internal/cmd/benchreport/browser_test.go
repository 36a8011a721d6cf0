package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// browse loads a page in a browser without a window, and returns the document as it
// is then, and what the page has said to the console.
func browse(t *testing.T, address string, flags ...string) (document string, console []string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("install Chromium (Debian: apt-get install chromium)")
	}
	args := append([]string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--no-first-run", "--hide-scrollbars",
		"--user-data-dir=" + t.TempDir(), "--enable-logging=stderr", "--virtual-time-budget=10000",
	}, flags...)
	cmd := exec.CommandContext(t.Context(), browser, append(args, "--dump-dom", address)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, log.String())
	}
	return out.String(), regexp.MustCompile(`.*CONSOLE.*`).FindAllString(log.String(), -1)
}

func fileURL(name string) string { return "file://" + filepath.ToSlash(name) }

// The page opens from a file, and nothing in it is wrong.
func TestBrowserOpensFile(t *testing.T) {
	dir, _ := page(t, putFile)
	document, console := browse(t, fileURL(filepath.Join(dir, "index.html")))
	if len(console) > 0 || !strings.Contains(document, "coord.Put throughput by clients") {
		t.Errorf("console %q, document of %d bytes", console, len(document))
	}
	wrong := filepath.Join(dir, "wrong.html")
	if err := os.WriteFile(wrong, []byte(`<p>x<script>console.error("seen")</script><img src="none.png">`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, console := browse(t, fileURL(wrong)); len(console) == 0 {
		t.Error("a page with an error has none: this test sees nothing")
	}
}

//go:embed testdata/inspect.html
var inspect string

// A finding is what inspect.html has found out about a page in a frame.
type finding struct {
	Width   int      // of the page's content
	Room    int      // in the frame
	Dark    bool     // whether the page was asked to be dark
	Links   []string // within the page that lead nowhere
	Twice   []string // identifiers that are not unique
	Unnamed []string // charts, tables and controls without a name for who doesn't see them
	Faint   []string // texts and lines that don't stand out from what is behind them
	Charts  int
	Lines   int      // drawn in charts, grids and axes not counted
	Clipped []string // texts that stick out of their chart
	Over    []string // texts that have others of their chart over them
}

// The page is laid out on a telephone and on a desk, light and dark: nothing sticks
// out, every link leads somewhere, and everything has a name and a contrast.
func TestBrowserLayout(t *testing.T) {
	_, text := page(t, putFile, oldFile, newFile)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/page" {
			fmt.Fprint(w, text)
			return
		}
		fmt.Fprint(w, inspect)
	}))
	defer server.Close()
	charts := strings.Count(text, "<svg ")
	for _, f := range append(inspected(t, server.URL), inspected(t, server.URL, "--force-dark-mode")...) {
		t.Logf("%d px, dark %v: %d charts", f.Room, f.Dark, f.Charts)
		if f.Width > f.Room {
			t.Errorf("%d px, dark %v: the content is %d px wide", f.Room, f.Dark, f.Width)
		}
		for what, list := range map[string][]string{"links to nothing": f.Links, "not unique": f.Twice, "without a name": f.Unnamed, "faint": f.Faint, "clipped": f.Clipped, "with others over them": f.Over} {
			if len(list) > 0 {
				t.Errorf("%d px, dark %v: %s: %q", f.Room, f.Dark, what, list)
			}
		}
		if f.Charts != charts || f.Lines < 2*charts {
			t.Errorf("%d px, dark %v: %d charts with %d lines, want %d with two or more", f.Room, f.Dark, f.Charts, f.Lines, charts)
		}
	}
}

// inspected returns what was found out at 320, 400 and 1280 px.
func inspected(t *testing.T, address string, flags ...string) (all []finding) {
	t.Helper()
	document, _ := browse(t, address, flags...)
	_, rest, _ := strings.Cut(document, `<pre id="found">`)
	text, _, ok := strings.Cut(rest, "</pre>")
	if !ok {
		t.Fatalf("nothing was found out: %.1000s", document)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(all) != 3 || all[1].Room != 400 || all[1].Dark != (len(flags) > 0) {
		t.Fatalf("not the frames that were asked for: %+v", all)
	}
	return all
}
