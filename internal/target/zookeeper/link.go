package zookeeper

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// A link gives deadlines to the calls of the library by killing the session
// when a context is done while a call is under way. The next call then begins
// with a new session, as part of its time.
//
// A context is registered when it is first seen, not for every call: the engine
// uses one for many operations, which so cost nothing.
type link struct {
	config  *Config
	servers []string
	session *session   // nil before the first call
	old     []*session // killed, and perhaps not quite dead
	watch   *watch     // of the context of the last call; nil before the first
}

// A watch is the registration of a context with a session.
type watch struct {
	ctx     context.Context
	session *session
	busy    atomic.Bool // a call is under way
	cancel  func() bool
}

// newLink returns the n-th link to the servers, without a session.
func newLink(config *Config, n int) *link {
	eps := config.Endpoints
	n %= len(eps)
	return &link{config: config, servers: append(eps[n:len(eps):len(eps)], eps[:n]...)}
}

// begin returns the connection for a call, or several, that end with ctx at the
// latest. The caller calls end when they have returned.
func (l *link) begin(ctx context.Context) (*zk.Conn, error) {
	if l.session == nil || !l.session.alive() {
		if err := l.connect(ctx); err != nil {
			return nil, err
		}
	}
	if w := l.watch; w == nil || w.ctx != ctx || w.session != l.session {
		l.register(ctx)
	}
	// In this order: if ctx ends now, then either it is seen here or the watch
	// sees that it has to kill the session.
	l.watch.busy.Store(true)
	if ctx.Err() != nil {
		l.watch.busy.Store(false)
		return nil, target.Wrap(ctx, nil, ctx.Err())
	}
	return l.session.conn, nil
}

// end tells that the calls have returned.
func (l *link) end() {
	l.watch.busy.Store(false)
	if !l.session.alive() {
		// The library may still be about to send what it was given, until its
		// goroutines have ended. That is soon, since the socket is closed.
		<-l.session.idle
	}
}

// register makes the end of ctx kill the session, if a call is under way.
func (l *link) register(ctx context.Context) {
	if l.watch != nil {
		l.watch.cancel()
	}
	w := &watch{ctx: ctx, session: l.session}
	w.cancel = context.AfterFunc(ctx, func() {
		if w.busy.Load() {
			w.session.kill()
		}
	})
	l.watch = w
}

// connect replaces the session by a new one and waits until it is established.
func (l *link) connect(ctx context.Context) error {
	if ctx.Err() != nil {
		return target.Wrap(ctx, nil, ctx.Err())
	}
	l.old = slices.DeleteFunc(l.old, (*session).isEnded)
	if l.session != nil {
		l.old = append(l.old, l.session)
		l.session = nil
	}
	s, err := newSession(l.config, l.servers)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.config.Timeout)
	defer cancel()
	err = s.await(ctx)
	if err == nil {
		err = s.login(ctx)
	}
	if err != nil {
		go s.kill() // it may take a second, which ctx doesn't grant
		l.old = append(l.old, s)
		return err
	}
	l.session = s
	return nil
}

// close ends the session, and waits until nothing of the link runs.
func (l *link) close() {
	if l.watch != nil {
		l.watch.cancel()
	}
	if l.session != nil {
		l.session.close()
	}
	for _, s := range l.old {
		<-s.ended
	}
	l.session, l.watch, l.old = nil, nil, nil
}
