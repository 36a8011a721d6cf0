package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kvbench/internal/target"
)

// A noticeboard is a realm of which the notes matter.
type noticeboard struct {
	fakeRealm
	mu    sync.Mutex
	notes map[string]string
	drops int
	down  error // of all requests
}

func (b *noticeboard) Note(_ context.Context, name string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notes[name], b.down
}

func (b *noticeboard) SetNote(_ context.Context, name, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down != nil {
		return b.down
	}
	if text == "" {
		delete(b.notes, name)
	} else {
		b.notes[name] = text
	}
	return nil
}

// open is how a turn opens the realm anew.
func (b *noticeboard) open(context.Context) (target.Realm, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b, b.down
}

// fail makes all requests fail, or none.
func (b *noticeboard) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = err
}

func (b *noticeboard) Drop(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.notes)
	b.drops++
	return nil
}

// onBoard runs a test at synthetic time, in a namespace with the note of an earlier
// run, if there is one.
func onBoard(t *testing.T, note string, do func(*testing.T, *noticeboard)) {
	synctest.Test(t, func(t *testing.T) {
		b := &noticeboard{notes: map[string]string{}}
		if note != "" {
			b.notes[turnNote] = note
		}
		do(t, b)
	})
}

// take takes a turn, and returns how long it had to wait for it.
func (b *noticeboard) take(t *testing.T) (*turn, time.Duration) {
	t.Helper()
	begin := time.Now()
	turn, err := takeTurn(t.Context(), b, b.open, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return turn, time.Since(begin)
}

func TestTurnInAnEmptyNamespace(t *testing.T) {
	for keep, drops := range map[bool]int{false: 1, true: 0} {
		onBoard(t, "", func(t *testing.T, b *noticeboard) {
			turn, waited := b.take(t)
			if waited != settle {
				t.Errorf("it has waited for %v, want %v", waited, settle)
			}
			time.Sleep(10 * renewal)
			if err := turn.end(t.Context(), keep); err != nil || b.drops != drops || len(b.notes) != 0 {
				t.Errorf("keep %v: error %v, %d drops, notes %v; want %d drops and no notes", keep, err, b.drops, b.notes, drops)
			}
		})
	}
}

// A run that was killed is waited for, and not for ever.
func TestTurnAfterAKilledRun(t *testing.T) {
	onBoard(t, "process 7", func(t *testing.T, b *noticeboard) {
		turn, waited := b.take(t)
		if want := silence + settle; waited != want {
			t.Errorf("it has waited for %v, want %v", waited, want)
		}
		if err := turn.end(t.Context(), false); err != nil {
			t.Error(err)
		}
	})
}

func TestTurnOfARunThatLives(t *testing.T) {
	onBoard(t, "", func(t *testing.T, b *noticeboard) {
		first, _ := b.take(t)
		_, err := takeTurn(t.Context(), b, b.open, func(string) {})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("another run uses the namespace: %q", first.token+", renewed 1 times")) {
			t.Errorf("a second run: %v", err)
		}
		if first.Err() != nil {
			t.Error(first.Err())
		}
		if err := first.end(t.Context(), false); err != nil {
			t.Error(err)
		}
	})
}

// Of two runs that begin at once one gives up, and removes nothing.
func TestTwoTurnsAtOnce(t *testing.T) {
	onBoard(t, "", func(t *testing.T, b *noticeboard) {
		var turns [2]*turn
		var errs [2]error
		var both sync.WaitGroup
		for i := range turns {
			both.Go(func() {
				time.Sleep(time.Duration(i) * settle / 2)
				turns[i], errs[i] = takeTurn(t.Context(), &hasty{noticeboard: b}, b.open, func(string) {})
			})
		}
		both.Wait()
		if !errors.Is(errs[0], errTaken) || errs[1] != nil || b.drops != 0 {
			t.Fatalf("errors %v and %v, %d drops; want the first to give up", errs[0], errs[1], b.drops)
		}
		if err := turns[1].end(t.Context(), false); err != nil || b.drops != 1 {
			t.Errorf("the second: error %v, %d drops, want one", err, b.drops)
		}
	})
}

