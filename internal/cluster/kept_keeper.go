package cluster

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
)

// A keeper that was told to stay goes on when nobody holds its input any more. It
// then listens on a socket in a directory of its user's: whoever can connect to it
// may ask how the servers are, or tell it to stop them. So nothing is ever stopped
// by a number that has meanwhile become somebody else's.

// socketName is the socket in the directory of kept servers.
const socketName = "keeper.sock"

// A request is what is asked on the socket, a JSON value on each connection.
type request struct {
	Do   string // "status" or "down"
	conn net.Conn
}

// A status is the answer to a request for one. A request to stop is answered with
// events, until the keeper has ended.
type status struct {
	Deaths []string // of servers that ended by themselves
}

// stay makes the keeper one that stays. The directory is removed with the servers.
func (k *keeper) stay(o stayOrder) error {
	l, err := net.Listen("unix", filepath.Join(o.Dir, socketName))
	if err != nil {
		return err
	}
	k.dirs = append(k.dirs, o.Dir)
	k.requests = make(chan request)
	go k.listen(l)
	k.tell(event{Kind: staying})
	return nil
}

// listen hands on requests. It ends with the process.
func (k *keeper) listen(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			r := request{conn: conn}
			if err := json.NewDecoder(conn).Decode(&r); err != nil {
				conn.Close()
				return
			}
			k.requests <- r
		}()
	}
}

// answer does what is requested, and reports whether that is to stop.
func (k *keeper) answer(r request) (stop bool) {
	switch r.Do {
	case "down":
		k.events = json.NewEncoder(r.conn) // closed when this process ends
		return true
	case "status":
		_ = json.NewEncoder(r.conn).Encode(status{k.told}) // nobody may be listening any more
	}
	r.conn.Close()
	return false
}

// errGone is for kept servers whose keeper has ended.
var errGone = errors.New("the servers are gone")

// dial connects to the keeper of the servers in dir, with a request.
func dialKeeper(dir, do string) (net.Conn, error) {
	conn, err := net.Dial("unix", filepath.Join(dir, socketName))
	if err != nil {
		if _, missing := os.Stat(dir); missing != nil {
			return nil, missing
		}
		return nil, errors.Join(errGone, err)
	}
	if err := json.NewEncoder(conn).Encode(request{Do: do}); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
