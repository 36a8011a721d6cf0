package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A comparison is a plan being carried out.
type comparison struct {
	plan           plan
	dir            string
	gateFlags      []string
	stdout, stderr io.Writer

	root  string            // of the suite's module
	trees map[string]string // the module's root, by side
	bins  map[string]string // test binaries, by side and package
}

// perform runs all repetitions that aren't done, and puts all together. It returns
// those that failed.
func (c *comparison) perform(ctx context.Context) (missing []repetition, err error) {
	if c.root, err = moduleRoot(ctx); err != nil {
		return nil, err
	}
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return nil, err
	}
	if err := c.pin(ctx); err != nil {
		return nil, err
	}
	if err := c.plan.settle(c.dir); err != nil {
		return nil, err
	}
	order := c.plan.order()
	todo := c.undone(order)
	c.say("seed %d: %s", c.plan.Seed, names(order))
	if n := len(order); len(todo) > 0 && len(todo) < n {
		c.say("%d of %d repetitions are done already", n-len(todo), n)
	}
	if err := c.runAll(ctx, todo); err != nil {
		return nil, err
	}
	return c.undone(order), c.assemble()
}

// undone returns the repetitions that have no results yet, in their order.
func (c *comparison) undone(order []repetition) (todo []repetition) {
	for _, r := range order {
		if _, err := os.Stat(c.file(r)); err != nil {
			todo = append(todo, r)
		}
	}
	return todo
}

// pin puts into the plan what could change before a comparison is taken up again:
// the commits that names of branches stand for, the suite's own, and settings.
func (c *comparison) pin(ctx context.Context) (err error) {
	p := &c.plan
	if p.Suite, err = c.git(ctx, "describe", "--always", "--dirty", "--exclude=*"); err != nil {
		p.Suite = "unknown" // a copy without its history
	}
	p.Settings = settings(os.Environ())
	if p.By != "commit" {
		return nil
	}
	for _, commit := range []*string{&p.Old, &p.New} {
		hash, err := c.git(ctx, "rev-parse", "--verify", "--short=12", *commit+"^{commit}")
		if err != nil {
			return fmt.Errorf("commit %q: %w: %s", *commit, err, hash)
		}
		*commit = hash
	}
	return nil
}

// settings returns the settings of an environment that concern all systems. Those of
// one system are its addresses, which are the plan's, and its secrets, which are nobody's.
func settings(environ []string) []string {
	list := []string{}
	for _, entry := range environ {
		group, _, _ := strings.Cut(entry, "_")
		if slices.Contains([]string{"BENCH", "KV", "BATCH", "COORD", "CQL"}, group) {
			list = append(list, entry)
		}
	}
	slices.Sort(list)
	return list
}

// runAll builds the sides and runs repetitions. One that fails is told, and the
// others go on.
func (c *comparison) runAll(ctx context.Context, todo []repetition) (err error) {
	if len(todo) == 0 {
		return nil
	}
	defer func() { err = errors.Join(err, c.removeTrees()) }()
	if err := c.build(ctx); err != nil {
		return err
	}
	for i, r := range todo {
		c.say("%d of %d: %s, %s %s %s", i+1, len(todo), r, c.plan.System, c.plan.By, c.plan.value(r.side))
		err := c.repeat(ctx, r)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; the same command goes on with repetition %s", r)
		}
		if err != nil {
			c.say("%s failed: %v", r, err)
		}
	}
	return nil
}

func (c *comparison) say(format string, args ...any) {
	fmt.Fprintf(c.stderr, "benchab: "+format+"\n", args...)
}

// file returns where a repetition's output is kept, once it has succeeded.
func (c *comparison) file(r repetition) string { return filepath.Join(c.dir, r.String()+".txt") }

// moduleRoot returns the directory of the suite's module.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || path != "kvbench" {
		return "", errors.New("run benchab within a checkout of the suite")
	}
	return dir, nil
}
