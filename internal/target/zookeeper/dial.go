package zookeeper

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"kvbench/internal/access"
)

// dial returns a connection to a server, over TLS if that is configured.
func (c *Config) dial(ctx context.Context, address string) (net.Conn, error) {
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, c.refusal(err)
	}
	if c.TLS == nil {
		return socket, nil
	}
	secured := tls.Client(socket, c.TLS.Config(address))
	switch err := secured.HandshakeContext(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		socket.Close()
		return nil, fmt.Errorf("no answer to a TLS handshake: %w: does the server speak TLS (ZOOKEEPER_TLS)?", err)
	case err != nil:
		socket.Close()
		return nil, access.Explain("ZOOKEEPER", c.TLS, err)
	}
	return secured, nil
}

// A listener is a connection that tells why it ended. A server may refuse a
// client's certificate when the client takes the handshake for done, and the
// library keeps such a reason to itself.
type listener struct {
	net.Conn
	heard    func(error)
	answered bool // something was read
}

// Read implements [net.Conn].
func (l *listener) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 && !l.answered {
		l.answered = true
		// The first packet, which grants the session, begins with its length of some
		// 40 bytes. The library would believe any length and make room for it.
		if p[0] != 0 {
			n, err = 0, fmt.Errorf("the server answers with %q: is it a ZooKeeper?", p[:n])
		}
	}
	if err != nil {
		l.heard(err)
	}
	return n, err
}

// Write implements [net.Conn].
func (l *listener) Write(p []byte) (int, error) {
	n, err := l.Conn.Write(p)
	if err != nil {
		l.heard(err)
	}
	return n, err
}

// refusal explains why a connection was ended that no session was granted on. One
// that a server ends at once may be too short-lived to be connected.
func (c *Config) refusal(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		return access.Explain("ZOOKEEPER", c.TLS, err)
	}
	return fmt.Errorf("the server ended the connection (%w): %s, has it no quorum, or are there as many connections as maxClientCnxns allows?", err, c.doubt())
}

// doubt asks whether the server wants another kind of connection.
func (c *Config) doubt() string {
	switch {
	case c.TLS == nil:
		return "does it want TLS (ZOOKEEPER_TLS)"
	case !c.TLS.Mutual():
		return "does it want ZOOKEEPER_TLS_CERT and ZOOKEEPER_TLS_KEY"
	}
	return "is it a ZooKeeper"
}
