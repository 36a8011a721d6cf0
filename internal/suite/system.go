package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/target"
)

// How long servers of ours may take until they do a real operation: a first build
// of Consul takes six minutes on two processors, and three Cassandra nodes start
// one after the other in half a minute. Servers that are there already have
// BENCH_TIMEOUT.
const (
	installLimit = 30 * time.Minute
	startLimit   = 5 * time.Minute
)

// A System is one system under test: where its servers come from and, once a
// benchmark has asked for them, the servers.
type System struct {
	Name cluster.System

	suite   *Suite
	adapter adapter
	source  cluster.Source // nil if there are no servers to be had
	skip    error          // why source is nil
	version string

	cluster *cluster.Cluster // nil unless the servers run
	err     error            // why they could not be started

	steady    map[string]bool  // kinds of load that the servers are warm for
	preloaded map[string]int64 // rows of tables
}

// find decides where the system's servers come from. With endpoints, they must
// answer: a cluster that was named is never skipped.
func (sys *System) find(ctx context.Context) error {
	s := sys.suite.settings
	own := s.System(string(sys.Name))
	spec := cluster.Spec{
		System: sys.Name, Endpoints: own.Endpoints, Version: own.Version,
		Nodes: s.Bench.Nodes, DataDir: s.Bench.DataDir,
		Ready:    func(ctx context.Context, c *cluster.Cluster) error { return sys.adapter.ready(ctx, c.Endpoints()) },
		Announce: sys.suite.progress.Announce,
	}
	if s.Bench.Servers != "auto" {
		spec.Force = s.Bench.Servers
	}
	var err error
	sys.source, err = sys.suite.sources(ctx, spec)
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
	if sys.version == "" {
		sys.version = "unknown" // YCQL's servers don't say
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
	if sys.source.Kind() == "endpoints" { // how many nodes there are only they know
		lines[2].Key = name + "-endpoints"
	}
	for _, kv := range sys.source.Settings() {
		lines = append(lines, target.Setting{Key: name + "-" + kv[0], Value: kv[1]})
	}
	return append(lines, sys.adapter.settings()...)
}

// running returns the system's servers, which it starts if nobody has yet.
func (sys *System) running(ctx context.Context) (*cluster.Cluster, error) {
	if sys.cluster == nil && sys.err == nil {
		sys.cluster, sys.err = sys.launch(ctx)
		sys.steady, sys.preloaded = map[string]bool{}, map[string]int64{}
	}
	if sys.err != nil {
		return nil, sys.err
	}
	return sys.cluster, sys.cluster.Err()
}

func (sys *System) launch(ctx context.Context) (*cluster.Cluster, error) {
	limit := installLimit + startLimit
	if sys.source.Kind() == "endpoints" {
		limit = sys.suite.settings.Bench.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not ready within %v", limit))
	defer cancel()
	if err := sys.enoughNodes(); err != nil {
		return nil, err
	}
	sys.suite.progress.Announce(fmt.Sprintf("%s %s: starting", sys.Name, sys.version))
	return sys.source.Start(ctx)
}

// enoughNodes reports whether as many nodes are to be started as the CQL settings
// need: servers that can't do an operation would be taken for starting ones.
func (sys *System) enoughNodes() error {
	cql, nodes := sys.suite.settings.CQL, sys.source.Nodes()
	if !sys.CQL() || sys.source.Kind() == "endpoints" {
		return nil
	}
	if cql.Replication > nodes {
		return fmt.Errorf("CQL_REPLICATION=%d: more copies of a row than nodes, BENCH_NODES=%d", cql.Replication, nodes)
	}
	copies := cql.Replication
	if copies == 0 {
		copies = min(3, nodes)
	}
	if need := map[string]int{"TWO": 2, "THREE": 3}[cql.Consistency]; need > copies {
		return fmt.Errorf("CQL_CONSISTENCY=%s: more copies of a row than the %d there are (CQL_REPLICATION, BENCH_NODES)", cql.Consistency, copies)
	}
	return nil
}

// stop ends the system's servers if they are ours.
func (sys *System) stop() error {
	if sys.cluster == nil || !sys.cluster.Owned() {
		return nil
	}
	stopped := sys.cluster
	sys.cluster = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return stopped.Close(ctx)
}

// open opens the store that a job works on.
func (sys *System) open(ctx context.Context, c *cluster.Cluster, job *Job) (target.Store, error) {
	return sys.adapter.open(ctx, place{
		endpoints: c.Endpoints(), nodes: len(c.Servers), owned: c.Owned(),
		table: job.Table, columns: job.Rows.Columns, clients: job.clients(), bytes: job.bytes(),
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
