package etcd

import (
	"context"
	"errors"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"kvbench/internal/access"
)

// A login is a user's token for all connections of a store. It is asked for once,
// and again when the servers don't take it any more.
//
// The client library has logins too. With as many clients as a benchmark has they
// do harm: when a token expires each client asks for one of its own, and checking
// a password is made to cost the servers a tenth of a second; and the request that
// was refused fails, unless all requests may be repeated, unseen.
//
// Nil is nobody's login.
type login struct {
	who    access.Login
	token  atomic.Pointer[map[string]string] // what requests carry; nil before the first login
	turn   chan struct{}                     // holds one while somebody renews the token
	denied error                             // of the password; there is no second try. Guarded by turn
}

var _ credentials.PerRPCCredentials = (*login)(nil)

// newLogin returns the login of a user who has not logged in yet.
func newLogin(who access.Login) *login {
	if who.IsZero() {
		return nil
	}
	return &login{who: who, turn: make(chan struct{}, 1)}
}

// options make a connection's requests carry the token.
func (l *login) options() []grpc.DialOption {
	if l == nil {
		return nil
	}
	return []grpc.DialOption{grpc.WithPerRPCCredentials(l), grpc.WithChainUnaryInterceptor(l.intercept)}
}

// GetRequestMetadata returns the token.
func (l *login) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	if token := l.token.Load(); token != nil {
		return *token, nil
	}
	return nil, nil
}

// RequireTransportSecurity reports that a token may be sent without TLS: that is
// up to who sets up the cluster.
func (l *login) RequireTransportSecurity() bool { return false }

// renewals is how often a request may ask for a new token. One would do, but an
// administrator's script may change users again meanwhile.
const renewals = 3

// intercept does a request, and again with a new token if the servers didn't take
// the one that it carried: they have done nothing then.
func (l *login) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, do grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	for tries := 0; ; tries++ {
		used := l.token.Load()
		err := do(ctx, method, req, reply, cc, opts...)
		if err == nil || !outdated(err) || method == pb.Auth_Authenticate_FullMethodName || tries == renewals {
			return err
		}
		if err := l.renew(ctx, cc, used); err != nil {
			return err
		}
	}
}

// outdated reports whether the servers don't take a token any more: it has
// expired, they have been restarted, or users or permissions have changed.
func outdated(err error) bool {
	err = rpctypes.Error(err)
	return errors.Is(err, rpctypes.ErrInvalidAuthToken) || errors.Is(err, rpctypes.ErrAuthOldRevision)
}

// renew gets a token, unless somebody else has since used was the one.
func (l *login) renew(ctx context.Context, cc *grpc.ClientConn, used *map[string]string) error {
	if l == nil {
		return nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	if l.denied != nil || l.token.Load() != used {
		return l.denied
	}
	resp, err := pb.NewAuthClient(cc).Authenticate(ctx,
		&pb.AuthenticateRequest{Name: l.who.User, Password: l.who.Password.Reveal()})
	switch {
	case err == nil:
		l.token.Store(&map[string]string{rpctypes.TokenFieldNameGRPC: resp.Token})
	case errors.Is(rpctypes.Error(err), rpctypes.ErrAuthFailed):
		l.denied = err
	}
	return err
}
