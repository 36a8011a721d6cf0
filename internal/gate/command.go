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

// Command is the program benchgate, for others to use without running it. It returns
// the exit status: 0 if nothing is worse, 1 if something is, 2 if it can't be told, 3
// if a history is too short yet.
func Command(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "benchgate:", err)
		return 2
	}
	status, err := o.run(stdout)
	if err != nil {
		err = errors.Join(err, o.save(noReport(err)))
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "benchgate: %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return status
}

// run does what the flags say and returns the exit status.
func (o *options) run(stdout io.Writer) (status int, err error) {
	filter, err := o.keep()
	if err != nil {
		return 2, err
	}
	var files []*File
	var errs []error
	for _, name := range o.files {
		f, err := readFile(name)
		files, errs = append(files, f), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return 2, err
	}
	var report *Report
	switch {
	case o.noise:
		return o.printNoise(stdout, files[0], filter)
	case o.history != "":
		report, err = o.judgeTonight(files[0], filter)
	default:
		report, err = o.compare(files, filter)
	}
	if err == nil {
		err = errors.Join(o.write(stdout, report), o.save(report))
	}
	switch {
	case errors.Is(err, errEarly):
		return 3, err
	case err != nil:
		return 2, err
	case len(report.Worse()) > 0:
		return 1, nil
	}
	return 0, nil
}

// compare compares two files, or the two sides of one.
func (o *options) compare(files []*File, filter *benchproc.Filter) (*Report, error) {
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

// judgeTonight compares a night with those before, and adds it to them if that is
// asked for: whatever is said of it, but not if it can't be compared.
func (o *options) judgeTonight(f *File, filter *benchproc.Filter) (*Report, error) {
	h := &history{name: o.history}
	if _, err := os.Stat(o.history); err == nil || !o.append {
		r, err := os.Open(o.history)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		if h, err = readHistory(o.history, r); err != nil {
			return nil, err
		}
	}
	tonight, err := newNight(o.night, f)
	if err != nil {
		return nil, err
	}
	report, err := h.compare(tonight, o, filter)
	if err != nil && !errors.Is(err, errEarly) || !o.append {
		return report, err
	}
	verdict := "early"
	if err == nil {
		verdict = string(report.verdict())
	}
	return report, errors.Join(err, h.append(tonight, verdict))
}

// printNoise writes how much repetitions scatter.
func (o *options) printNoise(w io.Writer, f *File, filter *benchproc.Filter) (status int, err error) {
	s, err := f.Side(filter)
	if err != nil {
		return 2, err
	}
	text, err := noise(s, o.config)
	if err != nil {
		return 2, err
	}
	if _, err = io.WriteString(w, text); err != nil {
		return 2, err
	}
	return 0, nil
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

// A document is what there is to say in the formats for others.
type document interface {
	Markdown(w io.Writer, all bool) error
	JSON(w io.Writer) error
}

// save writes the files that are asked for.
func (o *options) save(d document) error {
	var errs []error
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{o.markdown, func(w io.Writer) error { return d.Markdown(w, o.all) }},
		{o.json, d.JSON},
	} {
		if file.name == "" {
			continue
		}
		var b bytes.Buffer
		errs = append(errs, file.write(&b), os.WriteFile(file.name, b.Bytes(), 0o644))
	}
	return errors.Join(errs...)
}
