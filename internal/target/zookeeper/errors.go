package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// wrap wraps err, which may be nil, in the sentinel of its class.
func wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return target.Wrap(ctx, classOf(err), err)
}

// classOf returns the sentinel for an error of the library, or nil.
func classOf(err error) error {
	for _, known := range []struct{ err, class error }{
		{zk.ErrNoNode, target.ErrNotFound},
		{zk.ErrNodeExists, target.ErrConflict},
		{zk.ErrBadVersion, target.ErrConflict},
		{zk.ErrNoAuth, target.ErrDenied},
		{zk.ErrAuthFailed, target.ErrDenied},
		{zk.ErrConnectionClosed, target.ErrUnavailable},
		{zk.ErrNoServer, target.ErrUnavailable},
		{zk.ErrClosing, target.ErrUnavailable},
		{zk.ErrSessionExpired, target.ErrUnavailable},
		{zk.ErrSessionMoved, target.ErrUnavailable},
		{zk.ErrShortBuffer, target.ErrTooLarge},
	} {
		if errors.Is(err, known.err) {
			return known.class
		}
	}
	return nil
}

// explain adds to an error of access which settings are to be checked.
func explain(config *Config, err error) error {
	switch {
	case !errors.Is(err, target.ErrDenied):
		return err
	case config.Login.IsZero():
		return fmt.Errorf("%w: set ZOOKEEPER_USER and ZOOKEEPER_PASSWORD, or have everybody allowed", err)
	}
	return fmt.Errorf("%w: check ZOOKEEPER_USER=%q and ZOOKEEPER_PASSWORD, and what this user is allowed", err, config.Login.User)
}
