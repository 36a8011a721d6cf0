package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kvbench/internal/record"
)

// Artifacts are the files that one run of a benchmark leaves behind: its
// histogram log (.hlog) and its time series (.csv). They grow by a few kilobytes
// a second and no more is kept in memory, however long the run is. They belong
// to one goroutine at a time.
type Artifacts struct {
	base      string // path without extension
	benchmark string
	hlog, csv artifact
	log       *HistogramLog // nil before the first interval
	series    *TimeSeries
}

// An artifact is a file and the error that ended writing it, if any.
type artifact struct {
	file *os.File
	err  error
	told bool // err was returned to the caller
}

// Create makes the files of a benchmark's run in dir, which exists. The names
// are made from the benchmark's: Write/system=etcd/clients=8 becomes
// Write__system=etcd__clients=8.hlog. A file that is there is not touched: the
// second run's names end in ".2".
func Create(dir, benchmarkName string) (*Artifacts, error) {
	for n := 1; ; n++ {
		a := &Artifacts{base: filepath.Join(dir, fileName(benchmarkName)), benchmark: benchmarkName}
		if n > 1 {
			a.base += fmt.Sprintf(".%d", n)
		}
		switch err := a.create(); {
		case errors.Is(err, os.ErrExist):
		case err != nil:
			return nil, fmt.Errorf("artifacts of %s: %w", benchmarkName, err)
		default:
			return a, nil
		}
	}
}

func (a *Artifacts) create() (err error) {
	if a.hlog.file, err = createNew(a.path(".hlog")); err != nil {
		return err
	}
	if a.csv.file, err = createNew(a.path(".csv")); err != nil {
		return errors.Join(err, a.hlog.discard())
	}
	if a.series, err = NewTimeSeries(a.csv.file); err != nil {
		return errors.Join(err, a.hlog.discard(), a.csv.discard())
	}
	return nil
}

func createNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// path returns the name of the run's file with an extension such as ".csv".
func (a *Artifacts) path(extension string) string { return a.base + extension }

// Interval appends one interval of every kind of operation to the files. A file
// that cannot be written (the disk is full) ends there: its error is returned
// once, by Interval or by Close, and the other file goes on.
func (a *Artifacts) Interval(intervals []record.Interval) error {
	if len(intervals) == 0 {
		return nil
	}
	a.hlog.do(func() error {
		if err := a.begin(intervals[0].End); err != nil {
			return err
		}
		return a.log.Interval(intervals)
	})
	a.csv.do(func() error { return a.series.Interval(intervals) })
	return errors.Join(a.hlog.tell(), a.csv.tell())
}

// begin writes the head of the histogram log of a run that began so long ago.
func (a *Artifacts) begin(ago time.Duration) (err error) {
	if a.log == nil {
		a.log, err = NewHistogramLog(a.hlog.file, a.benchmark, time.Now().Add(-ago))
	}
	return err
}

// Close completes the files. It returns what Interval has not returned yet.
func (a *Artifacts) Close() error {
	a.hlog.do(func() error { return a.begin(0) })
	return errors.Join(a.hlog.close(), a.csv.close())
}

// do writes to the artifact by f unless an earlier write has failed.
func (f *artifact) do(write func() error) {
	if f.err != nil {
		return
	}
	f.err = write()
	var named *os.PathError
	if f.err != nil && !errors.As(f.err, &named) {
		f.err = fmt.Errorf("write %s: %w", f.file.Name(), f.err)
	}
}

// tell returns the artifact's error once.
func (f *artifact) tell() error {
	if f.told {
		return nil
	}
	f.told = f.err != nil
	return f.err
}

func (f *artifact) close() error {
	err := f.file.Close()
	f.do(func() error { return err })
	return f.tell()
}

// discard removes a file that was created a moment ago.
func (f *artifact) discard() error {
	return errors.Join(f.file.Close(), os.Remove(f.file.Name()))
}

// fileName returns a benchmark's name as a file's, without extension.
func fileName(benchmark string) string {
	safe := func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-_=.,+@%#", r):
			return r
		}
		return '-'
	}
	name := strings.Map(safe, strings.ReplaceAll(benchmark, "/", "__"))
	return strings.TrimLeft(name, ".-")
}
