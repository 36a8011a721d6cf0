package cluster

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
)

// A keeper that was told to stay goes on when nobody holds its input any more. It
// then listens on a socket in a directory of its user's: whoever can connect to it
// may ask how the servers are, or tell it to stop them. So nothing is ever stopped
// by a number that has meanwhile become somebody else's. TERM stops it as well: the
// machine is shut down, and the servers, which get theirs, have not crashed.

// A post is what a keeper that stays has.
type post struct {
	requests chan request
	term     chan os.Signal
	ending   chan struct{} // closed when no request will be taken any more
	deaths   []string      // that were told
	state    *os.File      // its lock says that the keeper lives
}

// A request is what is asked on the socket, a JSON value on each connection.
type request struct {
	Do   demand
	conn net.Conn
}

type demand string

const (
	howAreThey demand = "status" // answered with a status
	stopThem   demand = "down"   // answered with events; the connection ends with the keeper
)

// A status says how the servers are.
type status struct {
	Deaths   []string // of those that ended by themselves, a sentence each
	Stopping bool
}

// stay makes the keeper one that stays, with a new directory, which is removed with
// the servers.
func (k *keeper) stay(o stayOrder) error {
	if k.post.manned() {
		return errors.New("the keeper stays already")
	}
	if err := os.Mkdir(o.Dir, 0o700); err != nil {
		return err
	}
	k.dirs = append(k.dirs, o.Dir)
	l, err := net.Listen("unix", filepath.Join(o.Dir, socketName))
	if err != nil {
		return err
	}
	if err := logCrash(filepath.Join(o.Dir, crashName)); err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil { // or its owner's could not be unmounted
		return err
	}
	if k.post.state, err = writeState(o); err != nil {
		return err
	}
	k.post.requests, k.post.ending, k.post.term = make(chan request), make(chan struct{}), make(chan os.Signal, 1)
	signal.Notify(k.post.term, syscall.SIGTERM)
	go k.post.listen(l)
	k.tell(event{Kind: staying})
	return nil
}

// manned reports whether the keeper stays.
func (p *post) manned() bool { return p.requests != nil }

// end has no more requests taken.
func (p *post) end() {
	if p.manned() {
		close(p.ending)
	}
}

// logCrash has the text of a crash of this process written to a file. There is
// nobody else to tell.
func logCrash(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(f, debug.CrashOptions{}), f.Close())
}

// writeState writes the state, all at once, and returns the file with a lock on it.
func writeState(o stayOrder) (*os.File, error) {
	name := filepath.Join(o.Dir, stateName)
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(o.State)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// listen hands on requests. It ends with the process.
func (p *post) listen(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go p.take(conn)
	}
}

// take hands on the request of a connection. When none is taken any more, who wants
// the servers to be stopped is left waiting for the end of this process.
func (p *post) take(conn net.Conn) {
	r := request{conn: conn}
	if json.NewDecoder(conn).Decode(&r) != nil {
		conn.Close()
		return
	}
	select {
	case p.requests <- r:
	case <-p.ending:
		if r.Do != stopThem {
			r.reply(status{Stopping: true})
		}
	}
}

// reply answers a request, if anybody still listens.
func (r request) reply(s status) {
	_ = json.NewEncoder(r.conn).Encode(s)
	r.conn.Close()
}

// answer does what is requested, and reports whether that is to stop.
func (k *keeper) answer(r request) (stop bool) {
	if r.Do == stopThem {
		k.events = json.NewEncoder(r.conn)
		return true
	}
	r.reply(status{Deaths: k.post.deaths})
	return false
}
