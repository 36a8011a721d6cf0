package etcd

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// secure makes a connection speak TLS, unless c is nil.
func secure(c *tls.Config) []grpc.DialOption {
	if c == nil {
		return nil
	}
	return []grpc.DialOption{grpc.WithTransportCredentials(named{credentials.NewTLS(c), c.ServerName})}
}

// named are credentials with the name that a server must prove to have. The client
// library would have each prove its endpoint's, whatever the configuration says.
type named struct {
	credentials.TransportCredentials
	server string
}

func (n named) ClientHandshake(ctx context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return n.TransportCredentials.ClientHandshake(ctx, n.server, conn)
}

func (n named) Clone() credentials.TransportCredentials {
	return named{n.TransportCredentials.Clone(), n.server}
}
