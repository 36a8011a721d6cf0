package targettest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"kvbench/internal/target"

	"go.uber.org/goleak"
)

func (s *suite) count(t *testing.T) {
	store := s.store(t)
	c := s.client(t, store)
	wantCount(t, store, 0)
	for n := range 300 {
		put(t, c, s.row(n, 10))
	}
	wantCount(t, store, 300)
	for n := range 100 {
		put(t, c, s.row(n, 20))
	}
	wantCount(t, store, 300)
	b, ok := c.(target.Batcher)
	if !ok {
		return
	}
	if err := b.PutBatch(background(t), s.rows(290, 20, 10)); err != nil {
		t.Fatalf("put a batch of rows of which half exist: %v", err)
	}
	wantCount(t, store, 310)
}

func (s *suite) clear(t *testing.T) {
	store := s.store(t)
	c := s.client(t, store)
	for range 2 {
		for n := range 50 {
			put(t, c, s.row(n, 100))
		}
		wantCount(t, store, 50)
		for range 2 {
			if err := store.Clear(background(t)); err != nil {
				t.Fatalf("clear: %v", err)
			}
			wantCount(t, store, 0)
		}
		if err := c.Get(background(t), s.blank(s.row(1, 0).Key)); !errors.Is(err, target.ErrNotFound) {
			t.Fatalf("get after clear: %v, want ErrNotFound", err)
		}
	}
}

func (s *suite) reopen(t *testing.T) {
	put(t, s.client(t, s.store(t)), s.row(7, 100))
	store := s.open(t)
	t.Cleanup(func() { store.Close() })
	wantCount(t, store, 1)
	s.check(t, s.client(t, store), s.row(7, 100))
}

func (s *suite) concurrent(t *testing.T) {
	const clients, each = 16, 25
	store := s.store(t)
	var wg sync.WaitGroup
	for n := range clients {
		c := s.client(t, store)
		wg.Go(func() {
			if err := s.writeAndRead(t, c, n*each, each); err != nil {
				t.Errorf("client %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	wantCount(t, store, clients*each)
}

// writeAndRead puts rows [from, from+n) and then reads them twice into the same memory.
func (s *suite) writeAndRead(t *testing.T, c target.Client, from, n int) error {
	ctx := background(t)
	for _, row := range s.rows(from, n, 256) {
		if err := c.Put(ctx, row); err != nil {
			return fmt.Errorf("put: %w", err)
		}
	}
	got := s.blank(nil)
	for range 2 {
		for _, want := range s.rows(from, n, 256) {
			got.Key = append(got.Key[:0], want.Key...)
			if err := c.Get(ctx, got); err != nil {
				return fmt.Errorf("get: %w", err)
			}
			for col := range want.Values {
				if !bytes.Equal(got.Values[col], want.Values[col]) {
					return fmt.Errorf("row %q column %d is not what was written", want.Key, col)
				}
			}
		}
	}
	return nil
}

func (s *suite) leak(t *testing.T) {
	before := goleak.IgnoreCurrent()
	store := s.open(t)
	c, err := store.Client(background(t))
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	put(t, c, s.row(1, 10))
	if err := c.Close(); err != nil {
		t.Errorf("close client: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Errorf("close store: %v", err)
	}
	goleak.VerifyNone(t, before)
}
