package gate

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/perf/benchproc"
)

const usage = `usage: benchgate [flags] old.txt new.txt
       benchgate [flags] -col key both.txt
       benchgate [flags] [-col key] -history history.txt [-append] tonight.txt
       benchgate -noise results.txt

Exit status: 0 nothing is worse, 1 something is, 2 it can't be told, 3 the history
is too short yet.

`

// Options are benchgate's flags.
type options struct {
	config Config
	col    string
	filter string
	format string
	all    bool

	markdown, json string // files

	history string
	last    int
	night   string
	append  bool

	noise bool

	files []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	var differ, units string
	percent := 5.0
	var trouble bytes.Buffer
	f := flag.NewFlagSet("benchgate", flag.ContinueOnError)
	f.SetOutput(&trouble)
	f.Usage = func() {
		f.SetOutput(stderr)
		fmt.Fprint(stderr, usage)
		f.PrintDefaults()
		f.SetOutput(&trouble)
	}
	f.Float64Var(&o.config.Alpha, "alpha", 0.01, "probability of a false alarm in the whole comparison")
	f.Float64Var(&percent, "min", percent, "`percent` that a unit may get worse by")
	f.StringVar(&differ, "differ", strings.Join(Config{}.withDefaults().Differ, ","), "configuration `keys` that may differ")
	f.StringVar(&units, "unit", "", "`units` to compare, such as ops/s,*p99-ns (default all that settle and have a direction)")
	f.StringVar(&o.filter, "filter", "*", "benchstat's `filter` of results, such as '.name:Put /system:etcd'")
	f.StringVar(&o.col, "col", "", "configuration `key`, or part of the name (/system), whose two values in one file are the sides")
	f.StringVar(&o.format, "format", "text", "text, markdown or json")
	f.StringVar(&o.markdown, "markdown", "", "`file` for the report, or why there is none, as Markdown as well")
	f.StringVar(&o.json, "json", "", "`file` for the report, or why there is none, as JSON as well")
	f.StringVar(&o.history, "history", "", "`file` with the nights before, whose medians tonight's results are compared with")
	f.IntVar(&o.last, "last", 14, "`nights` of the history that count")
	f.BoolVar(&o.append, "append", false, "add tonight's results to the history")
	f.StringVar(&o.night, "night", time.Now().UTC().Format(time.RFC3339), "`name` of tonight in the history")
	f.BoolVar(&o.noise, "noise", false, "print how much repetitions scatter, and which changes would be found")
	f.BoolVar(&o.all, "all", false, "show what is the same, and what was not compared, as well")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errors.New(strings.TrimSpace(firstLine(trouble.String())))
	}
	o.files = f.Args()
	o.config.Differ, o.config.Units = list(differ), list(units)
	if o.config.MinChange = percent / 100; percent == 0 {
		o.config.MinChange = -1
	}
	return o, o.validate(percent)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// list returns the parts of a comma-separated list, nil if it is empty.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func (o *options) validate(percent float64) error {
	want := 2
	if o.col != "" || o.history != "" || o.noise {
		want = 1
	}
	switch {
	case o.noise && o.history != "":
		return errors.New("-noise, -history: want one of them")
	case o.append && o.history == "":
		return errors.New("-append: want a -history")
	case o.last < minNights:
		return fmt.Errorf("-last %d: want at least %d nights", o.last, minNights)
	case strings.TrimSpace(o.night) == "" || strings.Contains(o.night, "\n"):
		return fmt.Errorf("-night %q: want a line", o.night)
	case len(o.files) != want:
		return fmt.Errorf("%d files: want %d (see -h)", len(o.files), want)
	case !(o.config.Alpha > 0 && o.config.Alpha < 1):
		return fmt.Errorf("-alpha %v: want more than 0 and less than 1", o.config.Alpha)
	case !(percent >= 0 && percent < 1e6):
		return fmt.Errorf("-min %v: want at least 0 percent", percent)
	case o.format != "text" && o.format != "markdown" && o.format != "json":
		return fmt.Errorf("-format %q: want text, markdown or json", o.format)
	}
	return nil
}

// Check reports what is wrong with the arguments of a later call of Command.
func Check(args []string) error {
	o, err := parse(args, io.Discard)
	if err == nil {
		_, err = o.keep()
	}
	return err
}

// keep returns the filter.
func (o *options) keep() (*benchproc.Filter, error) {
	filter, err := benchproc.NewFilter(o.filter)
	if err != nil {
		return nil, fmt.Errorf("-filter %q: %w", o.filter, err)
	}
	return filter, nil
}
