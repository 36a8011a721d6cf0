package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"slices"

	"kvbench/internal/cluster"
)

// newFlags returns the flags of a command, and a help that says what else it takes.
func newFlags(command, arguments string) *flag.FlagSet {
	f := flag.NewFlagSet(command, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "usage: go tool servers %s %s\n", command, arguments)
		f.PrintDefaults()
	}
	return f
}

// parse parses a command's flags, which may come before, between and behind other
// arguments, and returns the others.
func (t *tool) parse(f *flag.FlagSet, args []string) (rest []string, err error) {
	var said bytes.Buffer
	f.SetOutput(&said)
	for {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, writeErr := t.stdout.Write(said.Bytes())
			return nil, errors.Join(writeErr, err)
		} else if err != nil {
			return nil, misused("%s: %w", f.Name(), err)
		}
		if f.NArg() == 0 {
			return rest, nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

// none is parse for a command without other arguments.
func (t *tool) none(f *flag.FlagSet, args []string) error {
	rest, err := t.parse(f, args)
	if err == nil && len(rest) > 0 {
		err = misused("%s: %q: no arguments are wanted", f.Name(), rest[0])
	}
	return err
}

// named returns the clusters with the given names, all if there are no names.
func named(names []string) (found []*cluster.Kept, err error) {
	all, err := cluster.FindKept()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var there []string
	for _, k := range all {
		there = append(there, k.Name)
	}
	for i, name := range names {
		at := slices.Index(there, name)
		switch {
		case at < 0 && len(there) == 0:
			return nil, fmt.Errorf("%q: no such servers; there are none", name)
		case at < 0:
			return nil, fmt.Errorf("%q: no such servers; there are %q", name, there)
		case !slices.Contains(names[:i], name):
			found = append(found, all[at])
		}
	}
	return found, nil
}
