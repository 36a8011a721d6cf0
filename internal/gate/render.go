package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Text writes the report for a terminal: what is worse, what is better, and with
// all everything else. The last line sums it up.
func (r *Report) Text(w io.Writer, all bool) error {
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "differs: %s\n", d)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range r.rows(all) {
		fmt.Fprintln(tab, strings.Join(append([]string{strings.ToUpper(string(c.Verdict))}, c.cells()...), "\t"))
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	if all {
		for _, o := range r.Omitted {
			fmt.Fprintf(&b, "not compared: %s %s: %s\n", o.Benchmark, o.Unit, o.Reason)
		}
	}
	fmt.Fprintln(&b, r.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the report for the comment of a pull request.
func (r *Report) Markdown(w io.Writer, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Benchmarks: %s\n\n%s\n", r.headline(), r.summary())
	if rows := r.rows(all); len(rows) > 0 {
		fmt.Fprintf(&b, "\n| | benchmark | unit | %s | %s | change | p |\n|---|---|---|---:|---:|---:|---:|\n", escape(r.Old), escape(r.New))
		for _, c := range rows {
			cells := c.cells()
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", c.Verdict, cells[0], strings.Join(cells[1:], " | "))
		}
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "\n- differs: `%s`", escape(d))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "\n- warning: %s", escape(warning))
	}
	if len(r.Differences)+len(r.Warnings) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON writes the whole report for programs.
func (r *Report) JSON(w io.Writer) error { return indented(w, r) }

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(v)
}

// A failure is said in place of a report.
type failure struct {
	Errors []string `json:"errors"` // reasons why there is none
	early  bool
}

// noReport returns the reasons that an error has, a line each.
func noReport(err error) failure {
	return failure{strings.Split(err.Error(), "\n"), errors.Is(err, errEarly)}
}

// Markdown writes why there is no report.
func (f failure) Markdown(w io.Writer, _ bool) error {
	headline := "it can't be told"
	if f.early {
		headline = errEarly.Error()
	}
	_, err := fmt.Fprintf(w, "### Benchmarks: %s\n\n```text\n%s\n```\n", headline, strings.Join(f.Errors, "\n"))
	return err
}

// JSON writes why there is no report.
func (f failure) JSON(w io.Writer) error { return indented(w, f) }

// rows are the comparisons that are shown: those that say something, or all.
func (r *Report) rows(all bool) []Comparison {
	rows := append(r.Worse(), r.Better()...)
	if all {
		rows = append(rows, r.with(Same)...)
	}
	return rows
}

// headline is the outcome in a few words.
func (r *Report) headline() string {
	if n := len(r.Worse()); n > 0 {
		return fmt.Sprintf("%d worse", n)
	}
	return "nothing is worse"
}

// summary is the outcome in a sentence.
func (r *Report) summary() string {
	return fmt.Sprintf("%s: of %d comparisons of %s with %s %d are worse and %d better by more than %.4g %% (%s, α = %v in all by Holm's correction); %d units not compared, %d warnings",
		r.headline(), len(r.Comparisons), r.New, r.Old, len(r.Worse()), len(r.Better()), 100*r.MinChange, r.Test, r.Alpha, len(r.Omitted), len(r.Warnings))
}

// cells are a comparison's columns: benchmark, unit, old, new, change, p.
func (c Comparison) cells() []string {
	return []string{c.Benchmark, c.Unit, quantity(c.Old, c.Unit), quantity(c.New, c.Unit), c.change(), fmt.Sprintf("p=%.3g n=%d+%d", c.Adjusted, c.Samples[0], c.Samples[1])}
}

func (c Comparison) change() string {
	if c.Zero {
		return "from 0"
	}
	return fmt.Sprintf("%+.1f %%", 100*c.Change)
}

// quantity is a value for people: times as such, other numbers with four digits or
// without a fraction.
func quantity(v float64, unit string) string {
	if strings.HasSuffix(unit, "-ns") || strings.HasPrefix(unit, "ns/") || strings.Contains(unit, "-ns/") {
		d := time.Duration(v)
		for unit := time.Duration(1); ; unit *= 10 {
			if d < 10000*unit || unit > time.Hour {
				return d.Round(unit).String()
			}
		}
	}
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// escape keeps a text from being taken for Markdown's tables or code.
func escape(s string) string { return strings.NewReplacer("|", `\|`, "`", "'").Replace(s) }
