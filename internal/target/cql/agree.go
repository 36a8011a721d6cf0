package cql

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"
)

// knock is how long a node may take to accept a connection before it is taken to
// be down. The network may lose the first packet, which is sent again after 1 s.
const knock = 2 * time.Second

// agree waits until all nodes that are up have the same schema. The driver would
// wait for nodes that are down, too, whose schema is the one that they had.
func (a adminSession) agree(ctx context.Context) error {
	if !a.config.Owned { // servers of ours are waited for as long as ctx lasts
		limited, cancel := a.config.limit(ctx)
		defer cancel()
		ctx = limited
	}
	var behind []string
	for ctx.Err() == nil {
		nodes, err := a.behind(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil, len(nodes) == 0:
			return err
		default:
			behind = nodes
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("%q have another than the one that changed it (nodetool describecluster): %w", behind, context.Cause(ctx))
}

// behind returns the nodes that are up and have another schema than this one.
func (a adminSession) behind(ctx context.Context) ([]string, error) {
	var local string
	if err := a.Query("SELECT schema_version FROM system.local WHERE key = 'local'").WithContext(ctx).Scan(&local); err != nil {
		return nil, err
	}
	nodes, err := a.peers(ctx)
	var behind []string
	for _, n := range nodes {
		if n.schema != "" && n.schema != local && !slices.Contains(behind, n.at) && answers(ctx, n.at) {
			behind = append(behind, n.at)
		}
	}
	return behind, err
}

// answers reports whether a node can be connected to.
func answers(ctx context.Context, hostPort string) bool {
	conn, err := (&net.Dialer{Timeout: knock}).DialContext(ctx, "tcp", hostPort)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
