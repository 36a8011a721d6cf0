package targettest

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"
)

func (s *suite) roundTrip(t *testing.T) {
	c := s.client(t, s.store(t))
	for n, size := range []int{0, 1, 2, 255, 256, 1024, 1025, 16 << 10, 64 << 10} {
		row := s.row(n, size)
		put(t, c, row)
		s.check(t, c, row)
	}
	for n, key := range []string{"a", strings.Repeat("k", 256), "AZ-az_09:."} {
		row := s.row(n, 100)
		row.Key = []byte(key)
		put(t, c, row)
		s.check(t, c, row)
	}
}

func (s *suite) overwrite(t *testing.T) {
	store := s.store(t)
	c := s.client(t, store)
	for n, size := range []int{1000, 10, 2000, 0, 1} {
		row := s.row(n, size)
		row.Key = []byte("the-key")
		put(t, c, row)
		s.check(t, c, row)
	}
	wantCount(t, store, 1)
}

func (s *suite) notFound(t *testing.T) {
	c := s.client(t, s.store(t))
	err := c.Get(background(t), s.blank([]byte("missing")))
	if !errors.Is(err, target.ErrNotFound) {
		t.Fatalf("get of a missing row: %v, want ErrNotFound", err)
	}
	if got := target.ClassOf(err); got != record.NotFound {
		t.Fatalf("class of %v is %v, want %v", err, got, record.NotFound)
	}
	if sg, ok := c.(target.StaleGetter); ok {
		if err := sg.GetStale(background(t), s.blank([]byte("missing"))); !errors.Is(err, target.ErrNotFound) {
			t.Fatalf("stale get of a missing row: %v, want ErrNotFound", err)
		}
	}
	put(t, c, s.row(1, 10))
	s.check(t, c, s.row(1, 10))
}

func (s *suite) memory(t *testing.T) {
	c := s.client(t, s.store(t))
	row := s.row(1, 300)
	put(t, c, row)
	scribble(row)
	s.check(t, c, s.row(1, 300))

	got := s.blank(s.row(1, 0).Key)
	if err := c.Get(background(t), got); err != nil {
		t.Fatalf("get: %v", err)
	}
	scribble(got)
	put(t, c, s.row(2, 300))
	s.check(t, c, s.row(1, 300))

	b, ok := c.(target.Batcher)
	if !ok {
		return
	}
	rows := s.rows(10, 3, 300)
	if err := b.PutBatch(background(t), rows); err != nil {
		t.Fatalf("put batch: %v", err)
	}
	for _, row := range rows {
		scribble(row)
	}
	for _, want := range s.rows(10, 3, 300) {
		s.check(t, c, want)
	}
}

func (s *suite) capacity(t *testing.T) {
	c := s.client(t, s.store(t))
	want := s.row(1, 500)
	put(t, c, want)
	got := s.blank(want.Key)
	mem := make([][]byte, s.columns)
	for col := range mem {
		mem[col] = bytes.Repeat([]byte{'x'}, 600)
		got.Values[col] = mem[col]
	}
	if err := c.Get(background(t), got); err != nil {
		t.Fatalf("get: %v", err)
	}
	s.equal(t, got, want)
	for col := range mem {
		if &got.Values[col][0] != &mem[col][0] {
			t.Errorf("column %d was read into new memory, though there was room", col)
		}
	}
}

func (s *suite) stale(t *testing.T) {
	c := s.client(t, s.store(t))
	sg, ok := c.(target.StaleGetter)
	if !ok {
		t.Skip("the system has no stale reads")
	}
	want := s.row(1, 1024)
	put(t, c, want)
	got := s.blank(want.Key)
	ctx := background(t)
	for {
		err := sg.GetStale(ctx, got)
		if err == nil {
			break
		}
		if !errors.Is(err, target.ErrNotFound) || ctx.Err() != nil {
			t.Fatalf("stale get: %v", err)
		}
		time.Sleep(10 * time.Millisecond) // the server that was asked hasn't heard of the row yet
	}
	s.equal(t, got, want)
}
