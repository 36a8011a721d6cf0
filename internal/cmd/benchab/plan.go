package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A plan is all that decides what a comparison does. Two equal plans do the same,
// so that one can go on where the other was interrupted.
type plan struct {
	System, By, Old, New string
	Bench, Benchtime     string
	Count                int
	Seed                 uint64

	Suite    string   // its commit
	Settings []string // of the environment, NAME=value, that are the same for both sides
}

// packages are the benchmark packages that know a system.
var packages = map[string][]string{
	"cassandra": {"kv", "batch"}, "yugabyte": {"kv", "batch"}, "scylla": {"kv", "batch"},
	"etcd": {"batch", "coord"}, "zookeeper": {"batch", "coord"}, "consul": {"batch", "coord"},
}

// systems returns the systems' names.
func systems() []string {
	var names []string
	for name := range packages {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (p plan) validate() error {
	switch {
	case packages[p.System] == nil:
		return fmt.Errorf("-system %q: want one of %s", p.System, strings.Join(systems(), ", "))
	case !slices.Contains([]string{"version", "image", "endpoints", "commit"}, p.By):
		return fmt.Errorf("-by %q: want version, image, endpoints or commit", p.By)
	case p.Old == "" || p.New == "":
		return fmt.Errorf("-old %q, -new %q: want both", p.Old, p.New)
	case p.Count < 1:
		return fmt.Errorf("-count %d: want at least 1", p.Count)
	}
	if _, err := regexp.Compile(p.Bench); err != nil {
		return fmt.Errorf("-bench %q: %w", p.Bench, err)
	}
	_, err := p.pattern()
	return err
}

// pattern returns the regular expressions for -bench, with the system in the place
// that it has in the names of all benchmarks.
func (p plan) pattern() (string, error) {
	parts := strings.Split(p.Bench, "/")
	system := "^system=" + p.System + "$"
	switch {
	case len(parts) == 1:
		parts = append(parts, system)
	case strings.Contains(parts[1], "system=") || parts[1] == ".*" || parts[1] == "":
		parts[1] = system
	default:
		return "", fmt.Errorf("-bench %q: the part behind the first slash is the system's", p.Bench)
	}
	return strings.Join(parts, "/"), nil
}

// A repetition is one run of one side.
type repetition struct {
	pair int // from 1
	side string
}

func (r repetition) String() string { return fmt.Sprintf("%02d-%s", r.pair, r.side) }

// names returns the names of repetitions, in a line.
func names(list []repetition) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, " %s", r)
	}
	return strings.TrimPrefix(b.String(), " ")
}

const (
	oldSide = "old"
	newSide = "new"
)

// order returns all repetitions: pairs of one of each side, the first of them drawn
// by lot, so that neither side always has what the other leaves behind.
func (p plan) order() []repetition {
	rng := rand.New(rand.NewPCG(p.Seed, 0))
	var list []repetition
	for pair := range p.Count {
		sides := []string{oldSide, newSide}
		if rng.IntN(2) == 1 {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			list = append(list, repetition{pair + 1, side})
		}
	}
	return list
}

// value returns what a side is: a version, an image, a list of endpoints, a commit.
func (p plan) value(side string) string {
	if side == oldSide {
		return p.Old
	}
	return p.New
}

// key returns the configuration key that tells the sides apart.
func (p plan) key() string {
	switch {
	case p.Old == p.New: // to see what a comparison of equals says
		return sideKey
	case p.By == "version", p.By == "image":
		return p.System + "-" + p.By
	case p.By == "commit":
		return "suite-commit"
	}
	return sideKey
}

// sideKey is the key of a line of our own, where no other tells the sides apart.
const sideKey = "side"

// name returns what results call a side.
func (p plan) name(side string) string {
	if p.Old == p.New {
		return side
	}
	return p.value(side)
}

// settle writes the plan into a new directory, or makes sure that an old one is of
// the same plan.
func (p plan) settle(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "plan.json")
	there, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writeFile(name, text)
	case err != nil:
		return err
	case string(there) != string(text):
		return fmt.Errorf("%s: another comparison is in this directory, with %s where this one has %s: remove it, or choose another -dir",
			dir, only(there, text), only(text, there))
	}
	return nil
}

// only returns the lines of a plan that another one lacks.
func only(text, other []byte) string {
	trimmed := func(text []byte) (lines []string) {
		for line := range strings.Lines(string(text)) {
			lines = append(lines, strings.Trim(line, " \t\n,"))
		}
		return lines
	}
	theirs := trimmed(other)
	lines := slices.DeleteFunc(trimmed(text), func(line string) bool { return slices.Contains(theirs, line) })
	if len(lines) == 0 {
		return "nothing"
	}
	return strings.Join(lines, ", ")
}

// writeFile writes a file whole, or not at all.
func writeFile(name string, text []byte) error {
	tmp := name + ".tmp"
	if err := os.WriteFile(tmp, text, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

var odd = regexp.MustCompile(`[^0-9A-Za-z._-]+`)

// fileName makes a file name of a text.
func fileName(text string) string {
	name := odd.ReplaceAllString(text, "_")
	return name[:min(len(name), 100)]
}
