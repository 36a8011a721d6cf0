package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// A session is a connection object of the library, which knows no contexts: its
// calls return with a reply, when the library has noticed that the connection is
// lost, or when the session is killed.
type session struct {
	conn *zk.Conn
	has  chan struct{} // has an element once the session is established
	vain chan struct{} // has an element once all servers have been tried in vain

	ctx   context.Context // done when the session is to end; ends dials
	abort context.CancelFunc
	once  sync.Once
	idle  chan struct{} // closed when the library's goroutines have ended
	ended chan struct{} // closed when the library has returned from all calls of ours

	mu     sync.Mutex
	socket net.Conn // the current one; nil before the first
	err    error    // of the last dial
}

// newSession returns a session that is being established with the first of
// servers, or the next one that answers.
func newSession(config *Config, servers []string) (*session, error) {
	s := &session{has: make(chan struct{}, 1), vain: make(chan struct{}, 1), idle: make(chan struct{}), ended: make(chan struct{})}
	s.ctx, s.abort = context.WithCancel(context.Background())
	conn, events, err := zk.Connect(servers, config.sessionTimeout(),
		zk.WithHostProvider(&rotation{servers: servers, vain: s.vain}),
		zk.WithDialer(s.dial),
		zk.WithEventCallback(s.event),
		zk.WithLogger(silent{}),
		zk.WithLogInfo(false),
		zk.WithMaxBufferSize(config.BufferBytes),
		zk.WithMaxConnBufferSize(config.BufferBytes),
	)
	if err != nil {
		s.abort()
		return nil, err
	}
	s.conn = conn
	go func() {
		for range events { // closed when the library is done
		}
		close(s.idle)
	}()
	return s, nil
}

// silent is the logger of the library.
type silent struct{}

func (silent) Printf(string, ...any) {}

// event is told about every change of the session's state.
func (s *session) event(e zk.Event) {
	if e.State == zk.StateHasSession {
		tell(s.has)
	}
}

// tell puts an element into a channel that has room for one.
func tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// dial connects to a server, for the library.
func (s *session) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	socket, err := new(net.Dialer).DialContext(ctx, network, address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err != nil {
		return nil, err
	}
	if s.ctx.Err() != nil { // killed meanwhile
		socket.Close()
		return nil, s.ctx.Err()
	}
	s.socket = socket
	return socket, nil
}

// await waits until the session is established, or no server wants it.
func (s *session) await(ctx context.Context) error {
	select {
	case <-s.has:
		return nil
	case <-s.vain:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.err
	if err == nil {
		err = errors.New("the server accepts the connection, but grants no session (has it reached maxClientCnxns?)")
	}
	return target.Wrap(ctx, target.ErrUnavailable, fmt.Errorf("no session: %w", err))
}

// kill ends the session at once, and with it every call that waits for a reply.
// The servers find out by themselves.
func (s *session) kill() {
	s.hangUp()
	s.close()
}

// hangUp closes the connection and prevents another one.
func (s *session) hangUp() {
	s.abort()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket != nil {
		s.socket.Close()
	}
}

// close ends the session by telling the server so, and waits until nothing of
// it runs. A server that doesn't reply is given up after a second.
func (s *session) close() {
	s.once.Do(func() {
		s.conn.Close()
		s.hangUp()
		<-s.idle
		close(s.ended)
	})
	<-s.ended
}

// alive reports whether the session has not been killed or closed.
func (s *session) alive() bool { return s.ctx.Err() == nil }

// isEnded reports whether nothing of the session runs any more.
func (s *session) isEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// A rotation tells the library which server to try next: the first at first,
// and after a lost connection the one after it. The library's own provider
// draws lots, which leaves some servers with more sessions than others, and
// makes it wait for a second before it reconnects to a single server.
type rotation struct {
	servers []string
	vain    chan<- struct{} // told when all servers have been tried in vain
	tries   int             // since the last connection
	next    int
}

// Init does nothing: the library gives the servers in an order of its own.
func (r *rotation) Init([]string) error { return nil }

// Len returns the number of servers.
func (r *rotation) Len() int { return len(r.servers) }

// Next returns the server to try, and whether all have been tried in vain.
func (r *rotation) Next() (server string, retryStart bool) {
	server = r.servers[r.next%len(r.servers)]
	retryStart = r.tries > 0 && r.tries%len(r.servers) == 0
	r.next++
	r.tries++
	if retryStart {
		tell(r.vain)
	}
	return server, retryStart
}

// Connected is told that the last server works.
func (r *rotation) Connected() { r.tries = 0 }
