// Package suite runs load on systems as ordinary benchmarks: it finds and starts
// the servers, runs the engine inside a [testing.B], judges what it saw and
// reports it.
//
// A benchmark package has one [Suite], calls its Main from TestMain, and says in
// its benchmarks what is measured, as a [Job].
package suite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"kvbench/internal/cluster"
	"kvbench/internal/report"
	"kvbench/internal/setting"
	"kvbench/internal/target"
)

// A Suite is the state that the benchmarks of one package share.
type Suite struct {
	name     string // of the package
	names    []cluster.System
	systems  []*System
	settings *setting.Settings
	progress *report.Progress
	ctx      context.Context // done when the user interrupts
	failed   atomic.Int32    // benchmarks, repetitions included

	adapters func(cluster.System, *setting.Settings, reach) adapter
	sources  func(context.Context, cluster.Spec) (cluster.Source, error)
}

// New returns the suite of a benchmark package for its systems, in the order in
// which they are measured.
func New(name string, systems ...cluster.System) *Suite {
	return &Suite{name: name, names: systems, adapters: adapterOf, sources: cluster.Find}
}

// Settings returns the settings. They are read by Main.
func (s *Suite) Settings() *setting.Settings { return s.settings }

// Main is the whole of a benchmark package's TestMain. It returns the exit
// status.
//
// testing forgets failures of repetitions after the first, so they are counted
// here. An interrupt cancels the run, so that servers are stopped.
func (s *Suite) Main(m *testing.M) int {
	if cluster.IsKeeper() {
		return cluster.Keep()
	}
	flag.Parse()
	if !flagSet("test.bench") || flagSet("test.list") {
		return m.Run()
	}
	ctx, cancel := untilInterrupted()
	defer cancel()
	s.ctx = ctx
	code, err := s.run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	if err := s.leave(); err != nil {
		fmt.Fprintln(os.Stderr, "after the benchmarks:", err)
		code = max(code, 1)
	}
	// A server that had to be killed doesn't make what was measured wrong.
	if err := s.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "after the benchmarks:", err)
	}
	return code
}

func (s *Suite) run(m *testing.M) (code int, err error) {
	if err := setDefaultBenchtime(); err != nil {
		return 1, err
	}
	if s.settings, err = setting.Load(os.Environ()); err != nil {
		return 1, err
	}
	if err := s.checkLimit(); err != nil {
		return 1, err
	}
	s.progress = report.NewProgress()
	defer s.progress.Close()
	if err := s.find(); err != nil {
		return 1, err
	}
	if err := s.introduce(os.Stdout); err != nil {
		return 1, err
	}
	code = m.Run()
	switch n := s.failed.Load(); {
	case s.interrupted():
		return max(code, 1), errInterrupted
	case n > 0 && code == 0:
		return 1, fmt.Errorf("FAIL: %d repetitions of benchmarks failed", n)
	}
	return code, nil
}

// introduce writes what comes before the results: what a person should know of
// where servers come from, and the configuration.
func (s *Suite) introduce(w io.Writer) error {
	for _, notice := range s.notices() {
		if err := report.Comment(w, notice); err != nil {
			return err
		}
	}
	return report.Header(w, s.lines())
}

// find decides where all systems' servers come from.
func (s *Suite) find() error {
	for _, name := range s.names {
		s.systems = append(s.systems, &System{Name: name, suite: s})
	}
	errs := make([]error, len(s.systems))
	parallel(len(s.systems), len(s.systems), func(i int) error { // clusters that don't answer take their time
		errs[i] = s.systems[i].find(s.ctx)
		return nil
	})
	return errors.Join(errs...)
}

// lines returns the configuration lines of the whole run.
func (s *Suite) lines() []target.Setting {
	lines := []target.Setting{
		{Key: "suite-commit", Value: Commit()},
		{Key: "go", Value: runtime.Version()},
		{Key: "client-cpus", Value: fmt.Sprint(runtime.NumCPU())},
		{Key: "seed", Value: fmt.Sprint(s.settings.Bench.Seed)},
		{Key: "warmup", Value: s.settings.Bench.Warmup.String()},
		{Key: "timeout", Value: s.settings.Bench.Timeout.String()},
	}
	seen := map[string]bool{}
	for _, sys := range s.systems {
		for _, l := range sys.lines() {
			if !seen[l.Key] { // three CQL systems share a driver
				lines = append(lines, l)
			}
			seen[l.Key] = true
		}
	}
	return lines
}

// leave removes what the suite wrote to clusters that aren't its own.
func (s *Suite) leave() error {
	errs := make([]error, len(s.systems))
	for i, sys := range s.systems {
		errs[i] = sys.leave()
	}
	return errors.Join(errs...)
}

// stop ends all servers that were started.
func (s *Suite) stop() error { return s.stopBut(nil) }

// stopBut ends the servers of all systems but one.
func (s *Suite) stopBut(one *System) error {
	var errs []error
	for _, sys := range s.systems {
		if sys != one {
			errs = append(errs, sys.stop())
		}
	}
	return errors.Join(errs...)
}

// Each runs bench for each system, as sub-benchmark "system=…". A system for
// which there are no servers is skipped with the reason. Servers of the others are
// stopped: what they have still to do with what they were sent before would be
// measured, too.
func (s *Suite) Each(b *testing.B, bench func(b *testing.B, sys *System)) {
	for _, sys := range s.systems {
		b.Run("system="+string(sys.Name), func(b *testing.B) {
			if sys.source == nil {
				b.Skip(sys.skip)
			}
			if err := s.stopBut(sys); err != nil {
				b.Logf("warning: %v", err)
			}
			bench(b, sys)
		})
	}
}
