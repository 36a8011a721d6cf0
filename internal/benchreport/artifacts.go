package benchreport

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An artifact is the two files that a run has left. Their directories have random
// names, so that what belongs to which result line is told by what they hold.
type artifact struct {
	base   string // path without extension
	bench  string // name of the benchmark
	series *recording
	used   bool
}

// artifacts are those below some directories, read once each.
type artifacts struct {
	of       map[string][]*artifact // by directory
	unusable []string               // why some can't be read
}

// beside returns the directories in which a file's artifacts may be: what
// -outputdir makes beside it, and one with its name.
func beside(file string) []string {
	return []string{filepath.Join(filepath.Dir(file), "_artifacts"), strings.TrimSuffix(file, filepath.Ext(file))}
}

// attach gives the run the recording that is its own, if it is there: of the same
// benchmark, with as many operations and the same longest one.
func (a *artifacts) attach(u *run) error {
	for _, dir := range beside(u.file) {
		found, err := a.below(dir)
		if err != nil {
			return err
		}
		for _, f := range found {
			if f.used || f.bench != u.bench || !f.belongs(u) {
				continue
			}
			f.used = true
			if err := f.series.readHistograms(f.base + ".hlog"); err != nil {
				return err
			}
			u.recorded = f.series
			return nil
		}
	}
	return nil
}

func (f *artifact) belongs(u *run) bool {
	if f.series.operations() != float64(u.Iters) {
		return false
	}
	for _, prefix := range u.kinds() {
		k := f.series.of(prefix)
		if longest, ok := u.value(prefix + "max-ns"); ok && (k == nil || k.max() != longest) {
			return false
		}
	}
	return true
}

// below returns the artifacts below a directory.
func (a *artifacts) below(dir string) ([]*artifact, error) {
	if found, ok := a.of[dir]; ok {
		return found, nil
	}
	var found []*artifact
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".hlog" {
			return err
		}
		f := &artifact{base: strings.TrimSuffix(path, ".hlog")}
		if f.bench, err = logged(path); err == nil {
			f.series, err = readSeries(f.base + ".csv")
		}
		if err != nil { // of a run that was killed, perhaps: no reason to show nothing
			a.unusable = append(a.unusable, err.Error())
			return nil
		}
		found = append(found, f)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	a.of[dir] = found
	return found, nil
}

// logged returns the benchmark that a histogram log is of.
func logged(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n') // what is missing is missed below
	_, rest, ok := strings.Cut(line, "Logged by kvbench: ")
	bench, _, ok2 := strings.Cut(rest, ",")
	if !ok || !ok2 {
		return "", fmt.Errorf("%s: it is not a log of this suite", path)
	}
	return bench, nil
}
