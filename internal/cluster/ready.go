package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	retryPause   = 100 * time.Millisecond // between attempts at something that isn't ready yet
	attemptLimit = 15 * time.Second       // of one attempt: a half-started server may accept and never answer
)

// awaitReady calls ready until the servers do a real operation, ctx is done, or
// a server of ours dies.
func (c *Cluster) awaitReady(ctx context.Context, ready func(context.Context, *Cluster) error) error {
	return c.retry(ctx, func(ctx context.Context) error { return ready(ctx, c) })
}

// awaitAccept waits until the endpoint accepts connections.
func (c *Cluster) awaitAccept(ctx context.Context, endpoint string) error {
	return c.retry(ctx, func(ctx context.Context) error {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

// retry calls attempt until it succeeds. The error it gives up with holds the
// last attempt's.
func (c *Cluster) retry(ctx context.Context, attempt func(context.Context) error) error {
	ctx, cancel := c.untilDead(ctx)
	defer cancel()
	for {
		err := limited(ctx, attempt)
		if err == nil {
			return nil
		}
		if cause := sleep(ctx, retryPause); cause != nil {
			if errors.Is(err, cause) {
				return err
			}
			return fmt.Errorf("%w; last attempt: %w", cause, err)
		}
	}
}

func limited(ctx context.Context, attempt func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	return attempt(ctx)
}

// untilDead returns a context that ends with ctx, or with the death of a server
// as its cause.
func (c *Cluster) untilDead(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c.owner == nil {
		return ctx, func() { cancel(nil) }
	}
	stop := context.AfterFunc(c.owner.alive, func() { cancel(c.Err()) })
	return ctx, func() { stop(); cancel(nil) }
}
