package zookeeper

import (
	"context"
	"crypto/tls"
	"net"
)

// dial returns a connection to a server, over TLS if that is configured.
func (c *Config) dial(ctx context.Context, address string) (net.Conn, error) {
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil || c.TLS == nil {
		return socket, err
	}
	secured := tls.Client(socket, c.TLS.Config(address))
	if err := secured.HandshakeContext(ctx); err != nil {
		socket.Close()
		return nil, err
	}
	return secured, nil
}

// A listener is a connection that tells why it can't be read from. A server may
// refuse a client's certificate when the client takes the handshake for done, and
// the library keeps such a reason to itself.
type listener struct {
	net.Conn
	heard func(error)
}

// Read implements [net.Conn].
func (l *listener) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err != nil {
		l.heard(err)
	}
	return n, err
}
