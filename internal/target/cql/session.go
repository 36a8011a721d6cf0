package cql

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gocql/gocql"
)

// A session is a driver session and the connections it is made of.
type session struct {
	*gocql.Session
	dialer *dialer
	port   int // at which nodes expect clients
}

// connect returns a session that is connected to every node it may use. An
// empty keyspace is for statements that name theirs; such a session talks only
// to the endpoints. The data center, if not empty, is the only one talked to.
func connect(ctx context.Context, c Config, keyspace, dataCenter string) (*session, error) {
	d := newDialer(c)
	cluster, err := clusterConfig(ctx, c, d)
	if err != nil {
		return nil, err
	}
	cluster.Keyspace = keyspace
	alone := keyspace == "" || c.alone
	cluster.DisableInitialHostLookup = alone
	// News of any node would make the driver look nodes up, and close its connections
	// to what it hadn't found by that.
	cluster.Events.DisableTopologyEvents, cluster.Events.DisableNodeStatusEvents = alone, alone
	if dataCenter != "" && !alone {
		cluster.HostFilter = gocql.DataCentreHostFilter(dataCenter)
	}
	stop := context.AfterFunc(ctx, d.stop)
	defer stop()
	s, err := cluster.CreateSession()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("connect: %w", context.Cause(ctx))
	case err != nil:
		err = fmt.Errorf("connect: %w", c.explain(d.reason(err)))
	default:
		// A node that refuses the client is not down: it would be missing silently.
		if err = waitFull(ctx, d, c); err == nil && d.reason(nil) != nil {
			err = fmt.Errorf("connect: %w", c.explain(d.reason(nil)))
		}
	}
	if err != nil {
		if s != nil {
			s.Close()
		}
		d.stop()
		return nil, fmt.Errorf("%s %s: %w", c.Dialect.System, strings.Join(c.Endpoints, ","), wrap(ctx, err))
	}
	return &session{s, d, cluster.Port}, nil
}

// Close closes all connections.
func (s *session) Close() {
	s.Session.Close()
	s.dialer.stop()
}

// waitFull waits until the driver, which makes all but the first connection to
// a node in the background, has made all to each that is up.
func waitFull(ctx context.Context, d *dialer, c Config) error {
	ctx, cancel := c.limit(ctx)
	defer cancel()
	for !d.full(c.Conns) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("make %d connections to each node: %w", c.Conns, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// clusterConfig returns the driver's configuration.
//
// Nothing is retried or executed speculatively: an operation is one request.
// Timestamps are the client's, as is the default of all CQL drivers.
func clusterConfig(ctx context.Context, c Config, d *dialer) (*gocql.ClusterConfig, error) {
	addrs, err := c.resolve(ctx, d.names)
	if err != nil {
		return nil, err
	}
	cluster := gocql.NewCluster(addrs...)
	cluster.Port = c.nodePort()
	cluster.ProtoVersion = protocol
	cluster.Consistency = c.level()
	cluster.SerialConsistency = c.serial()
	cluster.NumConns = c.Conns
	cluster.WriteCoalesceWaitTime = c.Coalesce
	cluster.DefaultIdempotence = true
	cluster.PoolConfig.HostSelectionPolicy = gocql.RoundRobinHostPolicy()
	if c.Dialect.tokenAware {
		cluster.PoolConfig.HostSelectionPolicy = gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy(), gocql.ShuffleReplicas())
	}
	cluster.HostDialer = d
	// The driver panics when it hears of somebody's keyspace that has no copies in
	// the data center.
	cluster.Events.DisableSchemaEvents = true
	cluster.MaxWaitSchemaAgreement = time.Nanosecond // not at all: see agree
	cluster.Timeout = 0                              // see dialer
	cluster.ConnectTimeout = c.Timeout
	cluster.WriteTimeout = c.Timeout
	cluster.ReconnectInterval = time.Second
	cluster.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{MaxRetries: 1, Interval: 100 * time.Millisecond}
	cluster.Logger = silent{}
	if !c.Login.IsZero() {
		cluster.Authenticator = password{login: c.Login}
	}
	return cluster, nil
}

// silent is a logger for a driver that must not print between results. What it
// would say comes back as an error of the operations concerned.
type silent struct{}

func (silent) Print(...any)          {}
func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}
