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

func TestTurns(t *testing.T) {
	quiet := func(string) {}
	take := func(t *testing.T, b *noticeboard) *turn {
		t.Helper()
		turn, err := takeTurn(t.Context(), b, quiet)
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	for _, tc := range []struct {
		sentence string
		note     string // of an earlier run
		do       func(t *testing.T, b *noticeboard)
	}{
		{"a run in an empty namespace doesn't wait, and removes what it wrote", "", func(t *testing.T, b *noticeboard) {
			begin := time.Now()
			turn := take(t, b)
			if waited := time.Since(begin); waited != 0 {
				t.Errorf("it has waited for %v", waited)
			}
			time.Sleep(10 * renewal)
			if err := turn.end(t.Context(), false); err != nil || b.drops != 1 {
				t.Errorf("end: %v, %d drops", err, b.drops)
			}
		}},
		{"what is kept is nobody's turn", "", func(t *testing.T, b *noticeboard) {
			turn := take(t, b)
			time.Sleep(10 * renewal)
			if err := turn.end(t.Context(), true); err != nil || b.drops != 0 || len(b.notes) != 0 {
				t.Errorf("end: %v, %d drops, notes %v", err, b.drops, b.notes)
			}
		}},
		{"a run that was killed is waited for, and not for ever", "process 7", func(t *testing.T, b *noticeboard) {
			begin := time.Now()
			turn := take(t, b)
			if waited := time.Since(begin); waited != silence {
				t.Errorf("it has waited for %v, want %v", waited, silence)
			}
			if err := turn.end(t.Context(), false); err != nil {
				t.Error(err)
			}
		}},
		{"a run that lives isn't disturbed", "", func(t *testing.T, b *noticeboard) {
			first := take(t, b)
			_, err := takeTurn(t.Context(), b, quiet)
			if err == nil || !strings.Contains(err.Error(), "another run uses the namespace: "+first.token) {
				t.Errorf("a second run: %v", err)
			}
			if first.Err() != nil {
				t.Error(first.Err())
			}
			if err := first.end(t.Context(), false); err != nil {
				t.Error(err)
			}
		}},
		{"of two that begin at once one gives up, and removes nothing", "", func(t *testing.T, b *noticeboard) {
			first := take(t, b)
			if err := b.SetNote(t.Context(), turnNote, "process 8"); err != nil { // it had seen no note before
				t.Fatal(err)
			}
			<-first.taken()
			if err := first.Err(); err == nil || !strings.Contains(err.Error(), `another run has taken the namespace: "process 8"`) {
				t.Errorf("the first: %v", err)
			}
			if err := first.end(t.Context(), false); err != nil {
				t.Error(err)
			}
			if b.drops != 0 {
				t.Error("the other's rows were removed")
			}
		}},
		{"nor does one of which the namespace was removed go on", "", func(t *testing.T, b *noticeboard) {
			turn := take(t, b)
			_ = b.Drop(t.Context())
			<-turn.taken()
			_ = turn.end(t.Context(), false)
		}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &noticeboard{notes: map[string]string{}}
				if tc.note != "" {
					b.notes[turnNote] = tc.note
				}
				tc.do(t, b)
			})
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
