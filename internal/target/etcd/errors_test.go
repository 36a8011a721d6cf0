package etcd

import (
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kvbench/internal/target"
)

func TestClasses(t *testing.T) {
	for _, test := range []struct{ err, want error }{
		{rpctypes.ErrGRPCTimeout, target.ErrTimeout},
		{rpctypes.ErrTimeoutDueToLeaderFail, target.ErrTimeout},
		{rpctypes.ErrGRPCNoLeader, target.ErrUnavailable},
		{rpctypes.ErrLeaderChanged, target.ErrUnavailable},
		{rpctypes.ErrGRPCRequestTooManyRequests, target.ErrOverload},
		{rpctypes.ErrNoSpace, target.ErrOverload},
		{rpctypes.ErrGRPCRequestTooLarge, target.ErrTooLarge},
		{rpctypes.ErrTooManyOps, target.ErrTooLarge},
		{status.Error(codes.ResourceExhausted, "trying to send message larger than max (2 vs. 1)"), target.ErrTooLarge},
		{status.Error(codes.Unavailable, "connection refused"), target.ErrUnavailable},
		{status.Error(codes.Canceled, "grpc: the client connection is closing"), target.ErrUnavailable},
		{status.Error(codes.DeadlineExceeded, "context deadline exceeded"), target.ErrTimeout},
		{rpctypes.ErrGRPCPermissionDenied, target.ErrDenied},
		{rpctypes.ErrGRPCAuthFailed, target.ErrDenied},
		{rpctypes.ErrGRPCUserEmpty, target.ErrDenied},
		{rpctypes.ErrGRPCCompacted, nil},
	} {
		if got := classOf(test.err); got != test.want {
			t.Errorf("class of %q: %v, want %v", test.err, got, test.want)
		}
	}
}
