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

// explain adds to an error of credentials or permissions which setting, or grant,
// is missing.
func explain(config Config, err error) error {
	known := rpctypes.Error(errors.Unwrap(err))
	has := func(e error) bool {
		return errors.Is(err, e) || errors.Is(known, e) || strings.Contains(err.Error(), e.Error())
	}
	switch {
	case has(rpctypes.ErrAuthFailed):
		return fmt.Errorf("%w: check ETCD_USER=%q and ETCD_PASSWORD", err, config.Login.User)
	case has(rpctypes.ErrUserEmpty) && !config.Login.IsZero():
		return fmt.Errorf("%w: check ETCD_USER=%q and ETCD_PASSWORD", err, config.Login.User)
	case has(rpctypes.ErrUserEmpty):
		return fmt.Errorf("%w: set ETCD_USER and ETCD_PASSWORD", err)
	case has(rpctypes.ErrPermissionDenied):
		return fmt.Errorf("%w: the user needs: etcdctl role grant-permission <role> --prefix=true readwrite %s/", err, config.Namespace)
	}
	return err
}

// expired reports whether the server doesn't know the connection's token any more.
// It has done nothing then, and the library has logged in again, but not repeated
// the request since no request may be repeated.
func expired(err error) bool {
	return err != nil && errors.Is(rpctypes.Error(err), rpctypes.ErrInvalidAuthToken)
}

// code returns the gRPC code of an error of the client library.
func code(err error) codes.Code {
	var server rpctypes.EtcdError
	if errors.As(err, &server) {
		return server.Code()
	}
	return status.Code(err)
}
