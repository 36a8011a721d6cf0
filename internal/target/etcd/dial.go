package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/grpclog"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// silenceGRPC makes the library log nothing; by default it logs errors to stderr.
var silenceGRPC = sync.OnceFunc(func() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
})

// dial returns a client that is connected to endpoint, which lets it read the
// mark of the namespace.
func dial(ctx context.Context, config Config, l *login, endpoint string) (*clientv3.Client, error) {
	silenceGRPC()
	ctx, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	c, err := clientv3.New(clientv3.Config{
		Endpoints:       []string{endpoint},
		Logger:          zap.NewNop(),
		MaxUnaryRetries: 1, // attempts, in truth: the first is the last
		DialOptions: slices.Concat(l.options(), secure(config.TLS.Config(endpoint)), []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: config.Timeout,
		})}),
	})
	if err == nil {
		if err = connect(ctx, config, l, c.ActiveConnection()); err == nil {
			return c, nil
		}
		c.Close()
	}
	help, class := config.obstacle(err)
	if err = target.Wrap(ctx, class, err); help != "" {
		err = fmt.Errorf("%w: %s", err, help)
	}
	return nil, fmt.Errorf("etcd at %s: connect: %w", endpoint, line{err})
}

// A line is an error in one line: gRPC's may hold the page that a web server sent.
type line struct{ error }

func (l line) Error() string { return strings.Join(strings.Fields(l.error.Error()), " ") }

func (l line) Unwrap() error { return l.error }

const (
	redial = 20 * time.Millisecond // before we ask whether the library could connect meanwhile
	doubt  = time.Second           // of servers that end connections without a word: they may be starting
)

// connect waits for the connection, and for the server to let the user in. By
// itself the library would hide until a deadline why it can't connect, whatever it
// is. So requests don't wait for a connection here, but fail with the reason of
// the last attempt, and connect waits only if waiting may help.
func connect(ctx context.Context, config Config, l *login, conn *grpc.ClientConn) error {
	for begin := time.Now(); ; {
		err := l.renew(ctx, conn, nil)
		if err == nil {
			// The client's own methods would drop what the connection says of the reason.
			_, err = pb.NewKVClient(conn).Range(ctx, &pb.RangeRequest{Key: []byte(config.mark()), Serializable: true})
		}
		if err == nil || !config.mayPass(err, time.Since(begin)) {
			return err
		}
		select {
		case <-time.After(redial):
		case <-ctx.Done():
			return err
		}
	}
}

// mayPass reports whether err, after so much time, comes from a connection that
// there may be soon.
func (c Config) mayPass(err error, waited time.Duration) bool {
	var server rpctypes.EtcdError
	help, class := c.obstacle(err)
	return class == target.ErrUnavailable && !errors.As(rpctypes.Error(err), &server) && (help == "" || waited < doubt)
}

// signs of why there is no connection, as the texts of errors have them.
const (
	signHTTP1 = "looked like an HTTP/1.1 header" // whatever the server is
	signNoH2  = "no application protocol"        // of a server that has TLS, and no HTTP/2
	signALPN  = "missing selected ALPN property" // of our side, about such a server
	signLost  = "error reading from server"      // there was a connection
)

// obstacle returns what to change if there will be no connection however long we
// wait, because of err, or "", and the class of err. A server that is there but
// isn't for us is not unavailable, unless it ends connections without a word, as a
// proxy does whose server is down.
func (c Config) obstacle(err error) (help string, class error) {
	if help := c.refusal(err); help != "" {
		return help, classOf(err)
	}
	text := err.Error()
	switch {
	case strings.Contains(text, signLost):
		return "", classOf(err)
	case strings.Contains(text, signHTTP1):
		return "the server speaks HTTP/1: is ETCD_ENDPOINTS an etcd of version 3, and does it want TLS (ETCD_TLS)?", nil
	case strings.Contains(text, signNoH2), strings.Contains(text, signALPN):
		return "the server speaks no HTTP/2: is ETCD_ENDPOINTS an etcd of version 3?", nil
	}
	if help = access.Hint("ETCD", c.TLS, err); access.Certain(err) {
		return help, target.ErrDenied
	}
	return help, classOf(err)
}
