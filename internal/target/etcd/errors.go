package etcd

import (
	"context"
	"errors"
	"fmt"
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
		{rpctypes.ErrAuthFailed, target.ErrDenied},
		{rpctypes.ErrAuthNotEnabled, target.ErrDenied},
		{rpctypes.ErrUserEmpty, target.ErrDenied},
		{rpctypes.ErrUserNotFound, target.ErrDenied},
		{rpctypes.ErrPermissionDenied, target.ErrDenied},
		{rpctypes.ErrInvalidAuthToken, target.ErrDenied},
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

// refusal returns what to change if the servers refuse err's request for who the
// user is, or aren't those of an etcd that we can talk to; else "".
func (c Config) refusal(err error) string {
	known := rpctypes.Error(err)
	switch {
	case errors.Is(known, rpctypes.ErrAuthFailed):
		return "check ETCD_USER and ETCD_PASSWORD"
	case errors.Is(known, rpctypes.ErrAuthNotEnabled):
		return "the cluster has no users: unset ETCD_USER and ETCD_PASSWORD"
	case errors.Is(known, rpctypes.ErrUserEmpty):
		return "set ETCD_USER and ETCD_PASSWORD"
	case errors.Is(known, rpctypes.ErrPermissionDenied):
		return fmt.Sprintf("the user needs: etcdctl role grant-permission <role> --prefix=true readwrite %s/", c.Namespace)
	case code(known) == codes.Unimplemented:
		return "is ETCD_ENDPOINTS an etcd of version 3?"
	}
	return ""
}

// explain wraps err in its class, and adds what to change, if that is known.
func (c Config) explain(ctx context.Context, err error) error {
	wrapped := wrap(ctx, err)
	if help := c.refusal(err); help != "" {
		return fmt.Errorf("%w: %s", wrapped, help)
	}
	return wrapped
}

// code returns the gRPC code of an error of the client library.
func code(err error) codes.Code {
	var server rpctypes.EtcdError
	if errors.As(err, &server) {
		return server.Code()
	}
	return status.Code(err)
}
