package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kvbench/internal/benchreport"
	"kvbench/internal/chart"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// mark tells our pages from others.
const mark = `<meta name="generator" content="benchreport">`

// write writes the page and its charts.
func write(dir string, p *benchreport.Page) error {
	html, err := render(p)
	if err != nil {
		return err
	}
	charts := filepath.Join(dir, "charts")
	if err := clear(dir, charts); err != nil {
		return err
	}
	if err := os.MkdirAll(charts, 0o777); err != nil {
		return err
	}
	for _, c := range p.Charts() {
		if err := writeChart(charts, c); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), html, 0o666)
}

// clear removes the charts of an earlier report, so that none of them is taken for
// one of this report.
func clear(dir, charts string) error {
	old, err := os.ReadFile(filepath.Join(dir, "index.html"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !bytes.Contains(old, []byte(mark)):
		return fmt.Errorf("%s: it is not of benchreport, and stays: choose another directory (-o)", filepath.Join(dir, "index.html"))
	}
	return os.RemoveAll(charts)
}

func writeChart(dir string, c *chart.Chart) error {
	var png bytes.Buffer
	if err := c.PNG(&png); err != nil {
		return err
	}
	for extension, text := range map[string][]byte{".png": png.Bytes(), ".svg": []byte(c.SVG()), ".csv": []byte(c.CSV())} {
		if err := os.WriteFile(filepath.Join(dir, c.ID+extension), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// render returns the page.
func render(p *benchreport.Page) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"css":  func() template.CSS { return template.CSS(pageCSS) },
		"mark": func() template.HTML { return template.HTML(mark) },
		"svg":  func(c *chart.Chart) template.HTML { return template.HTML(c.Inline()) },
		"data": func(c *chart.Chart) template.URL {
			return template.URL("data:text/csv;charset=utf-8," + inURL.Replace(c.CSV()))
		},
		"points": points,
		"name": func(s string) template.HTML { // of a benchmark: it is broken between its parts
			return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), "/", "/<wbr>"))
		},
		"join": func(s []string) string { return strings.Join(s, " · ") },
	}).Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// inURL escapes what data in an address may not have.
var inURL = strings.NewReplacer("%", "%25", "\n", "%0A", "\r", "", "#", "%23", " ", "%20", `"`, "%22", "<", "%3C", ">", "%3E")

// few is how many points a table on the page has, at the most; the CSV has all.
const few = 80

// points is the table of a chart's data, or of each line's ends and extremes if it
// would be too long to be read.
func points(c *chart.Chart) *benchreport.Table {
	t := &benchreport.Table{ID: c.ID + "-data", Title: c.Title, Head: c.Columns(), Rows: c.Texts()}
	if len(t.Rows) > few {
		t.Caption = fmt.Sprintf("%d points are in the CSV; this is the range of each line.", len(t.Rows))
		t.Head, t.Rows = c.Ranges()
	}
	return t
}
