package suite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"kvbench/internal/record"
	"kvbench/internal/setting"
	"kvbench/internal/target"
)

// A named cluster is one that …_ENDPOINTS names. It isn't ours: before anything is
// written to it, it is looked at. Its servers have to answer, all of them unless
// BENCH_MAX_DOWN says otherwise, and nobody else may use it unless BENCH_SHARED
// says that they do: a load test is felt by whoever shares the servers. A cluster
// that holds only what the suite made is taken to be there for benchmarks.

// named reports whether the system's cluster is one that was named.
func (sys *System) named() bool { return len(sys.own().Endpoints) > 0 }

// own returns the system's settings.
func (sys *System) own() setting.System { return sys.suite.settings.System(string(sys.Name)) }

// look makes sure that the named cluster may be loaded, and finds out which of its
// endpoints answer and what the servers' version is. Each step has BENCH_TIMEOUT:
// an endpoint that is silent takes all of it, and leaves none to the others.
func (sys *System) look(ctx context.Context) error {
	bench := sys.suite.settings.Bench
	for _, step := range []func(context.Context) error{sys.resolve, sys.call, sys.visit} {
		ctx, cancel := context.WithTimeoutCause(ctx, bench.Timeout, fmt.Errorf("no answer within BENCH_TIMEOUT=%v", bench.Timeout))
		err := step(ctx)
		cancel()
		if err != nil {
			return sys.suite.settings.Explain(fmt.Errorf("%s=%q: %w", sys.variable("ENDPOINTS"), strings.Join(sys.own().Endpoints, ","), err))
		}
	}
	return nil
}

// variable returns the name of one of the system's settings.
func (sys *System) variable(name string) string {
	return setting.Prefix(string(sys.Name)) + "_" + name
}

// resolve makes an endpoint for each server of the names that stand for several.
func (sys *System) resolve(ctx context.Context) error {
	found, err := setting.Expand(ctx, sys.own().Endpoints, func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	})
	for _, e := range found {
		sys.endpoints = append(sys.endpoints, e.Endpoint)
		if sys.reach.tls != nil && e.Host != "" {
			sys.reach.tls.Named(e.Endpoint, e.Host)
		}
	}
	return err
}

// call asks all endpoints for their version and leaves those that answer.
func (sys *System) call(ctx context.Context) error {
	versions, errs := make([]string, len(sys.endpoints)), make([]error, len(sys.endpoints))
	parallel(len(versions), len(versions), func(i int) error {
		versions[i], errs[i] = sys.adapter.version(ctx, place{endpoints: sys.endpoints[i : i+1]})
		return nil
	})
	var live, known []string
	var down []error
	for i, err := range errs {
		switch {
		case err == nil:
			live, known = append(live, sys.endpoints[i]), append(known, versions[i])
		case !isDown(err):
			return err // the others would say the same
		default:
			down = append(down, err)
		}
	}
	if most := sys.suite.settings.Bench.MaxDown; len(live) > 0 && len(down) > most {
		return fmt.Errorf("%w (%d of %d endpoints don't answer; with BENCH_MAX_DOWN=%[2]d the others would be measured)", down[0], len(down), len(errs))
	}
	if len(live) == 0 {
		return down[0]
	}
	sys.endpoints, sys.down = live, len(down)
	sys.version = join(known)
	return nil
}

// isDown reports whether err says that a server doesn't answer, as opposed to one
// that answers with a refusal.
func isDown(err error) bool {
	if errors.Is(err, target.ErrDenied) {
		return false
	}
	class := target.ClassOf(err)
	return class == record.Timeout || class == record.Unavailable
}

// join returns the different versions of servers, or "unknown": YCQL's don't say.
func join(versions []string) string {
	slices.Sort(versions)
	text := strings.Join(slices.Compact(versions), "/")
	if text == "" {
		return "unknown"
	}
	return text
}

// visit makes sure that nobody else uses the cluster, unless that is allowed, and
// finds out about it what only the servers know.
func (sys *System) visit(ctx context.Context) error {
	realm, err := sys.openRealm(ctx)
	if err != nil {
		return err
	}
	defer realm.Close()
	if !sys.suite.settings.Bench.Shared {
		if err := alone(ctx, realm); err != nil {
			return err
		}
	}
	if r, ok := realm.(informed); ok {
		sys.found, err = r.Settings(ctx)
	}
	return err
}

// An informed realm knows configuration lines better than the settings do: how often
// rows are stored in a keyspace that is there, and where.
type informed interface {
	Settings(context.Context) ([]target.Setting, error)
}

// alone returns an error if somebody else uses the cluster, or may do so.
func alone(ctx context.Context, realm target.Realm) error {
	other, err := realm.Others(ctx)
	switch {
	case errors.Is(err, target.ErrDenied):
		return fmt.Errorf("whether others use this cluster can't be seen: %w; BENCH_SHARED=true loads it all the same", err)
	case err != nil:
		return err
	case other != "":
		return fmt.Errorf("others use this cluster, it holds %s; BENCH_SHARED=true loads it all the same", other)
	}
	return nil
}
