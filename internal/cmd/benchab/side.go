package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build makes the test binaries of both sides: of two commits in checkouts of their
// own, else of this one, for both.
func (c *comparison) build(ctx context.Context) error {
	c.trees, c.bins = map[string]string{}, map[string]string{}
	for _, side := range []string{oldSide, newSide} {
		tree, err := c.tree(ctx, side)
		if err != nil {
			return err
		}
		c.trees[side] = tree
		for _, pkg := range packages[c.plan.System] {
			bin, err := c.compile(ctx, side, tree, pkg)
			if err != nil {
				return err
			}
			c.bins[side+pkg] = bin
		}
	}
	return nil
}

// tree returns the root of the module that a side is built from.
func (c *comparison) tree(ctx context.Context, side string) (string, error) {
	if c.plan.By != "commit" {
		return c.root, nil
	}
	commit := c.plan.value(side)
	tree := filepath.Join(c.dir, "tree-"+side)
	_ = os.RemoveAll(tree) // of a comparison that was killed
	c.git(ctx, "worktree", "prune")
	if out, err := c.git(ctx, "worktree", "add", "--detach", "--force", tree, commit); err != nil {
		return "", fmt.Errorf("commit %q: %w\n%s", commit, err, out)
	}
	return tree, nil
}

// removeTrees removes the checkouts that tree made.
func (c *comparison) removeTrees() error {
	var errs []error
	for _, tree := range c.trees {
		if tree == c.root {
			continue
		}
		if out, err := c.git(context.Background(), "worktree", "remove", "--force", tree); err != nil {
			errs = append(errs, fmt.Errorf("remove %s: %w\n%s", tree, err, out))
		}
	}
	return errors.Join(errs...)
}

func (c *comparison) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", c.root}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// compile builds a package's test binary. Both sides share it unless they differ in
// the suite itself.
func (c *comparison) compile(ctx context.Context, side, tree, pkg string) (string, error) {
	name := pkg + ".test"
	if c.plan.By == "commit" {
		name = side + "-" + name
	} else if bin := c.bins[oldSide+pkg]; bin != "" {
		return bin, nil
	}
	bin := filepath.Join(c.dir, "bin", name)
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", bin+".tmp", "./"+pkg)
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s of %s: %w\n%s", pkg, side, err, out)
	}
	return bin, keepFirst(bin)
}

// keepFirst gives a new binary, name.tmp, its name. If there is one already, from
// before an interruption, they must be the same: the go command builds the same
// from the same.
func keepFirst(name string) error {
	text, err := os.ReadFile(name + ".tmp")
	if err != nil {
		return err
	}
	there, err := os.ReadFile(name)
	if err == nil && !bytes.Equal(text, there) {
		return errors.Join(os.Remove(name+".tmp"), fmt.Errorf("%s: the suite, or its compiler, isn't the one that ran the first repetitions: remove the directory, or choose another -dir", name))
	}
	return os.Rename(name+".tmp", name)
}

// env returns the environment of a side's benchmarks: this one, with the side's
// servers instead of others. A cluster that is named to the systems' own tools would
// be measured for both sides. Of a variable that is there twice the last one counts.
func (c *comparison) env(side string) []string {
	prefix, value := strings.ToUpper(c.plan.System)+"_", c.plan.value(side)
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if c.plan.By == "commit" || name != prefix+"VERSION" && name != prefix+"IMAGE" && name != prefix+"ENDPOINTS" {
			env = append(env, entry)
		}
	}
	switch c.plan.By {
	case "version":
		env = append(env, prefix+"VERSION="+value, "BENCH_BORROW=false")
	case "image":
		env = append(env, prefix+"IMAGE="+value, "BENCH_SERVERS=container")
	case "endpoints":
		env = append(env, prefix+"ENDPOINTS="+value)
	}
	return env
}
