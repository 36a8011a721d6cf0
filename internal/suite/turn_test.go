package suite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A noticeboard is a realm of which the notes matter.
type noticeboard struct {
	fakeRealm
	mu    sync.Mutex
	notes map[string]string
	drops int
}

func (b *noticeboard) Note(_ context.Context, name string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notes[name], nil
}

func (b *noticeboard) SetNote(_ context.Context, name, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text == "" {
		delete(b.notes, name)
	} else {
		b.notes[name] = text
	}
	return nil
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
	turn, err := takeTurn(t.Context(), b, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return turn, time.Since(begin)
}

func TestTurnInAnEmptyNamespace(t *testing.T) {
	for keep, drops := range map[bool]int{false: 1, true: 0} {
		onBoard(t, "", func(t *testing.T, b *noticeboard) {
			turn, waited := b.take(t)
			if waited != 0 {
				t.Errorf("it has waited for %v", waited)
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
		if waited != silence {
			t.Errorf("it has waited for %v, want %v", waited, silence)
		}
		if err := turn.end(t.Context(), false); err != nil {
			t.Error(err)
		}
	})
}

func TestTurnOfARunThatLives(t *testing.T) {
	onBoard(t, "", func(t *testing.T, b *noticeboard) {
		first, _ := b.take(t)
		_, err := takeTurn(t.Context(), b, func(string) {})
		if err == nil || !strings.Contains(err.Error(), "another run uses the namespace: "+first.token) {
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

// Of two runs that begin at once one gives up, and removes nothing; nor does a run
// go on of which somebody has removed the namespace.
func TestTurnThatIsLost(t *testing.T) {
	for _, note := range []string{"process 8", ""} {
		onBoard(t, "", func(t *testing.T, b *noticeboard) {
			turn, _ := b.take(t)
			if err := b.SetNote(t.Context(), turnNote, note); err != nil {
				t.Fatal(err)
			}
			<-turn.taken()
			if err := turn.Err(); err == nil || !strings.Contains(err.Error(), "another run has taken the namespace: ") {
				t.Errorf("note %q: %v", note, err)
			}
			if err := turn.end(t.Context(), false); err != nil || b.drops != 0 {
				t.Errorf("note %q: error %v, %d drops, want none", note, err, b.drops)
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
	o.says(t, "another run uses the namespace: another, for the time ", "set BENCH_NAMESPACE")
	resp, err := kv.Get(t.Context(), "kvbench/.kvbench")
	if err != nil || len(resp.Kvs) != 1 {
		t.Errorf("the mark: %v, error %v; want it left", resp.Kvs, err)
	}
}
