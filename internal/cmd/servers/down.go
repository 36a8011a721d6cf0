package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kvbench/internal/cluster"
)

// stopLimit is how long servers may take to stop, and be removed.
const stopLimit = 5 * time.Minute

// down stops clusters.
func (t *tool) down(args []string) error {
	f := newFlags("down", "name… or -all")
	all := f.Bool("all", false, "stop all that are there")
	names, err := t.parse(f, args)
	if err != nil {
		return err
	}
	if *all == (len(names) > 0) {
		return misused("down: want names, or -all")
	}
	kept, err := named(names)
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range kept {
		errs = append(errs, t.stop(k))
	}
	return errors.Join(errs...)
}

// stop stops a cluster, or removes what is left of it.
func (t *tool) stop(k *cluster.Kept) error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, stopLimit, fmt.Errorf("not stopped within %v", stopLimit))
	defer cancel()
	if err := k.Stop(ctx); err != nil {
		return fmt.Errorf("%s: %w", k.Name, err)
	}
	t.say("%s: down", k.Name)
	return nil
}
