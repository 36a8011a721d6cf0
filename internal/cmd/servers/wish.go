package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/suite"
)

// A wish is a cluster that is asked for, and what there is of it.
type wish struct {
	name string
	spec cluster.Spec

	slot    *cluster.Slot
	source  cluster.Source   // nil until it is decided
	cluster *cluster.Cluster // started, and not kept yet
	kept    *cluster.Kept
	old     bool // kept was up before
}

// wishes returns what the arguments ask for, and the settings in the environment
// where they say nothing.
func (t *tool) wishes(args []string) ([]*wish, error) {
	f := newFlags("up", "[flags] system…")
	name := f.String("name", "", "`name` of the cluster, if it isn't to be the system's; of one system")
	for _, d := range demands() {
		f.String(d.flag, "", d.usage+" (default "+d.variable("…")+")")
	}
	systems, err := t.parse(f, args)
	if err != nil {
		return nil, err
	}
	if err := checkSystems(f, systems); err != nil {
		return nil, err
	}
	settings, err := t.settings(f, systems)
	if err != nil {
		return nil, err
	}
	var wishes []*wish
	for _, system := range systems {
		w := &wish{name: system, spec: t.spec(cluster.System(system), settings)}
		if *name != "" {
			w.name = *name
		}
		if err := cluster.CheckName(w.name); err != nil {
			return nil, misused("-name %w", err)
		}
		wishes = append(wishes, w)
	}
	return wishes, nil
}

// checkSystems returns an error if systems aren't systems, or several where a flag
// is for one.
func checkSystems(f *flag.FlagSet, systems []string) (err error) {
	if len(systems) == 0 {
		return misused("up: which system? There are %s", known())
	}
	for i, system := range systems {
		switch {
		case !slices.Contains(cluster.Systems(), cluster.System(system)):
			return misused("up: %q: no such system; there are %s", system, known())
		case slices.Contains(systems[:i], system):
			return misused("up: %q: it is there twice; two clusters of a system need two commands, one with -name", system)
		}
	}
	f.Visit(func(given *flag.Flag) {
		if one := given.Name == "name" || given.Name == "version" || given.Name == "image"; one && len(systems) > 1 {
			err = misused("up: -%s %q: it is for one system, not for %d", given.Name, given.Value, len(systems))
		}
	})
	return err
}

// known names all systems.
func known() string {
	var names []string
	for _, s := range cluster.Systems() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// spec says which servers are wanted.
func (t *tool) spec(system cluster.System, s *setting.Settings) cluster.Spec {
	own := s.System(string(system))
	spec := cluster.Spec{
		System: system, Version: own.Version, Image: own.Image, Nodes: s.Bench.Nodes,
		DataDir: s.Bench.DataDir, CPUs: s.Bench.CPUs, Ready: suite.Ready(system, s),
		Announce: func(line string) { t.say("%s", line) },
	}
	spec.Memory, _ = setting.Bytes(s.Bench.Memory) // Load has checked it
	if s.Bench.Servers != "auto" {
		spec.Force = s.Bench.Servers
	}
	return spec
}

// differences says how the cluster is not what the wish is. What a wish leaves to
// the suite is what the cluster is, if that was left to the suite as well.
func (w *wish) differences() string {
	var all []string
	differ := func(what string, is, wanted any) {
		if is != wanted {
			all = append(all, fmt.Sprintf("%s %v instead of %v", what, is, wanted))
		}
	}
	asked, want, k := w.kept.Asked, w.spec, w.kept
	differ("system", k.System, want.System)
	differ("nodes", len(k.Servers), want.Nodes)
	if want.Force != "" {
		differ("source", k.Kind, want.Force)
	}
	if want.Version != asked.Version {
		differ("version", k.Version, or(want.Version, "the suite's choice"))
	}
	differ("image", or(asked.Image, "the suite's choice"), or(want.Image, "the suite's choice"))
	differ("cpus", asked.CPUs, want.CPUs)
	differ("memory", asked.Memory, want.Memory)
	differ("data directory", or(asked.DataDir, "the temporary one"), or(want.DataDir, "the temporary one"))
	return strings.Join(all, ", ")
}

// or returns text, or otherwise if it is empty.
func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
