package targettest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A Proxy forwards connections to a server and can make it unreachable without
// touching it.
type Proxy struct {
	Addr string // host:port to connect to

	t      *testing.T
	server string
	wg     sync.WaitGroup
	mu     sync.Mutex
	ln     net.Listener
	conns  map[net.Conn]bool // both ends of all connections; nil while broken
	total  int               // connections ever
	sent   atomic.Int64      // bytes to the server
}

// NewProxy starts a proxy to server, a host:port, that lives until t ends.
func NewProxy(t *testing.T, server string) *Proxy {
	t.Helper()
	p := &Proxy{t: t, server: server, Addr: "127.0.0.1:0"}
	p.listen()
	t.Cleanup(func() {
		p.cut()
		p.wg.Wait()
	})
	return p
}

// Break closes all connections and refuses new ones until mend is called.
func (p *Proxy) Break() (mend func()) {
	p.cut()
	return p.listen
}

// Accepted returns how many connections there have been.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total
}

// Sent returns how many bytes clients have sent to the server.
func (p *Proxy) Sent() int64 { return p.sent.Load() }

func (p *Proxy) listen() {
	ln, err := net.Listen("tcp", p.Addr)
	if err != nil {
		p.t.Errorf("proxy to %s: %v", p.server, err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ln, p.Addr, p.conns = ln, ln.Addr().String(), make(map[net.Conn]bool)
	p.wg.Go(func() { p.accept(ln) })
}

func (p *Proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ln.Close()
	for conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
}

func (p *Proxy) accept(ln net.Listener) {
	for {
		down, err := ln.Accept()
		if err != nil {
			return // cut
		}
		up, err := net.Dial("tcp", p.server)
		if err != nil {
			down.Close()
			continue
		}
		if !p.add(down, up) {
			return
		}
		p.wg.Go(func() { p.forward(down, up, io.Discard) })
		p.wg.Go(func() { p.forward(up, down, counter{&p.sent}) })
	}
}

// add registers a pair of connections, or closes it if the proxy is broken.
func (p *Proxy) add(a, b net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns == nil {
		a.Close()
		b.Close()
		return false
	}
	p.conns[a], p.conns[b] = true, true
	p.total++
	return true
}

// A counter counts what is written to it.
type counter struct{ bytes *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return len(b), nil
}

// forward copies until either end is closed, and then closes both. The count is of
// what is about to be forwarded: who has a reply finds its request counted.
func (p *Proxy) forward(to, from net.Conn, count io.Writer) {
	io.Copy(to, io.TeeReader(from, count)) // an end of the connection is not a failure of the proxy
	to.Close()
	from.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, to)
	delete(p.conns, from)
}
