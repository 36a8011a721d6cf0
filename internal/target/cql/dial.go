package cql

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gocql/gocql"

	"kvbench/internal/access"
)

// heartbeat is how often the driver asks an idle connection's server for a sign
// of life.
const heartbeat = 5 * time.Second

// replyTime is what a server that is alive may take to reply to a heartbeat.
const replyTime = 5 * time.Second

// A dialer makes the driver's connections, so that they end when their server
// falls silent.
//
// The driver can time each request, but needs a timer and two system calls on
// deadlines for it, and a request's context already carries a deadline. Without
// that timer nothing in the driver would notice a server that is dead but whose
// connection is not: neither heartbeats nor the driver's own queries end. Here
// a connection on which no byte arrives for longer than a heartbeat and an
// operation may take is broken, which fails what waits for it. Heartbeats have
// at least replyTime, however short operations are to be.
//
// It also ends connecting, which the driver does without a context.
type dialer struct {
	net.Dialer
	silence time.Duration
	config  Config
	names   map[string]string // endpoints with a host name, by the addresses that it stands for

	mu      sync.Mutex
	refused error // why there will never be a connection to some node, if that is certain
	conns   map[*conn]struct{}
	stopped bool
}

func newDialer(c Config) *dialer {
	return &dialer{
		config:  c,
		Dialer:  net.Dialer{Timeout: c.Timeout},
		silence: heartbeat + max(c.Timeout, replyTime),
		names:   map[string]string{},
		conns:   map[*conn]struct{}{},
	}
}

// DialHost implements [gocql.HostDialer]. A node that was found by its name has to
// prove to have it, others their address.
func (d *dialer) DialHost(ctx context.Context, host *gocql.HostInfo) (*gocql.DialedHost, error) {
	at := d.config.reach(host.ConnectAddress(), host.Port())
	c, err := d.dial(ctx, at)
	if err != nil {
		d.note(at, err)
		return nil, err
	}
	if d.config.TLS == nil {
		return &gocql.DialedHost{Conn: c}, nil
	}
	secured := tls.Client(c, d.config.TLS.Config(cmp.Or(d.names[at], at)))
	if err := secured.HandshakeContext(ctx); err != nil {
		d.note(at, err)
		c.Close()
		return nil, err
	}
	return &gocql.DialedHost{Conn: &securedConn{secured, d}}, nil
}

// dial returns a plain connection.
func (d *dialer) dial(ctx context.Context, addr string) (*conn, error) {
	nc, err := d.Dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	// The concrete type has the vectored writes that coalescing needs.
	c := &conn{TCPConn: nc.(*net.TCPConn), dialer: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		nc.Close()
		return nil, net.ErrClosed
	}
	d.conns[c] = struct{}{}
	return c, nil
}

// note takes down why there will never be a connection to a node, if err is
// certain about it, as it is if the node's name is wrong. The driver hands on
// little of it.
func (d *dialer) note(addr string, err error) {
	var unknown *net.DNSError
	if !access.Certain(err) && !errors.As(err, &unknown) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = fmt.Errorf("%s: %w", addr, err)
}

// reason returns what note has taken down, or else err, the driver's.
func (d *dialer) reason(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused != nil {
		return d.refused
	}
	return err
}

// stop closes all connections and lets no new ones be made.
func (d *dialer) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	for c := range d.conns {
		c.TCPConn.Close()
	}
}

// full reports whether each node that has a connection has at least n, and one
// of them the driver's control connection besides.
func (d *dialer) full(n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	nodes := map[string]int{}
	for c := range d.conns {
		nodes[c.RemoteAddr().String()]++
	}
	for _, conns := range nodes {
		if conns < n {
			return false
		}
	}
	return len(d.conns) > n*len(nodes)
}

// A conn is a connection of a dialer.
type conn struct {
	*net.TCPConn
	dialer *dialer
}

// Read fails if the server is silent for too long.
func (c *conn) Read(p []byte) (int, error) {
	if err := c.TCPConn.SetReadDeadline(time.Now().Add(c.dialer.silence)); err != nil {
		return 0, err
	}
	return c.TCPConn.Read(p)
}

// SetReadDeadline does nothing: Read sets its own.
func (c *conn) SetReadDeadline(time.Time) error { return nil }

// Close closes the connection.
func (c *conn) Close() error {
	c.dialer.mu.Lock()
	delete(c.dialer.conns, c)
	c.dialer.mu.Unlock()
	return c.TCPConn.Close()
}

// A securedConn is a connection of a dialer over TLS. A server may refuse the
// client's certificate when the client takes the handshake for done.
type securedConn struct {
	*tls.Conn
	dialer *dialer
}

// Read implements [net.Conn].
func (c *securedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.dialer.note(c.RemoteAddr().String(), err)
	}
	return n, err
}
