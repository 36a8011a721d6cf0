package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Kept servers outlive the process that started them. Each cluster has a directory
// of its name, below one that is this user's, which its keeper makes, and removes
// when it has stopped the servers:
//
//	etcd/state.json   what is known of the cluster; the keeper holds a lock on it as long as it lives
//	etcd/keeper.sock  where the keeper is asked and told things
//	etcd/crash.log    why the keeper has ended, if it shouldn't have
//	etcd.lock         held by whoever is about to start the cluster, or to remove what is left of it

// A Kept is a cluster that stays.
type Kept struct {
	Name      string // of its directory
	Asked     Spec   // what it was asked for with
	System    System
	Kind      string // "container" or "process"
	Version   string // "" if only the servers know it
	Servers   []Server
	Translate map[string]string // see Cluster
	Settings  [][2]string       // see Source
	Dirs      []string          // of data and logs; removed with the servers
	Keeper    int               // process id, for people: nobody sends a signal to it
	Suite     string            // commit of the suite that started it
	Since     time.Time

	dir    string
	broken error // why nothing else is known
}

// Names of files in a kept cluster's directory.
const (
	stateName  = "state.json"
	socketName = "keeper.sock"
	crashName  = "crash.log"
)

// Endpoints returns the client addresses of all servers, as host:port.
func (k *Kept) Endpoints() []string { return (&Cluster{Servers: k.Servers}).Endpoints() }

// A Log is what a server writes to its standard output and error.
type Log struct {
	Name string // for people: "etcd node 1 (pid 4711)"
	File string
}

// Logs returns the servers' logs, and what their keeper wrote if it has crashed.
func (k *Kept) Logs() []Log {
	var logs []Log
	for i, s := range k.Servers {
		logs = append(logs, Log{fmt.Sprintf("%s (%s)", nodeName(k.System, i), s.identity()), s.LogFile})
	}
	crash := filepath.Join(k.dir, crashName)
	if info, err := os.Stat(crash); err == nil && info.Size() > 0 {
		logs = append(logs, Log{fmt.Sprintf("%s keeper (pid %d)", k.System, k.Keeper), crash})
	}
	return logs
}

var keptName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

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

// FindKept returns all kept clusters in the order of their names, those included
// that have ended or are being started.
func FindKept() ([]*Kept, error) {
	root, err := keptRoot()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = e.IsDir()
	}
	var all []*Kept
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		dir := filepath.Join(root, name)
		switch {
		case !keptName.MatchString(name), isLock == e.IsDir():
			continue // not ours
		case e.IsDir():
			all = append(all, readKept(dir))
		case !there[name] && isLocked(dir+lockSuffix):
			all = append(all, &Kept{Name: name, dir: dir})
		}
	}
	return all, nil
}

// readKept returns what is known of the cluster in dir.
func readKept(dir string) *Kept {
	k := &Kept{}
	file := filepath.Join(dir, stateName)
	text, err := os.ReadFile(file)
	if err == nil {
		if err = json.Unmarshal(text, k); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if !errors.Is(err, fs.ErrNotExist) { // the keeper has ended before it wrote the file, or is about to
		k.broken = err
	}
	k.Name, k.dir = filepath.Base(dir), dir
	return k
}

// isLocked reports whether some process holds a lock on the file.
func isLocked(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// alive reports whether the keeper lives.
func (k *Kept) alive() bool { return isLocked(filepath.Join(k.dir, stateName)) }
