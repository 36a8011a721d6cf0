package suite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"kvbench/internal/access"
	"kvbench/internal/cluster"
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

// A reach is how a client gets into a cluster. The zero value is for servers of
// ours: nobody asks who it is.
type reach struct {
	tls   *access.TLS
	login access.Login
	token access.Secret // Consul's
}

// look makes sure that the named cluster may be loaded, and finds out which of its
// endpoints answer and what the servers' version is. Each step has BENCH_TIMEOUT:
// an endpoint that is silent takes all of it, and leaves none to the others.
func (sys *System) look(ctx context.Context) error {
	bench := sys.suite.settings.Bench
	steps := []func(context.Context) error{sys.resolve, sys.call}
	if !bench.Shared {
		steps = append(steps, sys.alone)
	}
	for _, step := range steps {
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

// alone returns an error if somebody else uses the cluster, or may do so.
func (sys *System) alone(ctx context.Context) error {
	realm, err := sys.adapter.realm(ctx, place{endpoints: sys.endpoints})
	if err != nil {
		return err
	}
	defer realm.Close()
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

// inRealm calls do with the realm of a named cluster.
func (sys *System) inRealm(ctx context.Context, do func(context.Context, target.Realm) error) error {
	ctx, cancel := tableLimit(ctx, clearAtLeast)
	defer cancel()
	realm, err := sys.adapter.realm(ctx, place{endpoints: sys.endpoints})
	if err != nil {
		return err
	}
	defer realm.Close()
	return do(ctx, realm)
}

// leave removes everything that the suite wrote to a named cluster that was used,
// unless it is to be kept.
func (sys *System) leave() error {
	if !sys.named() || sys.cluster == nil || sys.suite.settings.Bench.Keep {
		return nil
	}
	err := sys.inRealm(context.Background(), func(ctx context.Context, r target.Realm) error { return r.Drop(ctx) })
	if err != nil {
		return fmt.Errorf("%s: what the suite wrote, below %q, could not be removed: %w", sys.Name, sys.suite.settings.Bench.Namespace, err)
	}
	return nil
}

// notices say what may surprise about where the system's servers come from.
func (sys *System) notices() []string {
	var notices []string
	for _, b := range sys.suite.settings.Borrowed {
		if strings.HasPrefix(b, sys.variable("")) {
			notices = append(notices, "setting "+b)
		}
	}
	switch {
	case sys.skip != nil:
		return append(notices, sys.skip.Error())
	case sys.source.Notice() != "":
		notices = append(notices, fmt.Sprintf("%s: %s", sys.Name, sys.source.Notice()))
	}
	if sys.down > 0 {
		notices = append(notices, fmt.Sprintf("warning: %s: %d of %d endpoints don't answer (BENCH_MAX_DOWN=%d)",
			sys.Name, sys.down, sys.down+len(sys.endpoints), sys.suite.settings.Bench.MaxDown))
	}
	if sys.own().Insecure && sys.reach.tls != nil {
		notices = append(notices, fmt.Sprintf("warning: %s=true: nobody knows which servers these are, and who listens", sys.variable("TLS_INSECURE")))
	}
	return notices
}

// reachOf returns how the settings say that a named cluster is reached.
func (sys *System) reachOf(s *setting.Settings) (r reach, err error) {
	if !sys.named() {
		return reach{}, nil
	}
	if r.tls, r.login, err = s.Access(string(sys.Name)); err != nil {
		return r, err
	}
	if sys.Name == cluster.Consul {
		r.token, err = s.Token()
	}
	return r, err
}
