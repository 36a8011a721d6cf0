// Benchreport makes a page with charts of result files, and of the artifacts that
// lie beside them.
//
//	go test ./coord -run '^$' -bench Put -artifacts -outputdir=$PWD/results >results/put.txt
//	go tool benchreport results/put.txt
//
// The page needs nothing but itself. Its charts are beside it as SVG, PNG and CSV.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kvbench/internal/benchreport"
	"kvbench/internal/results"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `usage: benchreport [-o dir] results.txt...

Writes dir/index.html, and its charts as SVG, PNG and CSV into dir/charts.
Exit status: 0 the page is written, 2 it isn't.

`

// run returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	dir, names, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = report(dir, names)
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "benchreport: %s\n", strings.TrimSuffix(line, "\n"))
		}
		return 2
	}
	fmt.Fprintln(stdout, filepath.Join(dir, "index.html"))
	return 0
}

func parse(args []string, stderr io.Writer) (dir string, names []string, err error) {
	f := flag.NewFlagSet("benchreport", flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are told by run
	f.StringVar(&dir, "o", "", "`directory` to write into (default report, beside the first file)")
	err = f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, usage)
		f.SetOutput(stderr)
		f.PrintDefaults()
		return "", nil, err
	case err != nil:
		return "", nil, err
	case f.NArg() == 0:
		return "", nil, errors.New("no files: want at least one (see -h)")
	}
	if dir == "" {
		dir = filepath.Join(filepath.Dir(f.Arg(0)), "report")
	}
	return dir, f.Args(), nil
}

// report makes the report of files in a directory. Nothing is written if a file is
// missing or broken.
func report(dir string, names []string) error {
	var files []*results.File
	var errs []error
	for _, name := range names {
		f, err := read(name)
		files, errs = append(files, f), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	page, err := benchreport.Make(files)
	if err != nil {
		return err
	}
	return write(dir, page)
}

func read(name string) (*results.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return results.Read(name, f)
}
