package etcd

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kvbench/internal/target"
)

// wrap wraps err in the sentinel of its class.
func wrap(ctx context.Context, err error) error { return target.Wrap(ctx, classOf(err), err) }

// classOf returns the sentinel for an error of the client library, or nil.
func classOf(err error) error {
	err = rpctypes.Error(err) // by text, as the library gives both its own and gRPC's errors
	for _, known := range []struct{ err, class error }{
		{rpctypes.ErrRequestTooLarge, target.ErrTooLarge},
		{rpctypes.ErrTooManyOps, target.ErrTooLarge},
		{rpctypes.ErrTimeout, target.ErrTimeout},
		{rpctypes.ErrTimeoutDueToLeaderFail, target.ErrTimeout},
		{rpctypes.ErrTimeoutDueToConnectionLost, target.ErrTimeout},
		{rpctypes.ErrTimeoutWaitAppliedIndex, target.ErrTimeout},
	} {
		if errors.Is(err, known.err) {
			return known.class
		}
	}
	switch code(err) {
	case codes.DeadlineExceeded:
		return target.ErrTimeout
	case codes.Unavailable, codes.Canceled: // Canceled while ctx isn't: the connection was closed
		return target.ErrUnavailable
	case codes.ResourceExhausted:
		if strings.Contains(err.Error(), "larger than max") { // gRPC's message limit, on either side
			return target.ErrTooLarge
		}
		return target.ErrOverload
	}
	return nil
}

// code returns the gRPC code of an error of the client library.
func code(err error) codes.Code {
	var server rpctypes.EtcdError
	if errors.As(err, &server) {
		return server.Code()
	}
	return status.Code(err)
}
