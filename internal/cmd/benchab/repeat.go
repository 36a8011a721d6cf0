package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// repeat runs one repetition and keeps its output: under the repetition's name if
// it has results and none failed, else beside it, for a person to look at.
func (c *comparison) repeat(ctx context.Context, r repetition) error {
	pattern, err := c.plan.pattern()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	var errs []error
	for _, pkg := range packages[c.plan.System] {
		out, err := c.runPackage(ctx, r.side, pkg, pattern)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", pkg, err))
		}
		if result.Match(out) || err != nil { // a package without such benchmarks has nothing to say
			text.Write(out)
		}
	}
	if !result.Match(text.Bytes()) {
		errs = append(errs, fmt.Errorf("no benchmark of %s gave a result for -bench %q", c.plan.System, c.plan.Bench))
	}
	failed := strings.TrimSuffix(c.file(r), ".txt") + ".failed"
	if err := errors.Join(errs...); err != nil {
		return errors.Join(fmt.Errorf("%w (output: %s)", err, failed), writeFile(failed, text.Bytes()))
	}
	if err := os.Remove(failed); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an earlier attempt
		return err
	}
	return writeFile(c.file(r), text.Bytes())
}

var result = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s.*\S`)

// runPackage runs a package's benchmarks once and returns what they print. They
// are interrupted when ctx ends, and stop their servers then.
func (c *comparison) runPackage(ctx context.Context, side, pkg, pattern string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.bins[side+pkg],
		"-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+c.plan.Benchtime, "-test.count=1")
	cmd.Dir = filepath.Join(c.trees[side], pkg)
	cmd.Env = c.env(side)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	// In a group of its own, so that ctrl-C reaches it once, from here: a second
	// interrupt ends a benchmark without removing what it wrote.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	return out.Bytes(), err
}
