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
	"slices"
	"strings"

	"kvbench/internal/gate"
)

// assemble puts all repetitions that there are into one file of results, the old
// side's first: it is what benchstat and the gate compare with.
func (c *comparison) assemble() error {
	var text bytes.Buffer
	var before []string // keys of the repetition before
	order := c.plan.order()
	slices.SortStableFunc(order, func(a, b repetition) int { return strings.Compare(b.side, a.side) }) // old, new
	for _, r := range order {
		out, err := os.ReadFile(c.file(r))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it failed
		}
		if err != nil {
			return err
		}
		keys := keysOf(out)
		for _, key := range before { // a line stays until it is taken back
			if !slices.Contains(keys, key) {
				fmt.Fprintf(&text, "%s:\n", key)
			}
		}
		before = keys
		if c.plan.key() == sideKey {
			fmt.Fprintf(&text, "%s: %s\n", sideKey, c.plan.name(r.side))
		}
		fmt.Fprintf(&text, "# repetition %s\n%s", r, out)
	}
	return writeFile(c.output(), text.Bytes())
}

// output returns the file with all results.
func (c *comparison) output() string { return filepath.Join(c.dir, "results.txt") }

var configLine = regexp.MustCompile(`(?m)^([a-z][^\s:A-Z]*):[ \t]+\S`)

// keysOf returns the configuration keys of a repetition's output.
func keysOf(text []byte) []string {
	var keys []string
	for _, m := range configLine.FindAllSubmatch(text, -1) {
		if key := string(m[1]); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// shown are the units that benchstat's tables have; the gate looks at more.
const shown = ".unit:(ops/s OR p50-ns OR p99-ns OR read-p50-ns OR read-p99-ns OR write-p50-ns OR write-p99-ns)"

// gateArgs returns the arguments of benchgate: what it says is kept beside the
// results, for people and for programs.
func (c *comparison) gateArgs(flags []string) []string {
	args := []string{"-markdown", filepath.Join(c.dir, "gate.md"), "-json", filepath.Join(c.dir, "gate.json"), "-col", c.plan.key()}
	return slices.Concat(args, flags, []string{c.output()})
}

// judge prints benchstat's table and the gate's verdict, and returns the gate's
// exit status, or 2 if the table can't be had. Of equals it also says how much they
// scatter.
func (c *comparison) judge(ctx context.Context) int {
	cmd := exec.CommandContext(ctx, "go", "tool", "benchstat", "-col", c.plan.key(), "-row", ".fullname",
		"-table", "pkg", "-ignore", ".config", "-filter", shown, c.output())
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.root, c.stdout, c.stderr
	tableErr := cmd.Run()
	fmt.Fprintln(c.stdout)
	status := gate.Command(c.gateArgs(c.gateFlags), c.stdout, c.stderr)
	if c.plan.Old == c.plan.New {
		fmt.Fprintln(c.stdout)
		status = max(status, gate.Command([]string{"-noise", c.output()}, c.stdout, c.stderr))
	}
	if tableErr != nil {
		c.say("benchstat: %v", tableErr)
		return 2
	}
	return status
}
