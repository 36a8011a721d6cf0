package cluster

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A claim is a file by which later keepers know what an earlier one has left on a
// Docker engine: its name is the label of all containers and networks of a
// cluster, and its text is the engine. The keeper holds a lock on it as long as it
// lives; the kernel drops that when the keeper ends, in whatever way.
//
// The directory is this user's, on this machine. So a claim without a lock is of
// a keeper of ours that is gone, and what has no claim here is somebody else's.
type claim struct{ file *os.File }

// claimsDir returns the directory of claims, which it makes if need be.
func claimsDir() (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "kvbench", "containers")
	return dir, os.MkdirAll(dir, 0o755)
}

// newClaim makes a claim to something new on the engine.
func newClaim(dir, engine string) (*claim, error) {
	f, err := os.OpenFile(filepath.Join(dir, rand.Text()), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	// Another keeper may have a look at it just now, and leave it, as it is empty.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteString(engine); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &claim{f}, nil
}

// label is the value of the label that everything under the claim has.
func (c *claim) label() string { return filepath.Base(c.file.Name()) }

// drop removes the claim: nothing is left.
func (c *claim) drop() error {
	err := os.Remove(c.file.Name())
	if errors.Is(err, os.ErrNotExist) { // somebody has cleaned the directory
		err = nil
	}
	return errors.Join(err, c.file.Close())
}

// dropped reports whether its keeper removed the claim before it was locked here.
func (c *claim) dropped() bool {
	there, err := os.Stat(c.file.Name())
	if err != nil {
		return true
	}
	held, err := c.file.Stat()
	return err != nil || !os.SameFile(there, held)
}

// abandoned returns the claims to the engine whose keepers are gone, locked.
func abandoned(dir, engine string) ([]*claim, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []*claim
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			continue // dropped meanwhile
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && !(&claim{f}).dropped() {
			if text, err := io.ReadAll(f); err == nil && string(text) == engine {
				found = append(found, &claim{f})
				continue
			}
		}
		_ = f.Close() // of no interest: alive, or of another engine
	}
	return found, nil
}
