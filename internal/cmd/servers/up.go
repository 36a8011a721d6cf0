package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
)

// startLimit is how long servers may take, a first build or pull included.
const startLimit = 40 * time.Minute

// A wish is one cluster that is asked for.
type wish struct {
	name string
	spec cluster.Spec
}

// asked describes the wish, so that two can be compared.
func (w wish) asked() string {
	s := w.spec
	or := func(text, none string) string {
		if text == "" {
			return none
		}
		return text
	}
	return fmt.Sprintf("%s, %d nodes, source %s, version %s, image %s, cpus %v, memory %d, data in %s",
		s.System, s.Nodes, or(s.Force, "auto"), or(s.Version, "default"), or(s.Image, "default"), s.CPUs, s.Memory, or(s.DataDir, "default"))
}

// up starts all clusters that are asked for, or none.
func (t *tool) up(args []string) error {
	wishes, err := t.wishes(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(t.ctx, startLimit, fmt.Errorf("not ready within %v", startLimit))
	defer cancel()
	var started []*starting
	var exports []string
	for _, w := range wishes {
		kept, err := t.there(ctx, w)
		if err == nil && kept == nil {
			var s *starting
			if s, err = t.start(ctx, w); err == nil {
				started = append(started, s)
				exports = append(exports, exportsOf(s.wish.spec.System, s.cluster.Endpoints(), s.cluster.Translate)...)
			}
		}
		if err != nil {
			return errors.Join(err, giveUp(started))
		}
		if kept != nil {
			exports = append(exports, exportsOf(kept.System, kept.Endpoints(), kept.Translate)...)
		}
	}
	if err := leave(started); err != nil {
		return err
	}
	for _, line := range exports {
		fmt.Fprintln(t.stdout, line)
	}
	return nil
}

// wishes returns what the arguments, and where they say nothing the settings in the
// environment, ask for.
func (t *tool) wishes(args []string) ([]wish, error) {
	s, err := setting.Load(os.Environ())
	if err != nil {
		return nil, err
	}
	f := flag.NewFlagSet("up", flag.ContinueOnError)
	nodes := f.Int("nodes", s.Bench.Nodes, "`servers` of each system: 1 or 3")
	source := f.String("source", s.Bench.Servers, "auto, container or process")
	version := f.String("version", "", "server `version`; of one system")
	image := f.String("image", "", "container `image`; of one system")
	name := f.String("name", "", "`name` of the cluster; of one system (default the system's)")
	cpus := f.Float64("cpus", s.Bench.CPUs, "`processors` that each container may use; 0 is all")
	memory := f.String("memory", s.Bench.Memory, "memory that each container may use, such as `2GiB`")
	data := f.String("data-dir", s.Bench.DataDir, "`directory` for the servers' data")
	names, err := t.parse(f, args)
	if err != nil {
		return nil, err
	}
	bytes, err := setting.Bytes(*memory)
	if err != nil {
		return nil, fmt.Errorf("-memory %w: %w", err, errUsage)
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("up: which system? %w", errUsage)
	case len(names) > 1 && *version+*image+*name != "":
		return nil, fmt.Errorf("up: -version, -image and -name are of one system, not of %d: %w", len(names), errUsage)
	case !slices.Contains([]string{"auto", "container", "process"}, *source):
		return nil, fmt.Errorf("-source %q: want auto, container or process: %w", *source, errUsage)
	}
	var wishes []wish
	for _, system := range names {
		if !slices.Contains(systems, cluster.System(system)) {
			return nil, fmt.Errorf("%q: no such system, want one of %q: %w", system, systems, errUsage)
		}
		own := s.System(system)
		w := wish{name: or(*name, system), spec: cluster.Spec{
			System: cluster.System(system), Version: or(*version, own.Version), Image: or(*image, own.Image), Nodes: max(*nodes, 1),
			CPUs: *cpus, Memory: bytes, DataDir: *data, Announce: func(line string) { t.say("%s", line) },
		}}
		if *source != "auto" {
			w.spec.Force = *source
		}
		if w.spec.Ready, err = readiness(w.spec.System, s); err != nil {
			return nil, err
		}
		wishes = append(wishes, w)
	}
	return wishes, nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// there returns the cluster of the wish's name, if it is up and what was asked for.
// What is left of one that is gone is removed.
func (t *tool) there(ctx context.Context, w wish) (*cluster.Kept, error) {
	all, err := cluster.FindKept()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(k *cluster.Kept) bool { return k.Name == w.name })
	if i < 0 {
		return nil, nil
	}
	kept := all[i]
	state, err := kept.Status()
	switch {
	case err != nil:
		return nil, err
	case state == "gone":
		t.say("%s: removing what is left of servers that are gone", w.name)
		return nil, kept.Down(ctx)
	case state != "up":
		return nil, fmt.Errorf("%s: %s: go tool servers down %[1]s", w.name, state)
	case kept.Asked != w.asked():
		return nil, fmt.Errorf("%s is up with %s; asked for is %s: take it down (go tool servers down %[1]s), or choose another -name", w.name, kept.Asked, w.asked())
	}
	t.say("%s: up since %s", w.name, kept.Since.Format(time.DateTime))
	return kept, nil
}

// A starting is a cluster that runs and doesn't stay yet.
type starting struct {
	wish    wish
	slot    *cluster.Slot
	source  cluster.Source
	cluster *cluster.Cluster
	kept    *cluster.Kept
}

func (t *tool) start(ctx context.Context, w wish) (s *starting, err error) {
	s = &starting{wish: w}
	if s.slot, err = cluster.Take(w.name); err != nil {
		return nil, err
	}
	if s.source, err = cluster.Find(ctx, w.spec); err == nil {
		if notice := s.source.Notice(); notice != "" {
			t.say("%s: %s", w.spec.System, notice)
		}
		t.say("%s: starting %d × %s %s (%s)", w.name, s.source.Nodes(), w.spec.System, s.source.Version(), s.source.Kind())
		s.cluster, err = s.source.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.slot.Release())
	}
	return s, nil
}

// giveUp stops what was started.
func giveUp(started []*starting) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	for _, s := range started {
		if s.kept != nil {
			errs = append(errs, s.kept.Down(ctx))
			continue
		}
		errs = append(errs, s.cluster.Close(ctx), s.slot.Release())
	}
	return errors.Join(errs...)
}

// leave makes all clusters stay, or none.
func leave(started []*starting) (err error) {
	for _, s := range started {
		if s.kept, err = s.cluster.Leave(s.slot, s.wish.asked(), s.source); err != nil {
			return errors.Join(fmt.Errorf("%s: keep: %w", s.wish.name, err), giveUp(started))
		}
		if err := s.slot.Release(); err != nil {
			return errors.Join(err, giveUp(started))
		}
	}
	return nil
}

// exportsOf returns what a shell has to be told to run benchmarks on a cluster.
func exportsOf(system cluster.System, endpoints []string, translate map[string]string) []string {
	prefix := setting.Prefix(string(system))
	lines := []string{fmt.Sprintf("export %s_ENDPOINTS=%s", prefix, strings.Join(endpoints, ","))}
	if len(translate) > 0 {
		lines = append(lines, fmt.Sprintf("export %s_TRANSLATE=%s", prefix, setting.Translation(translate)))
	}
	return lines
}
