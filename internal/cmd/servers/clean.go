package main

import (
	"cmp"
	"errors"
	"fmt"

	"kvbench/internal/cluster"
)

// clean removes what is left of clusters that are gone, and the cache if it is told to.
func (t *tool) clean(args []string) error {
	f := newFlags("clean", "[-cache]")
	cache := f.Bool("cache", false, "remove the cache of built servers as well, but for what is in use")
	if err := t.none(f, args); err != nil {
		return err
	}
	all, err := cluster.FindKept()
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range all {
		health, sick := k.Health()
		if sick == nil && health.Phase != cluster.Gone {
			continue
		}
		if err := k.RemoveRest(t.ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", k.Name, cmp.Or(sick, err)))
			continue
		}
		t.say("%s: removed what was left of it", k.Name)
	}
	if *cache {
		errs = append(errs, t.cleanCache())
	}
	return errors.Join(errs...)
}

func (t *tool) cleanCache() error {
	all, err := cluster.CleanCache()
	var freed int64
	for _, c := range all {
		if c.InUse {
			t.say("%s: kept, since it is in use", c.Dir)
			continue
		}
		freed += c.Bytes
		t.say("%s: removed, %s", c.Dir, megabytes(c.Bytes))
	}
	t.say("removed %s of built servers", megabytes(freed))
	return err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
