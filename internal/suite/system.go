package suite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/target"
)

// startLimit bounds how long servers may take until they do a real operation,
// beside the time of a first build: three Cassandra nodes start one after the
// other in half a minute on two processors.
const startLimit = 5 * time.Minute

// A System is one system under test: where its servers come from and, once a
// benchmark has asked for them, the servers.
type System struct {
	Name cluster.System

	suite   *Suite
	adapter adapter
	source  cluster.Source // nil if there are no servers to be had
	skip    error          // why source is nil
	version string

	start   sync.Once
	cluster *cluster.Cluster
	err     error

	steady    map[string]bool // kinds of load that the servers are warm for
	preloaded map[string]int64
}

// find decides where the system's servers come from. With endpoints, they must
// answer: a cluster that was named is never skipped.
func (sys *System) find(ctx context.Context) error {
	s := sys.suite.settings
	own := s.System(string(sys.Name))
	spec := cluster.Spec{
		System: sys.Name, Endpoints: own.Endpoints, Version: own.Version,
		Nodes: s.Bench.Nodes, DataDir: s.Bench.DataDir,
		Ready: sys.adapter.ready, Announce: sys.suite.progress.Announce,
	}
	if s.Bench.Servers != "auto" {
		spec.Force = s.Bench.Servers
	}
	var err error
	sys.source, err = sys.suite.sources(spec)
	switch {
	case errors.Is(err, cluster.ErrNone):
		sys.skip = err
		return nil
	case err != nil:
		return err
	}
	sys.version = sys.source.Version()
	if len(own.Endpoints) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.Bench.Timeout, fmt.Errorf("no answer within BENCH_TIMEOUT=%v", s.Bench.Timeout))
	defer cancel()
	if sys.version, err = sys.adapter.version(ctx, own.Endpoints); err != nil {
		return fmt.Errorf("%s_ENDPOINTS=%q: %w", setting.Prefix(string(sys.Name)), own.Endpoints, err)
	}
	return nil
}

// lines returns the system's configuration lines.
func (sys *System) lines() []target.Setting {
	name := string(sys.Name)
	if sys.source == nil {
		return []target.Setting{{Key: name + "-source", Value: "none"}}
	}
	lines := []target.Setting{
		{Key: name + "-source", Value: sys.source.Kind()},
		{Key: name + "-version", Value: sys.version},
		{Key: name + "-nodes", Value: fmt.Sprint(sys.source.Nodes())},
	}
	for _, kv := range sys.source.Settings() {
		lines = append(lines, target.Setting{Key: name + "-" + kv[0], Value: kv[1]})
	}
	return append(lines, sys.adapter.settings()...)
}

// running returns the system's servers, which it starts if nobody has yet.
func (sys *System) running(ctx context.Context) (*cluster.Cluster, error) {
	sys.start.Do(func() {
		ctx, cancel := context.WithTimeoutCause(ctx, startLimit+buildLimit, errors.New("servers did not get ready"))
		defer cancel()
		sys.suite.progress.Announce(fmt.Sprintf("%s: starting %d server(s) of version %s", sys.Name, sys.source.Nodes(), sys.version))
		sys.cluster, sys.err = sys.source.Start(ctx)
	})
	if sys.err == nil {
		if err := sys.cluster.Err(); err != nil {
			return nil, err
		}
	}
	return sys.cluster, sys.err
}

// buildLimit bounds a first build: Consul's takes six minutes on two processors.
const buildLimit = 30 * time.Minute

// stop ends the system's servers if they are ours.
func (sys *System) stop() error {
	if sys.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return sys.cluster.Close(ctx)
}

// open opens the store of a table for a number of clients.
func (sys *System) open(ctx context.Context, c *cluster.Cluster, t Table, columns, clients int) (target.Store, error) {
	return sys.adapter.open(ctx, place{
		endpoints: c.Endpoints(), nodes: len(c.Servers), owned: c.Owned(),
		table: t, columns: columns, clients: clients,
	})
}

// CQL reports whether the system is a database that speaks CQL.
func (sys *System) CQL() bool {
	switch sys.Name {
	case cluster.Cassandra, cluster.Yugabyte, cluster.Scylla:
		return true
	}
	return false
}
