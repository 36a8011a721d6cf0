package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kvbench/internal/cluster"
)

// stopLimit is how long servers may take to stop.
const stopLimit = 2 * time.Minute

// down stops clusters.
func (t *tool) down(args []string) error {
	f := flag.NewFlagSet("down", flag.ContinueOnError)
	all := f.Bool("all", false, "all that are there")
	names, err := t.parse(f, args)
	if err != nil {
		return err
	}
	if *all == (len(names) > 0) {
		return fmt.Errorf("down: want names, or -all: %w", errUsage)
	}
	kept, err := t.named(names)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.ctx, stopLimit)
	defer cancel()
	var errs []error
	for _, k := range kept {
		if err := k.Down(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", k.Name, err))
			continue
		}
		t.say("%s: down", k.Name)
	}
	return errors.Join(errs...)
}

// named returns the clusters with the given names, all if there are no names.
func (t *tool) named(names []string) (found []*cluster.Kept, err error) {
	all, err := cluster.FindKept()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var there []string
	for _, k := range all {
		there = append(there, k.Name)
	}
	for _, name := range names {
		i := slices.Index(there, name)
		if i < 0 {
			return nil, fmt.Errorf("%q: no such servers; there are %q", name, there)
		}
		found = append(found, all[i])
	}
	return found, nil
}

// ls lists all clusters.
func (t *tool) ls(args []string) error {
	if _, err := t.parse(flag.NewFlagSet("ls", flag.ContinueOnError), args); err != nil {
		return err
	}
	all, err := cluster.FindKept()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSYSTEM\tVERSION\tSOURCE\tSINCE\tENDPOINTS\tSTATUS")
	for _, k := range all {
		state, err := k.Status()
		if err != nil {
			state = err.Error()
		}
		since := ""
		if !k.Since.IsZero() {
			since = k.Since.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.Name, k.System, k.Version, k.Kind, since, strings.Join(k.Endpoints(), ","), state)
	}
	return w.Flush()
}

// logs prints the ends of a cluster's logs.
func (t *tool) logs(args []string) error {
	f := flag.NewFlagSet("logs", flag.ContinueOnError)
	lines := f.Int("n", 20, "`lines` of each log")
	follow := f.Bool("f", false, "go on until interrupted")
	names, err := t.parse(f, args)
	if err != nil {
		return err
	}
	if len(names) == 0 || *lines < 1 {
		return fmt.Errorf("logs: want a name, and at least one line: %w", errUsage)
	}
	kept, err := t.named(names)
	if err != nil {
		return err
	}
	for _, k := range kept {
		fmt.Fprint(t.stdout, k.Logs(*lines))
	}
	if *follow {
		return t.follow(kept)
	}
	return nil
}

// follow prints what is added to logs, until it is interrupted.
func (t *tool) follow(kept []*cluster.Kept) error {
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, k := range kept {
		for _, s := range k.Servers {
			f, err := os.Open(s.LogFile)
			if err != nil {
				return err
			}
			files = append(files, f)
			if _, err := f.Seek(0, io.SeekEnd); err != nil {
				return err
			}
		}
	}
	for {
		for _, f := range files {
			if _, err := io.Copy(t.stdout, f); err != nil {
				return err
			}
		}
		select {
		case <-t.ctx.Done():
			return nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// clean removes what is left of clusters that are gone.
func (t *tool) clean(args []string) error {
	if _, err := t.parse(flag.NewFlagSet("clean", flag.ContinueOnError), args); err != nil {
		return err
	}
	all, err := cluster.FindKept()
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range all {
		state, err := k.Status()
		if err == nil && state == "gone" {
			err = k.Down(t.ctx)
			t.say("%s: removed", k.Name)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
