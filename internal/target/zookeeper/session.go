package zookeeper

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// A session is a connection object of the library, which knows no contexts: its
// calls return with a reply, when the library has noticed that the connection is
// lost, or when the session is killed.
type session struct {
	config *Config
	conn   *zk.Conn
	has    chan struct{} // has an element once the session is established
	vain   chan struct{} // has an element once all servers have been tried in vain

	ctx   context.Context // done when the session is to end; ends dials
	abort context.CancelFunc
	once  sync.Once
	idle  chan struct{} // closed when the library's goroutines have ended
	ended chan struct{} // closed when the library has returned from all calls of ours

	mu     sync.Mutex
	socket net.Conn // the current one; nil before the first
	err    error    // of the last dial, or why the current connection ended, with what may help
}

// newSession returns a session that is being established with the first of
// servers, or the next one that answers.
func newSession(config *Config, servers []string) (*session, error) {
	s := &session{config: config, has: make(chan struct{}, 1), vain: make(chan struct{}, 1), idle: make(chan struct{}), ended: make(chan struct{})}
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
	socket, err := s.config.dial(ctx, address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err != nil {
		s.giveUp(err)
		return nil, err
	}
	if s.ctx.Err() != nil { // killed meanwhile
		socket.Close()
		return nil, s.ctx.Err()
	}
	s.socket = socket
	return &listener{Conn: socket, heard: s.heard}, nil
}

// heard is told why a connection ended.
func (s *session) heard(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = s.config.refusal(err)
	s.giveUp(err)
}

// giveUp ends the wait for a session that there will never be.
func (s *session) giveUp(err error) {
	if access.Certain(err) {
		tell(s.vain)
	}
}

// login tells the server who this is, until ctx is done. The server believes it:
// only what is protected from others shows who it knows.
func (s *session) login(ctx context.Context) error {
	l := s.config.Login
	if l.IsZero() {
		return nil
	}
	defer context.AfterFunc(ctx, s.kill)()
	// The library says it again to each server that it connects to later.
	if err := s.conn.AddAuth("digest", []byte(l.User+":"+l.Password.Reveal())); err != nil {
		return s.config.wrap(ctx, fmt.Errorf("log in: %w", err))
	}
	return nil
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
	class, err := target.ErrUnavailable, s.err
	switch {
	case access.Certain(err):
		class = target.ErrDenied
	case err == nil:
		err = fmt.Errorf("the server accepts the connection, but doesn't answer: is it a ZooKeeper, and %s?", s.config.doubt())
	}
	return target.Wrap(ctx, class, fmt.Errorf("no session: %w", err))
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
