package cluster

import (
	"context"
	"fmt"
)

// Install makes sure that the cache has the servers of system in the version that
// the process source would run, and returns the directory that holds them. The
// version "" is the suite's default; the one that was taken is returned. Nothing
// may be changed in the directory. If the installation takes long, announce, which
// may be nil, tells a person so by a line without a newline.
func Install(ctx context.Context, system System, version string, announce func(line string)) (dir, taken string, err error) {
	spec := Spec{System: system, Version: version, Announce: announce}
	if err := spec.validateVersion(); err != nil {
		return "", "", err
	}
	p, err := findProcess(spec)
	if err != nil {
		return "", "", err
	}
	if err := p.install(ctx); err != nil {
		return "", "", fmt.Errorf("%s %s: install: %w", system, p.Version(), err)
	}
	return p.entry, p.Version(), nil
}
