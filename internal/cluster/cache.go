package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// The cache of installed servers: a directory per system, version and recipe.
//
// An entry is filled as a sibling under another name and then renamed, so that
// whatever has an entry's name is complete. Processes that want the same entry
// take turns by a lock on a file beside it; the kernel drops the lock of a
// process that dies, once the build tools that it leaves behind have ended.

// cacheEntry returns where version of system is, or would be, installed. The
// name changes with everything that decides what the installation holds.
func cacheEntry(system System, version string, r recipe) (string, error) {
	root, err := cacheRoot()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(r.inputs))
	name := fmt.Sprintf("%s-%s-%s-%s-%x", system, version, runtime.GOOS, runtime.GOARCH, sum[:4])
	return filepath.Join(root, name), nil
}

// cacheRoot returns the directory of all entries.
func cacheRoot() (string, error) {
	root, err := os.UserCacheDir() // $XDG_CACHE_HOME or $HOME/.cache on Linux
	if err != nil {
		return "", fmt.Errorf("no directory for built servers: set XDG_CACHE_HOME: %w", err)
	}
	return filepath.Join(root, "kvbench", "servers"), nil
}

// cached reports whether entry is installed.
func cached(entry string) bool {
	_, err := os.Stat(entry)
	return err == nil
}

const (
	lockSuffix = ".lock" // of the file with the lock
	stageInfix = ".tmp-" // between an entry's name and something arbitrary: what isn't complete
)

// A site is a directory that is being filled, and the lock that says so.
type site struct {
	dir  string
	lock *os.File // nil if nobody else can come
}

// fill makes entry by calling install with an empty directory, unless it is
// there. It waits for another process that is at it, after a call of waiting.
func fill(ctx context.Context, entry string, waiting func(), install func(at site) error) error {
	if cached(entry) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		return err
	}
	lock, err := lockFile(ctx, entry+lockSuffix, waiting)
	if err != nil {
		return err
	}
	defer lock.Close() // unlocks, if no tool is left that has it
	if cached(entry) {
		return nil
	}
	if err := removeStale(entry); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(entry), filepath.Base(entry)+stageInfix)
	if err != nil {
		return err
	}
	if err := install(site{tmp, lock}); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return os.Rename(tmp, entry)
}

// removeStale removes what interrupted installations of entry left. The caller
// holds the lock, so none of it is in use.
func removeStale(entry string) error {
	stale, err := filepath.Glob(entry + stageInfix + "*")
	for _, dir := range stale {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// lockFile returns the file, made if need be and locked for this caller only,
// in this process and others. Closing it unlocks it. The file stays: removing
// a lock file lets two processes lock files of one name.
func lockFile(ctx context.Context, name string, waiting func()) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(&fs.PathError{Op: "flock", Path: name, Err: err}, f.Close())
		}
		if first {
			waiting()
		}
		// Polling, as a blocking flock could not be given up.
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: locked by another process: %w", name, err), f.Close())
		}
	}
}

// sleep waits for d, or until ctx is done: then it returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