// A hasty realm is empty when it is first looked at.
type hasty struct {
	*noticeboard
	looked bool
}

func (h *hasty) Note(ctx context.Context, name string) (string, error) {
	if !h.looked {
		h.looked = true
		return "", nil
	}
	return h.noticeboard.Note(ctx, name)
}

// A run does not go on, nor remove anything, if another run has taken the namespace
// or somebody has removed it.
func TestTurnThatIsLost(t *testing.T) {
	for note, want := range map[string]string{"process 8": `another has left its note there: "process 8"`, "": "somebody has removed its note"} {
		onBoard(t, "", func(t *testing.T, b *noticeboard) {
			turn, _ := b.take(t)
			if err := b.SetNote(t.Context(), turnNote, note); err != nil {
				t.Fatal(err)
			}
			<-turn.taken()
			if err := turn.Err(); !errors.Is(err, errTaken) || !strings.Contains(err.Error(), want) {
				t.Errorf("note %q: %v, want %q", note, err, want)
			}
			if err := turn.end(t.Context(), false); err != nil || b.drops != 0 {
				t.Errorf("note %q: error %v, %d drops, want none", note, err, b.drops)
			}
		})
		onBoard(t, "", func(t *testing.T, b *noticeboard) { // just before the end
			turn, _ := b.take(t)
			if err := b.SetNote(t.Context(), turnNote, note); err != nil {
				t.Fatal(err)
			}
			if err := turn.end(t.Context(), false); !errors.Is(err, errTaken) || b.drops != 0 {
				t.Errorf("note %q before the end: error %v, %d drops; want %v, and none", note, err, b.drops, errTaken)
			}
		})
	}
}

// Servers may be gone for some time. If it is long, others must think that the run
// has ended; as long as none has come it cleans up.
func TestTurnOnServersThatFail(t *testing.T) {
	for _, test := range []struct {
		gone time.Duration
		lost bool
	}{{silence - 2*renewal, false}, {silence + 2*renewal, true}} {
		onBoard(t, "", func(t *testing.T, b *noticeboard) {
			turn, _ := b.take(t)
			b.fail(target.ErrUnavailable)
			time.Sleep(test.gone)
			b.fail(nil)
			time.Sleep(2 * renewal)
			if err := turn.Err(); (err != nil) != test.lost || err != nil && !errors.Is(err, target.ErrUnavailable) {
				t.Errorf("gone for %v: %v, want lost: %v", test.gone, err, test.lost)
			}
			if err := turn.end(t.Context(), false); err != nil || b.drops != 1 {
				t.Errorf("gone for %v: error %v, %d drops, want one", test.gone, err, b.drops)
			}
		})
	}
}

// A run is refused a namespace on a real cluster in which another one is.
func TestTurnOnRealEtcd(t *testing.T) {
	kv, endpoint := realEtcd(t)
	if _, err := kv.Put(t.Context(), "kvbench/.kvbench", "kvbench"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var other sync.WaitGroup
	defer other.Wait()
	defer cancel()
	other.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			_, _ = kv.Put(ctx, "kvbench/.kvbench/run", fmt.Sprint("another, for the time ", n))
			time.Sleep(100 * time.Millisecond)
		}
	})
	o := invocation{fake: "real", bench: "Get/system=etcd/clients=4", args: []string{"-test.benchtime=100x"},
		env: []string{"BENCH_WARMUP=0s", "ETCD_ENDPOINTS=" + endpoint}}.run(t)
	o.ends(t, 1)
	o.says(t, "another run uses the namespace: \"another, for the time ", "set BENCH_NAMESPACE")
	resp, err := kv.Get(t.Context(), "kvbench/.kvbench")
	if err != nil || len(resp.Kvs) != 1 {
		t.Errorf("the mark: %v, error %v; want it left", resp.Kvs, err)
	}
}
