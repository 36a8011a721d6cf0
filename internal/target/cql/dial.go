package cql

import (
	"context"
	"net"
	"sync"
	"time"
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

	mu      sync.Mutex
	conns   map[*conn]struct{}
	stopped bool
}

func newDialer(timeout time.Duration) *dialer {
	return &dialer{
		Dialer:  net.Dialer{Timeout: timeout},
		silence: heartbeat + max(timeout, replyTime),
		conns:   map[*conn]struct{}{},
	}
}

// DialContext implements [gocql.Dialer].
func (d *dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	nc, err := d.Dialer.DialContext(ctx, network, addr)
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
