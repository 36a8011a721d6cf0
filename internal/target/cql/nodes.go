package cql

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
)

// A peer is what a node knows of another one, which may be down.
type peer struct {
	at         string // host:port by which clients reach it
	dataCenter string
	schema     string // version of its schema when it was last heard of; "" if it never was
}

// peers returns what the node knows of the others.
func (a adminSession) peers(ctx context.Context) ([]peer, error) {
	iter := a.Query("SELECT rpc_address, data_center, schema_version FROM system.peers").WithContext(ctx).Iter()
	var all []peer
	var addr net.IP
	for p := (peer{}); iter.Scan(&addr, &p.dataCenter, &p.schema); {
		p.at = a.config.reach(addr, a.port)
		all = append(all, p)
	}
	if err := iter.Close(); err != nil {
		return nil, fmt.Errorf("read the nodes: %w", wrap(ctx, err))
	}
	return all, nil
}

// checkNodes returns the endpoints' data center, and how many nodes it has, those
// that are down included. It has to be the one that was asked for, if one was.
func (a adminSession) checkNodes(ctx context.Context) (dataCenter string, nodes int, err error) {
	local, err := a.column(ctx, "SELECT data_center FROM system.local WHERE key = 'local'")
	if err != nil {
		return "", 0, fmt.Errorf("read the data center: %w", err)
	}
	if len(local) != 1 {
		return "", 0, fmt.Errorf("system.local has %d rows, want 1", len(local))
	}
	peers, err := a.peers(ctx)
	if err != nil {
		return "", 0, err
	}
	endpoints, err := a.config.resolve(ctx, map[string]string{})
	if err != nil {
		return "", 0, err
	}
	endpoints = append(endpoints, a.config.Endpoints...)
	if err := a.config.checkDataCenter(local[0], peers, endpoints); err != nil {
		return "", 0, err
	}
	nodes = 1
	for _, p := range peers {
		if p.dataCenter == local[0] {
			nodes++
		}
	}
	return local[0], nodes, a.config.checkReplication(local[0], nodes)
}

// checkDataCenter reports an endpoint that is in another data center than the one
// that was asked for, or than an endpoint that is in local.
func (c Config) checkDataCenter(local string, peers []peer, endpoints []string) error {
	all := []string{local}
	for _, p := range peers {
		all = append(all, p.dataCenter)
	}
	slices.Sort(all)
	if c.DataCenter != "" && c.DataCenter != local {
		return fmt.Errorf("%s=%q: the endpoints are in data center %q; the cluster has %q",
			c.variable("DATACENTER"), c.DataCenter, local, slices.Compact(all))
	}
	for _, p := range peers {
		if p.dataCenter != local && slices.Contains(endpoints, p.at) {
			return fmt.Errorf("%s=%q: %q is in data center %q, another endpoint in %q: name nodes of one",
				c.variable("ENDPOINTS"), strings.Join(c.Endpoints, ","), p.at, p.dataCenter, local)
		}
	}
	return nil
}

// checkReplication reports a replication factor that is more than the nodes that
// the data center has, or a data center that doesn't know all of them yet: rows
// would be stored less often than they are to be.
func (c Config) checkReplication(dataCenter string, nodes int) error {
	if !c.Dialect.replicated {
		return nil
	}
	if nodes < c.Nodes {
		return fmt.Errorf("data center %q has %d nodes, and %d are named", dataCenter, nodes, c.Nodes)
	}
	if c.Replication > nodes {
		return fmt.Errorf("CQL_REPLICATION=%d: more copies of a row than nodes: data center %q has %d", c.Replication, dataCenter, nodes)
	}
	return nil
}
