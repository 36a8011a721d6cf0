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
	reach   reach
	source  cluster.Source // nil if there are no servers to be had
	skip    error          // why source is nil
	version string

	endpoints []string         // of a named cluster, those that answer
	down      int              // its other endpoints
	turn      *turn            // on it, as soon as it is to be used
	found     []target.Setting // lines that its servers know better than the settings

	cluster *cluster.Cluster // nil unless the servers run
	err     error            // why they could not be started

	steady    map[string]bool  // kinds of load that the servers are warm for
	preloaded map[string]int64 // rows of tables
}

// find decides where the system's servers come from. A cluster that was named must
// answer: it is never skipped.
func (sys *System) find(ctx context.Context) (err error) {
	s := sys.suite.settings
	if sys.reach, err = sys.reachOf(s); err != nil {
		return err
	}
	sys.adapter = sys.suite.adapters(sys.Name, s, sys.reach)
	if sys.named() {
		if err := sys.look(ctx); err != nil {
			return err
		}
	}
	sys.source, err = sys.suite.sources(ctx, sys.spec(s))
	switch {
	case errors.Is(err, cluster.ErrNone):
		sys.skip = err
		return nil
	case err != nil:
		return err
	}
	if !sys.named() {
		sys.version = sys.source.Version()
	}
	return nil
}

// spec says which servers are wanted.
func (sys *System) spec(s *setting.Settings) cluster.Spec {
	spec := cluster.Spec{
		System: sys.Name, Endpoints: sys.endpoints, Version: sys.own().Version, Image: sys.own().Image,
		Nodes: s.Bench.Nodes, DataDir: s.Bench.DataDir, CPUs: s.Bench.CPUs,
		Ready:    func(ctx context.Context, c *cluster.Cluster) error { return sys.adapter.ready(ctx, placeOf(c)) },
		Announce: sys.suite.progress.Announce,
	}
	spec.Memory, _ = setting.Bytes(s.Bench.Memory) // Load has checked it
	if s.Bench.Servers != "auto" {
		spec.Force = s.Bench.Servers
	}
	return spec
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
	if sys.named() { // how many nodes there are only they know
		lines[2].Key = name + "-endpoints"
		lines = append(lines,
			target.Setting{Key: name + "-down", Value: fmt.Sprint(sys.down)},
			target.Setting{Key: name + "-tls", Value: sys.reach.tls.String()})
	}
	for _, kv := range sys.source.Settings() {
		lines = append(lines, target.Setting{Key: name + "-" + kv[0], Value: kv[1]})
	}
	if sys.found != nil {
		return append(lines, sys.found...)
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
	return sys.cluster, sys.lost()
}

// lost returns why nothing can be measured on the servers any more: one died, or a
// named cluster is another run's.
func (sys *System) lost() error {
	if err := sys.turn.Err(); err != nil {
		return err
	}
	return sys.cluster.Err()
}

func (sys *System) launch(ctx context.Context) (*cluster.Cluster, error) {
	if err := sys.enoughNodes(); err != nil {
		return nil, err
	}
	limit := installLimit + startLimit
	if sys.named() {
		limit = sys.suite.settings.Bench.Timeout
		if err := sys.enter(ctx); err != nil { // it would be told otherwise when nothing got ready
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not ready within %v", limit))
	defer cancel()
	sys.suite.progress.Announce(fmt.Sprintf("%s %s: starting", sys.Name, sys.version))
	return sys.source.Start(ctx)
}

// enoughNodes reports whether as many nodes are to be started as the CQL settings
// need: servers that can't do an operation would be taken for starting ones.
func (sys *System) enoughNodes() error {
	cql, nodes := sys.suite.settings.CQL, sys.source.Nodes()
	if !sys.CQL() || sys.named() {
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
	p := placeOf(c)
	p.table, p.columns, p.clients, p.bytes = job.Table, job.Rows.Columns, job.clients(), job.bytes()
	return sys.adapter.open(ctx, p)
}

// CQL reports whether the system is a database that speaks CQL.
func (sys *System) CQL() bool {
	switch sys.Name {
	case cluster.Cassandra, cluster.Yugabyte, cluster.Scylla:
		return true
	}
	return false
}
