package gate

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/perf/benchproc"
)

const usage = `usage: benchgate [flags] old.txt new.txt
       benchgate [flags] -col key both.txt

Exit status: 0 nothing is worse, 1 something is, 2 it can't be told.

`

// Options are benchgate's flags.
type options struct {
	config Config
	col    string
	filter string
	format string
	all    bool
	files  []string
}

// Command is the program benchgate, for others to use without running it. It returns
// the exit status: 0 if nothing is worse, 1 if something is, 2 if it can't be told.
func Command(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "benchgate:", err)
		return 2
	}
	report, err := o.compare()
	if err == nil {
		err = o.write(stdout, report)
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "benchgate: %s\n", strings.TrimSuffix(line, "\n"))
		}
		return 2
	}
	if len(report.Worse()) > 0 {
		return 1
	}
	return 0
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
	if o.col != "" {
		want = 1
	}
	switch {
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

// compare reads the files and compares the sides.
func (o *options) compare() (*Report, error) {
	filter, err := benchproc.NewFilter(o.filter)
	if err != nil {
		return nil, fmt.Errorf("-filter %q: %w", o.filter, err)
	}
	var files []*File
	var errs []error
	for _, name := range o.files {
		f, err := readFile(name)
		files, errs = append(files, f), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if o.col != "" {
		before, after, err := files[0].Split(o.col, filter)
		if err != nil {
			return nil, err
		}
		return Compare(before, after, o.config)
	}
	before, err := files[0].Side(filter)
	if err != nil {
		return nil, err
	}
	after, err := files[1].Side(filter)
	if err != nil {
		return nil, err
	}
	return Compare(before, after, o.config)
}

func readFile(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(name, f)
}

// write writes the report whole, or not at all.
func (o *options) write(w io.Writer, r *Report) error {
	var b bytes.Buffer
	var err error
	switch o.format {
	case "json":
		err = r.JSON(&b)
	case "markdown":
		err = r.Markdown(&b, o.all)
	default:
		err = r.Text(&b, o.all)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}
