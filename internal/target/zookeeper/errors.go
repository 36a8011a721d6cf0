package zookeeper

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// wrap wraps err in the sentinel of its class.
func wrap(ctx context.Context, err error) error { return target.Wrap(ctx, classOf(err), err) }

// classOf returns the sentinel for an error of the library, or nil.
func classOf(err error) error {
	for _, known := range []struct{ err, class error }{
		{zk.ErrNoNode, target.ErrNotFound},
		{zk.ErrNodeExists, target.ErrConflict},
		{zk.ErrBadVersion, target.ErrConflict},
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
