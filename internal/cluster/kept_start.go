package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A Slot is a name that is held for a cluster to be started, or removed: nobody else
// does either meanwhile.
type Slot struct {
	dir  string
	lock *os.File
}

// CheckName returns an error if a kept cluster can't be called name.
func CheckName(name string) error {
	if !keptName.MatchString(name) {
		return fmt.Errorf("%q: want a lower-case letter, then up to 30 lower-case letters, digits and dashes", name)
	}
	return nil
}

// Hold holds a name. If somebody else does it calls waiting, and waits.
func Hold(ctx context.Context, name string, waiting func()) (*Slot, error) {
	if err := CheckName(name); err != nil {
		return nil, err
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
	lock, err := lockFile(ctx, dir+lockSuffix, waiting)
	if err != nil {
		return nil, err
	}
	return &Slot{dir, lock}, nil
}

// Kept returns what has the name, or nil.
func (s *Slot) Kept() *Kept {
	if _, err := os.Lstat(s.dir); err != nil {
		return nil
	}
	return readKept(s.dir)
}

// Release gives the name free.
func (s *Slot) Release() { _ = s.lock.Close() } // closing unlocks, whatever it returns

// Leave makes the running servers of c stay when this process ends, under the name
// of the slot; they aren't c's any more. On error they still are. What they were
// asked for with, and from which source they come, is told to whoever asks later,
// as is the commit of the suite.
func (c *Cluster) Leave(s *Slot, asked Spec, source Source, suite string) (*Kept, error) {
	if c.owner == nil {
		return nil, errors.New("cluster: the servers aren't ours to keep")
	}
	k := &Kept{
		Name: filepath.Base(s.dir), Asked: asked, System: c.System, Kind: c.Kind, Version: c.Version,
		Servers: c.Servers, Translate: c.Translate, Settings: source.Settings(), Dirs: c.owner.dirs,
		Keeper: c.owner.cmd.Process.Pid, Suite: suite, Since: time.Now().Round(time.Second), dir: s.dir,
	}
	text, err := json.MarshalIndent(k, "", "\t")
	if err != nil {
		return nil, err
	}
	if _, err := c.owner.ask(order{Stay: &stayOrder{Dir: s.dir, State: text}}, staying); err != nil {
		return nil, err
	}
	c.owner.hangUp()
	c.owner = nil
	return k, nil
}
