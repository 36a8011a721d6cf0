package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"
)

// A Health is how kept servers are.
type Health struct {
	Phase  Phase
	Deaths []string // of servers that ended by themselves, a sentence each; the others run
}

// A Phase is a time in the life of kept servers.
type Phase string

// The phases of kept servers.
const (
	Starting Phase = "starting"
	Up       Phase = "up"
	Stopping Phase = "stopping"
	Gone     Phase = "gone" // the keeper has ended without having been told to, as when the machine stops; what is left is to be removed
)

func (h Health) String() string {
	if len(h.Deaths) > 0 {
		return strings.Join(h.Deaths, "; ")
	}
	return string(h.Phase)
}

// replyLimit is for a keeper to answer. It does nothing that takes long, unless the
// engine of its containers does.
const replyLimit = 5 * time.Second

// Health returns how the servers are.
func (k *Kept) Health() (Health, error) {
	switch {
	case k.broken != nil:
		return Health{}, k.broken
	case !k.alive() && isLocked(k.dir+lockSuffix):
		return Health{Phase: Starting}, nil
	case !k.alive():
		return Health{Phase: Gone}, nil
	}
	var s status
	conn, err := k.ask(howAreThey)
	if err == nil {
		defer conn.Close()
		if err = conn.SetReadDeadline(time.Now().Add(replyLimit)); err == nil {
			err = json.NewDecoder(conn).Decode(&s)
		}
	}
	switch {
	case err != nil && !k.alive():
		return Health{Phase: Gone}, nil
	case err != nil:
		return Health{}, k.unreachable(err)
	case s.Stopping:
		return Health{Phase: Stopping}, nil
	}
	return Health{Phase: Up, Deaths: s.Deaths}, nil
}

// ask connects to the keeper, with a request.
func (k *Kept) ask(what demand) (net.Conn, error) {
	conn, err := net.DialTimeout("unix", filepath.Join(k.dir, socketName), replyLimit)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(conn).Encode(request{Do: what}); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (k *Kept) unreachable(err error) error {
	return fmt.Errorf("the servers' keeper (pid %d) lives, but it doesn't answer: %w", k.Keeper, err)
}
