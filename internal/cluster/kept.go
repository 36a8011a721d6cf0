package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Kept servers outlive the process that started them. Each cluster has a directory
// of its name, below one that is this user's: with what is known of the cluster, and
// with the socket of its keeper.

// A Kept is a cluster that stays.
type Kept struct {
	Name      string // of its directory
	Asked     string // what it was asked for with, so that two can be compared
	System    System
	Kind      string // "container" or "process"
	Version   string
	Servers   []Server
	Translate map[string]string // see Cluster
	Settings  [][2]string       // see Source
	Keeper    int               // process id, for people
	Since     time.Time

	dir string
}

// Endpoints returns the client addresses of all servers, as host:port.
func (k *Kept) Endpoints() []string { return (&Cluster{Servers: k.Servers}).Endpoints() }

// Logs returns the last n lines of each server's log.
func (k *Kept) Logs(n int) string { return (&Cluster{System: k.System, Servers: k.Servers}).Logs(n) }

// A Slot is a name that was taken for a cluster that is being started.
type Slot struct {
	Name string
	dir  string
	lock *os.File // says that somebody is at it
}

// ErrTaken is wrapped by the error for a name that a cluster has, or had.
var ErrTaken = errors.New("the name is taken")

var slotName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// keptRoot returns the directory of all kept clusters.
func keptRoot() (string, error) {
	root := os.Getenv("XDG_STATE_HOME")
	if root == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no directory for the state of servers: set XDG_STATE_HOME: %w", err)
		}
		root = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("XDG_STATE_HOME=%q: want an absolute path", root)
	}
	return filepath.Join(root, "kvbench", "servers"), nil
}

// Take takes a name for a cluster to be kept.
func Take(name string) (*Slot, error) {
	if !slotName.MatchString(name) {
		return nil, fmt.Errorf("name %q: want a lower-case letter, then up to 30 letters, digits and dashes", name)
	}
	root, err := keptRoot()
	if err != nil {
		return nil, err
	}
	const longest = 100 // bytes that a socket's path may have on any system
	dir := filepath.Join(root, name)
	if len(filepath.Join(dir, socketName)) > longest {
		return nil, fmt.Errorf("%s: the path is too long for a socket: set XDG_STATE_HOME to a shorter one", dir)
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%q: %w", name, ErrTaken)
	} else if err != nil {
		return nil, err
	}
	lock, err := holdLock(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Slot{name, dir, lock}, nil
}

// holdLock takes the lock on a slot's directory without waiting.
func holdLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Release gives the name up, unless a cluster has it now.
func (s *Slot) Release() error {
	defer s.lock.Close()
	if _, err := os.Stat(filepath.Join(s.dir, socketName)); err == nil {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// Leave makes the running servers of c stay when this process ends. c must not be
// closed any more. On error they are still c's.
func (c *Cluster) Leave(s *Slot, asked string, source Source) (*Kept, error) {
	if c.owner == nil {
		return nil, errors.New("cluster: the servers aren't ours to keep")
	}
	k := &Kept{
		Name: s.Name, Asked: asked, System: c.System, Kind: c.Kind, Version: c.Version, Servers: c.Servers,
		Translate: c.Translate, Settings: source.Settings(), Keeper: c.owner.cmd.Process.Pid, Since: time.Now().Round(time.Second), dir: s.dir,
	}
	text, err := json.MarshalIndent(k, "", "\t")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(s.dir, stateName), text, 0o600); err != nil {
		return nil, err
	}
	if _, err := c.owner.ask(order{Stay: &stayOrder{s.dir}}, staying); err != nil {
		return nil, err
	}
	return k, nil
}

// stateName is the file with what is known of a cluster.
const stateName = "state.json"

// FindKept returns all kept clusters in the order of their names, those included
// that have ended or are being started.
func FindKept() ([]*Kept, error) {
	root, err := keptRoot()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Kept
	for _, e := range entries {
		if !e.IsDir() || !slotName.MatchString(e.Name()) {
			continue // not ours
		}
		k := &Kept{dir: filepath.Join(root, e.Name())}
		text, err := os.ReadFile(filepath.Join(k.dir, stateName))
		if err == nil {
			if err := json.Unmarshal(text, k); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(k.dir, stateName), err)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		k.Name = e.Name()
		all = append(all, k)
	}
	return all, nil
}

// Status returns "up", "starting", "gone", or which servers have ended.
func (k *Kept) Status() (string, error) {
	conn, err := dialKeeper(k.dir, "status")
	if errors.Is(err, errGone) {
		if k.Starting() {
			return "starting", nil
		}
		return "gone", nil
	}
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var s status
	if err := json.NewDecoder(conn).Decode(&s); err != nil {
		return "", fmt.Errorf("%s: the keeper (pid %d): %w", k.Name, k.Keeper, err)
	}
	if len(s.Deaths) > 0 {
		return strings.Join(s.Deaths, "; "), nil
	}
	return "up", nil
}

// Starting reports whether somebody is about to start the servers.
func (k *Kept) Starting() bool {
	lock, err := holdLock(k.dir)
	if err != nil {
		return true
	}
	lock.Close()
	return false
}

// Down stops the servers, waits for their end and removes their directories. Its
// error says what did not go well. Of servers that are gone it removes what is left.
func (k *Kept) Down(ctx context.Context) error {
	conn, err := dialKeeper(k.dir, "down")
	if errors.Is(err, errGone) {
		return k.removeRest()
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var errs []error
	for dec := json.NewDecoder(conn); ; {
		var e event
		if err := dec.Decode(&e); err != nil {
			if err != io.EOF {
				errs = append(errs, fmt.Errorf("%s: the servers are still being stopped: %w", k.Name, err))
			}
			return errors.Join(errs...)
		}
		if e.Kind == trouble {
			errs = append(errs, errors.New(e.Text))
		}
	}
}

// removeRest removes the directories of servers that are gone. Their containers, if
// there are any, are removed by the next start of any.
func (k *Kept) removeRest() error {
	if k.Starting() {
		return fmt.Errorf("%s: it is being started", k.Name)
	}
	var errs []error
	for _, s := range k.Servers {
		dir := filepath.Dir(s.LogFile)
		info, err := os.Lstat(dir)
		if s.LogFile == "" || err != nil || !info.IsDir() || !strings.HasPrefix(filepath.Base(dir), "kvbench-"+string(k.System)+"-") {
			continue // it is gone, too, or isn't what we made
		}
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(append(errs, os.RemoveAll(k.dir))...)
}
