package suite

import (
	"context"
	"errors"
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
	open  func(context.Context) (target.Realm, error)
	realm target.Realm // nil after an error: the server that it is a connection to may be gone
	token string       // of this run, with which its notes begin
	lost  chan struct{}
	err   error // why lost is closed

	quit context.CancelFunc
	done chan struct{}
}

const (
	turnNote = "run"
	renewal  = 5 * time.Second
	silence  = 12 * renewal // of a run that is gone
	settle   = time.Second  // of two runs that begin at once the later one has written by then
)

// errTaken is wrapped by the error of a run that has lost its turn.
var errTaken = errors.New("the namespace (BENCH_NAMESPACE) is this run's no longer")

// takeTurn begins a turn in a claimed realm, which the turn closes, and opens anew
// after errors. It is an error if another run is there.
func takeTurn(ctx context.Context, realm target.Realm, open func(context.Context) (target.Realm, error), announce func(string)) (*turn, error) {
	if err := awaitTurn(ctx, realm, announce); err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // for people
	t := &turn{
		open: open, realm: realm, lost: make(chan struct{}), done: make(chan struct{}),
		token: fmt.Sprintf("process %d on %q since %s", os.Getpid(), host, time.Now().UTC().Format(time.RFC3339Nano)),
	}
	if err := realm.SetNote(ctx, turnNote, t.token); err != nil {
		return nil, err
	}
	if err := pause(ctx, settle); err != nil {
		return nil, err
	}
	if err := t.check(ctx, realm); err != nil {
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
	announce(fmt.Sprintf("another run was here (%q): waiting up to %v for a sign of it", found, silence))
	for begin := time.Now(); time.Since(begin) < silence; {
		if err := pause(ctx, settle); err != nil {
			return err
		}
		again, err := realm.Note(ctx, turnNote)
		if err != nil || again == "" {
			return err
		}
		if again != found {
			return fmt.Errorf("another run uses the namespace: %q: wait for its end, or set BENCH_NAMESPACE to another name", again)
		}
	}
	return nil
}

// pause waits for some time.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// check returns an error that wraps errTaken if the namespace is not this run's.
func (t *turn) check(ctx context.Context, realm target.Realm) error {
	found, err := realm.Note(ctx, turnNote)
	switch {
	case err != nil || strings.HasPrefix(found, t.token):
		return err
	case found == "":
		return fmt.Errorf("%w: somebody has removed its note", errTaken)
	}
	return fmt.Errorf("%w: another has left its note there: %q", errTaken, found)
}

// renew renews the note until the turn ends, or is lost: to another run, or since
// others must think that it has ended. Servers that don't answer are told of by
// whoever measures them.
func (t *turn) renew(ctx context.Context) {
	defer close(t.done)
	last := time.Now()
	for n := 1; pause(ctx, renewal) == nil; n++ {
		attempt, cancel := context.WithTimeout(ctx, renewal)
		err := t.write(attempt, fmt.Sprintf("%s, renewed %d times", t.token, n))
		cancel()
		since := time.Since(last)
		switch {
		case err == nil:
			last = time.Now()
		case errors.Is(err, errTaken):
			t.lose(err)
			return
		case since > silence:
			t.lose(fmt.Errorf("%w: it could not be told for %v that this run is there: %w", errTaken, since.Round(time.Second), err))
			return
		}
	}
}

func (t *turn) lose(err error) {
	t.err = err
	close(t.lost)
}

// write writes the note, if the namespace is this run's.
func (t *turn) write(ctx context.Context, note string) (err error) {
	if t.realm == nil {
		if t.realm, err = t.open(ctx); err != nil {
			t.realm = nil // whatever came with the error
			return err
		}
	}
	if err = t.check(ctx, t.realm); err == nil {
		err = t.realm.SetNote(ctx, turnNote, note)
	}
	if err != nil {
		t.leave()
	}
	return err
}

// leave closes the realm.
func (t *turn) leave() {
	if t.realm != nil {
		t.realm.Close()
		t.realm = nil
	}
}

// taken is closed when the turn is lost. A run on servers of ours has no turn and
// loses none.
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

// end ends the turn: what the run wrote is removed, unless it is to be kept, or the
// namespace is another's. A loss that Err has told of is no error again.
func (t *turn) end(ctx context.Context, keep bool) error {
	t.quit()
	<-t.done
	t.leave()
	realm, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer realm.Close()
	switch err := t.check(ctx, realm); {
	case errors.Is(err, errTaken) && t.Err() != nil:
		return nil
	case err != nil:
		return err
	case keep:
		return realm.SetNote(ctx, turnNote, "")
	}
	return realm.Drop(ctx)
}
