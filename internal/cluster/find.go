package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// Find decides where the servers of spec come from, and starts nothing: named
// endpoints come first, then containers, then processes of our own. An invalid
// spec is an error that names the setting; if spec is valid but no source can
// serve it here, the error wraps [ErrNone].
//
// What was named is had or is an error: an image, a version, endpoints, and a Docker
// engine if only containers will do. What the suite would choose may be missing.
func Find(ctx context.Context, spec Spec) (Source, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	switch {
	case len(spec.Endpoints) > 0:
		return &endpoints{spec}, nil
	case spec.Force == "process" || spec.Customize != nil:
		return source(findProcess(spec))
	}
	boxed, err := findContainers(ctx, spec)
	switch {
	case err == nil:
		return boxed, nil
	case !errors.Is(err, errNoEngine) && !errors.Is(err, errNoImage):
		return nil, fmt.Errorf("%s: %w", spec.System, err)
	case spec.Image != "":
		return nil, fmt.Errorf("%s %q: %w: %s", spec.System.variable("IMAGE"), spec.Image, err, spec.System.cure(err))
	case spec.Force == "":
		return findProcessAfter(spec, err)
	case errors.Is(err, errNoEngine):
		return nil, fmt.Errorf("BENCH_SERVERS %q: %s: %w: %s", spec.Force, spec.System, err, spec.System.cure(err))
	case spec.Version != "":
		return nil, fmt.Errorf("%s %q: %w: %s", spec.System.variable("VERSION"), spec.Version, err, spec.System.cure(err))
	}
	return nil, spec.System.none(fmt.Sprintf("%v: %s, or %s", err, spec.System.cure(err), spec.System.aim()))
}

// source returns what was found as a Source, which is nil if nothing was.
func source(p *process, err error) (Source, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// findProcessAfter returns the process source in place of containers that can't
// be had, for the given reason.
func findProcessAfter(spec Spec, reason error) (Source, error) {
	p, err := findProcess(spec)
	if err != nil {
		return nil, fmt.Errorf("%w; in containers: %w: %s", err, reason, spec.System.cure(reason))
	}
	p.notice = fmt.Sprintf("%v: processes are used", reason)
	return p, nil
}

// cure says what helps against the lack of containers.
func (s System) cure(err error) string {
	if errors.Is(err, errNoEngine) {
		return "start a Docker engine, or set DOCKER_HOST to one"
	}
	return fmt.Sprintf("pull it (docker pull), or set %s to one that can be had", s.variable("IMAGE"))
}

// variable returns the name of one of the system's environment variables.
func (s System) variable(name string) string {
	return strings.ToUpper(string(s)) + "_" + name
}

// none returns an error that wraps ErrNone and says what would help.
func (s System) none(help string) error {
	return fmt.Errorf("%s: %w: %s", s, ErrNone, help)
}

// aim is the way out that every system has.
func (s System) aim() string {
	return fmt.Sprintf("set %s to a running cluster's host:port list", s.variable("ENDPOINTS"))
}

// versionForm is strict, since a version becomes part of file names and of
// arguments to tools.
var versionForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+){1,3}(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$`)

// leastCPUs are the fewest processors that a container can be limited to: an engine
// takes a much smaller number for no limit, and the results would claim one.
const leastCPUs = 0.01

func (s Spec) validate() error {
	if s.Ready == nil {
		return errors.New("cluster: Spec.Ready is nil")
	}
	if s.Nodes != 0 && s.Nodes != 1 && s.Nodes != 3 {
		return fmt.Errorf("BENCH_NODES \"%d\": want 1 or 3", s.Nodes)
	}
	if s.Force != "" && s.Force != "process" && s.Force != "container" {
		return fmt.Errorf("BENCH_SERVERS %q: no such source of servers", s.Force)
	}
	if err := s.validateVersion(); err != nil {
		return err
	}
	if s.CPUs < 0 || s.Memory < 0 {
		return fmt.Errorf("BENCH_CPUS \"%v\", BENCH_MEMORY \"%d\": less than nothing", s.CPUs, s.Memory)
	}
	if s.CPUs > 0 && s.CPUs < leastCPUs {
		return fmt.Errorf("BENCH_CPUS \"%v\": want 0 for all, or at least %v", s.CPUs, leastCPUs)
	}
	if err := validateEndpoints(s.System.variable("ENDPOINTS"), s.Endpoints); err != nil {
		return err
	}
	return validateDataDir(s.DataDir)
}

func (s Spec) validateVersion() error {
	if s.Version != "" && !versionForm.MatchString(s.Version) {
		return fmt.Errorf("%s %q: not a version such as 3.7.3", s.System.variable("VERSION"), s.Version)
	}
	return nil
}

func validateEndpoints(variable string, endpoints []string) error {
	seen := make(map[string]bool)
	for _, ep := range endpoints {
		host, port, err := net.SplitHostPort(ep)
		n, numErr := strconv.Atoi(port)
		if err != nil || host == "" || numErr != nil || n < 1 || n > 65535 {
			return fmt.Errorf("%s %q: not host:port", variable, ep)
		}
		if seen[ep] {
			return fmt.Errorf("%s %q: named twice", variable, ep)
		}
		seen[ep] = true
	}
	return nil
}

func validateDataDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("BENCH_DATA_DIR %q: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("BENCH_DATA_DIR %q: %w", dir, syscall.ENOTDIR)
	}
	const writable, search = 2, 1 // W_OK and X_OK of access(2)
	if err := syscall.Access(dir, writable|search); err != nil {
		return fmt.Errorf("BENCH_DATA_DIR %q: not writable: %w", dir, err)
	}
	return nil
}

// dataParent returns the absolute path of the directory below which data
// directories are made.
func (s Spec) dataParent() (string, error) {
	if s.DataDir == "" {
		return os.TempDir(), nil
	}
	return filepath.Abs(s.DataDir)
}
