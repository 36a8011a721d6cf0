package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Stop stops the servers, waits for their end and removes their directories. Its
// error says what did not go well. Of servers that are gone it removes what is left.
// If ctx ends first the servers are still stopped, unattended.
func (k *Kept) Stop(ctx context.Context) error {
	if k.alive() {
		if err := k.told(ctx); err != nil || !k.exists() {
			return err
		}
	}
	return k.RemoveRest(ctx)
}

// RemoveRest removes what is left of servers that are gone. It is an error if they
// are not, even if their keeper doesn't answer.
func (k *Kept) RemoveRest(ctx context.Context) error {
	slot, err := k.holdNow()
	if err != nil {
		return err
	}
	defer slot.Release()
	if !k.exists() {
		return nil
	}
	return k.removeRest(ctx)
}

func (k *Kept) exists() bool {
	_, err := os.Lstat(k.dir)
	return err == nil
}

// holdNow holds the name, unless somebody else does.
func (k *Kept) holdNow() (*Slot, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	return Hold(ctx, k.Name, func() { cancel(errors.New("they are being started, or removed, just now")) })
}

// told tells the keeper to stop the servers, and waits for its end.
func (k *Kept) told(ctx context.Context) error {
	conn, err := k.ask(stopThem)
	if err != nil {
		if k.alive() {
			return k.unreachable(err)
		}
		return nil
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	var errs []error
	for dec := json.NewDecoder(conn); ; {
		var e event
		switch err := dec.Decode(&e); {
		case ctx.Err() != nil:
			return errors.Join(append(errs, fmt.Errorf("servers are still being stopped: %w", context.Cause(ctx)))...)
		case err != nil && err != io.EOF && !errors.Is(err, syscall.ECONNRESET):
			return errors.Join(append(errs, err)...)
		case err != nil: // the keeper has ended
			return errors.Join(errs...)
		case e.Kind == trouble:
			errs = append(errs, errors.New(e.Text))
		}
	}
}

// Remove removes what is left of servers that are gone.
func (s *Slot) Remove(ctx context.Context) error {
	if k := s.Kept(); k != nil {
		return k.removeRest(ctx)
	}
	return nil
}

// removeRest removes the containers and directories of servers whose keeper is gone.
// The caller holds the name.
func (k *Kept) removeRest(ctx context.Context) error {
	if k.alive() {
		return errors.New("servers that run are not removed")
	}
	if k.Kind == "container" {
		if err := sweepContainers(ctx); err != nil {
			return err
		}
	}
	errs := []error{k.broken}
	for _, dir := range k.Dirs {
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			errs = append(errs, err)
		case !info.IsDir() || !strings.HasPrefix(filepath.Base(dir), "kvbench-"+string(k.System)+"-"):
			errs = append(errs, fmt.Errorf("%s is left: it isn't what was made", dir))
		default:
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(k.dir))...)
}

// sweepContainers removes the containers of keepers of this user that are gone.
func sweepContainers(ctx context.Context) error {
	exe, err := self()
	if err != nil {
		return err
	}
	own, err := newOwner(exe)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, own.hangUp)
	defer stop()
	if _, err = own.ask(order{Sweep: &sweepOrder{}}, swept); err != nil {
		err = fmt.Errorf("their containers are left: %w", err)
	}
	return errors.Join(err, own.close(context.WithoutCancel(ctx)))
}
