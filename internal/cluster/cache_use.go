package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Servers run from the cache, and the ones written in Java read from it all the
// time. So the keepers of servers that run from an entry share a lock on a file
// beside it, and an entry is removed by nobody who can't have that lock alone.

const usedSuffix = ".used"

// use keeps the entry in the cache as long as the keeper lives.
func (o *owner) use(entry string) error {
	if _, err := o.ask(order{Hold: &holdOrder{File: entry + usedSuffix}}, holding); err != nil {
		return err
	}
	if !cached(entry) {
		return fmt.Errorf("%s: it was removed just now", entry)
	}
	return nil
}

// hold shares a lock on a file.
func (k *keeper) hold(o holdOrder) error {
	f, err := os.OpenFile(o.File, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return errors.Join(&fs.PathError{Op: "flock", Path: o.File, Err: err}, f.Close())
	}
	k.held = append(k.held, f)
	k.tell(event{Kind: holding})
	return nil
}

// A Cached is an installation of servers in the cache.
type Cached struct {
	Dir   string
	Bytes int64 // that its files hold
	InUse bool  // servers run from it, or it is being installed
}

// CleanCache removes all installations that are not in use, and returns what there
// was. Links in the cache are not followed.
func CleanCache() ([]Cached, error) {
	root, err := cacheRoot()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Cached
	for _, e := range entries {
		if !e.IsDir() {
			continue // a lock; or a link, which isn't ours
		}
		c := Cached{Dir: filepath.Join(root, e.Name())}
		if c.Bytes, err = sizeOf(c.Dir); err == nil {
			c.InUse, err = removeEntry(c.Dir)
		}
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

// removeEntry removes an entry, or what an installation of it has left, unless it
// is in use.
func removeEntry(dir string) (inUse bool, err error) {
	entry, _, _ := strings.Cut(dir, stageInfix)
	for _, file := range []string{entry + lockSuffix, entry + usedSuffix} {
		lock, err := tryLock(file)
		if err != nil || lock == nil {
			return lock == nil, err
		}
		defer lock.Close()
	}
	doomed := entry + stageInfix + "removed"
	if dir == entry { // whatever has an entry's name is complete
		if err := errors.Join(os.RemoveAll(doomed), os.Rename(dir, doomed)); err != nil {
			return false, err
		}
		dir = doomed
	}
	return false, os.RemoveAll(dir)
}

// tryLock returns the file, made if need be and locked for this caller only, or nil
// if somebody else has it.
func tryLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, f.Close()
	}
	return nil, errors.Join(&fs.PathError{Op: "flock", Path: name, Err: err}, f.Close())
}

// sizeOf returns how many bytes the files below dir hold. They may come and go.
func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return bytes, err
}
