package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A comparison is a plan being carried out.
type comparison struct {
	plan           plan
	dir            string
	stdout, stderr io.Writer

	root  string            // of the suite's module
	trees map[string]string // the module's root, by side
	bins  map[string]string // test binaries, by side and package
}

// perform runs all repetitions that aren't done, and puts all together.
func (c *comparison) perform(ctx context.Context) (err error) {
	if c.root, err = moduleRoot(ctx); err != nil {
		return err
	}
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return err
	}
	if err := c.plan.settle(c.dir); err != nil {
		return err
	}
	var order []string
	var todo []repetition
	for _, r := range c.plan.order() {
		order = append(order, r.String())
		if _, err := os.Stat(c.file(r)); err != nil {
			todo = append(todo, r)
		}
	}
	c.say("seed %d: %s", c.plan.Seed, strings.Join(order, " "))
	if len(todo) > 0 && len(todo) < len(order) {
		c.say("%d of %d repetitions are done already", len(order)-len(todo), len(order))
	}
	if err := c.runAll(ctx, todo); err != nil {
		return err
	}
	return c.assemble()
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
