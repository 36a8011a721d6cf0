package main

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"

	"kvbench/internal/setting"
)

// A demand is a flag of up that stands for a setting, and goes before it.
type demand struct {
	flag, setting, usage string
	own                  bool   // the setting is one of each system, and lacks its prefix here
	instead              string // flag, and setting of the system, that this one replaces
}

func demands() []demand {
	return []demand{
		{flag: "nodes", setting: "BENCH_NODES", usage: "`servers` of each system: 1 or 3"},
		{flag: "source", setting: "BENCH_SERVERS", usage: "where they come `from`: container, process or auto"},
		{flag: "version", setting: "VERSION", own: true, instead: "image", usage: "server `version`; of one system"},
		{flag: "image", setting: "IMAGE", own: true, instead: "version", usage: "container `image`; of one system"},
		{flag: "cpus", setting: "BENCH_CPUS", usage: "`processors` that each container may use; 0 is all"},
		{flag: "memory", setting: "BENCH_MEMORY", usage: "`bytes` that each container may use, such as 2GiB"},
		{flag: "data-dir", setting: "BENCH_DATA_DIR", usage: "`directory` for the data of servers in processes"},
	}
}

// variable returns the setting's name for a system of which prefix is that of its
// settings.
func (d demand) variable(prefix string) string {
	if d.own {
		return prefix + "_" + d.setting
	}
	return d.setting
}

// settings returns those of the environment, changed as flags say. Flags of one
// system are there only if there is one. What the systems' own tools are told is
// about clusters, and of no interest here.
func (t *tool) settings(f *flag.FlagSet, systems []string) (*setting.Settings, error) {
	given := map[string]string{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = g.Value.String() })
	environ := append(slices.Clone(t.environ), "BENCH_BORROW=false")
	prefix := setting.Prefix(systems[0])
	for _, d := range demands() {
		value, ok := given[d.flag]
		if !ok {
			continue
		}
		if d.flag == "data-dir" && value != "" {
			abs, err := filepath.Abs(value)
			if err != nil {
				return nil, err
			}
			value = abs
		}
		assignment := d.variable(prefix) + "=" + value
		if _, err := setting.Load([]string{assignment}); err != nil {
			return nil, misused("up: -%s: %w", d.flag, err)
		}
		if _, both := given[d.instead]; d.own && !both {
			environ = append(environ, prefix+"_"+strings.ToUpper(d.instead)+"=")
		}
		environ = append(environ, assignment)
	}
	s, err := setting.Load(environ)
	if err != nil {
		return nil, misused("up: %w", err)
	}
	return s, nil
}
