package suite

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"kvbench/internal/target"
)

// A turn is a run's time in its namespace on a named cluster. Two runs there would
// remove each other's rows, and measure each other's load. So a run says in a note
// beside the mark that it is there, and renews it. A note that isn't renewed is
// that of a run that was killed; no clock but the own one is needed to tell.
type turn struct {
	realm target.Realm
	token string // of this run, with which its notes begin
	lost  chan struct{}
	err   error // why lost is closed

	quit context.CancelFunc
	done chan struct{}
}

const (
	turnNote = "run"
	renewal  = 5 * time.Second
	silence  = 4 * renewal // of a run that is gone
)

// takeTurn begins a turn in a claimed realm, which the turn closes at its end. It
// is an error if another run is there.
func takeTurn(ctx context.Context, realm target.Realm, announce func(string)) (*turn, error) {
	if err := awaitTurn(ctx, realm, announce); err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // for people
	t := &turn{
		realm: realm, lost: make(chan struct{}), done: make(chan struct{}),
		token: fmt.Sprintf("process %d on %q since %s", os.Getpid(), host, time.Now().UTC().Format(time.RFC3339Nano)),
	}
	if err := realm.SetNote(ctx, turnNote, t.token); err != nil {
		return nil, err
	}
	ctx, t.quit = context.WithCancel(context.WithoutCancel(ctx))
	go t.renew(ctx)
	return t, nil
}

// awaitTurn returns nil if no other run is in the realm.
func awaitTurn(ctx context.Context, realm target.Realm, announce func(string)) error {
	found, err := realm.Note(ctx, turnNote)
	if err != nil || found == "" {
		return err
	}
	announce(fmt.Sprintf("another run was here (%s): waiting %v for a sign of it", found, silence))
	select {
	case <-time.After(silence):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	again, err := realm.Note(ctx, turnNote)
	if err != nil || again == "" || again == found {
		return err
	}
	return fmt.Errorf("another run uses the namespace: %s: wait for its end, or set BENCH_NAMESPACE to another name and BENCH_SHARED=true", again)
}

// renew renews the note until the turn ends, or is lost to another run. Servers
// that don't answer are told of by whoever measures them.
func (t *turn) renew(ctx context.Context) {
	defer close(t.done)
	for n := 1; ; n++ {
		select {
		case <-time.After(renewal):
		case <-ctx.Done():
			return
		}
		attempt, cancel := context.WithTimeout(ctx, renewal)
		found, err := t.realm.Note(attempt, turnNote)
		if err == nil && !strings.HasPrefix(found, t.token) {
			cancel()
			t.err = fmt.Errorf("another run has taken the namespace: %q", found)
			close(t.lost)
			return
		}
		if err == nil {
			_ = t.realm.SetNote(attempt, turnNote, fmt.Sprintf("%s, renewed %d times", t.token, n)) // the next may do better
		}
		cancel()
	}
}

// taken is closed when the turn is lost to another run. A run on servers of ours
// has no turn and loses none.
func (t *turn) taken() <-chan struct{} {
	if t == nil {
		return nil
	}
	return t.lost
}

// Err returns why the turn is lost, if it is.
func (t *turn) Err() error {
	select {
	case <-t.taken():
		return t.err
	default:
		return nil
	}
}

// end ends the turn: what the run wrote is removed, unless it is to be kept, or
// another run has it.
func (t *turn) end(ctx context.Context, keep bool) error {
	defer t.realm.Close()
	t.quit()
	<-t.done
	switch {
	case t.Err() != nil:
		return nil // and has been told
	case keep:
		return t.realm.SetNote(ctx, turnNote, "")
	}
	return t.realm.Drop(ctx)
}
