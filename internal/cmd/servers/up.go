package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/suite"
)

// startLimit is how long servers may take, a first build or pull included.
const startLimit = 40 * time.Minute

// up starts all clusters that are asked for and not there, or none, and prints how
// to reach them.
func (t *tool) up(args []string) error {
	wishes, err := t.wishes(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(t.ctx, startLimit, fmt.Errorf("not ready within %v", startLimit))
	defer cancel()
	defer release(wishes)
	if err := t.hold(ctx, wishes); err != nil {
		return err
	}
	for _, w := range wishes {
		if err := t.look(ctx, w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	if err := t.startAll(ctx, wishes); err != nil {
		return errors.Join(err, t.giveUp(wishes))
	}
	for _, w := range wishes {
		if _, err := fmt.Fprint(t.stdout, exports(w.kept)); err != nil {
			return err
		}
	}
	return nil
}

// hold holds the names, in an order in which two commands can't wait for each other.
func (t *tool) hold(ctx context.Context, wishes []*wish) (err error) {
	sorted := slices.SortedFunc(slices.Values(wishes), func(a, b *wish) int { return strings.Compare(a.name, b.name) })
	for _, w := range sorted {
		waiting := func() { t.say("%s: waiting for another command that is at it", w.name) }
		if w.slot, err = cluster.Hold(ctx, w.name, waiting); err != nil {
			return err
		}
	}
	return nil
}

func release(wishes []*wish) {
	for _, w := range wishes {
		if w.slot != nil {
			w.slot.Release()
		}
	}
}

// look finds out whether the wish is there, and that nothing else has its name. What
// is left of servers that are gone is removed.
func (t *tool) look(ctx context.Context, w *wish) error {
	kept := w.slot.Kept()
	if kept == nil {
		return nil
	}
	health, err := kept.Health()
	switch {
	case err != nil:
		return err
	case health.Phase == cluster.Stopping:
		return kept.Stop(ctx)
	case health.Phase != cluster.Up: // nobody else starts it, as we hold the name
		t.say("%s: removing what is left of servers that are gone", w.name)
		return w.slot.Remove(ctx)
	case len(health.Deaths) > 0:
		return fmt.Errorf(`%v (see "go tool servers logs %s", then "go tool servers down %[2]s")`, health, w.name)
	}
	w.kept, w.old = kept, true
	if d := w.differences(); d != "" {
		return fmt.Errorf(`it is up already, with %s: stop it ("go tool servers down %s"), or give the other one a -name`, d, w.name)
	}
	t.say("%s: up since %s: %s", w.name, kept.Since.Format(time.DateTime), describe(kept))
	return nil
}

// startAll starts what isn't there, and has it stay when all of it runs.
func (t *tool) startAll(ctx context.Context, wishes []*wish) error {
	missing := slices.DeleteFunc(slices.Clone(wishes), func(w *wish) bool { return w.old })
	for _, w := range missing {
		if err := t.find(ctx, w); err != nil {
			return err
		}
	}
	for _, w := range missing {
		t.say("%s: starting %d × %s %s (%s)", w.name, w.source.Nodes(), w.spec.System, w.source.Version(), w.source.Kind())
		var err error
		if w.cluster, err = w.source.Start(ctx); err != nil {
			return err
		}
	}
	for _, w := range missing {
		err := errors.Join(context.Cause(ctx), w.cluster.Err())
		if err == nil {
			w.kept, err = w.cluster.Leave(w.slot, w.spec, w.source, suite.Commit())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		t.say("%s: up: %s", w.name, describe(w.kept))
	}
	return nil
}

// find decides where the servers come from.
func (t *tool) find(ctx context.Context, w *wish) (err error) {
	if w.source, err = cluster.Find(ctx, w.spec); err != nil {
		return err
	}
	if notice := w.source.Notice(); notice != "" {
		t.say("%s: %s", w.name, notice)
	}
	return nil
}

// giveUp stops what was started.
func (t *tool) giveUp(wishes []*wish) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), stopLimit)
	defer cancel()
	var errs []error
	for _, w := range wishes {
		switch {
		case w.old || w.cluster == nil:
		case w.kept != nil:
			errs = append(errs, w.kept.Stop(ctx))
		default:
			errs = append(errs, w.cluster.Close(ctx))
		}
	}
	return errors.Join(errs...)
}

// describe says in a few words what a cluster is.
func describe(k *cluster.Kept) string {
	return fmt.Sprintf("%d × %s %s (%s)", len(k.Servers), k.System, k.Version, k.Kind)
}
