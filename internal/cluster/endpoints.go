package cluster

import (
	"context"
	"fmt"
	"strings"
)

// endpoints is the source of a cluster that runs already. It is reached or the
// run fails: whoever names a cluster doesn't want another one measured.
type endpoints struct {
	spec Spec
}

func (e *endpoints) Kind() string          { return "endpoints" }
func (e *endpoints) Version() string       { return "" }
func (e *endpoints) Nodes() int            { return len(e.spec.Endpoints) }
func (e *endpoints) Notice() string        { return "" }
func (e *endpoints) Settings() [][2]string { return nil }

// Start returns the cluster as soon as it does a real operation, or an error
// when ctx is done.
func (e *endpoints) Start(ctx context.Context) (*Cluster, error) {
	c := &Cluster{System: e.spec.System, Kind: e.Kind()}
	for _, ep := range e.spec.Endpoints {
		c.Servers = append(c.Servers, Server{Endpoint: ep})
	}
	if err := c.awaitReady(ctx, e.spec.Ready); err != nil {
		return nil, fmt.Errorf("%s %s: not ready: %w", e.spec.System.variable("ENDPOINTS"), strings.Join(e.spec.Endpoints, ","), err)
	}
	return c, nil
}
