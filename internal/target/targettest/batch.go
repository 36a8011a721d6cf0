package targettest

import (
	"errors"
	"testing"

	"kvbench/internal/target"
)

// batcher returns c as a Batcher, or skips.
func batcher(t *testing.T, c target.Client) target.Batcher {
	t.Helper()
	b, ok := c.(target.Batcher)
	if !ok {
		t.Skip("the system has no batches")
	}
	return b
}

func (s *suite) batch(t *testing.T) {
	store := s.store(t)
	c := s.client(t, store)
	reader := s.client(t, store)
	b := batcher(t, c)
	written := int64(0)
	for _, n := range []int{1, 2, 25} {
		rows := s.rows(1000*n, n, 256)
		for _, kind := range []string{"new", "existing", "half existing"} {
			if kind == "half existing" {
				rows = s.rows(1000*n+n/2, n, 300)
				written += int64(n / 2)
			} else if kind == "new" {
				written += int64(n)
			}
			if err := b.CheckBatch(rows); err != nil {
				t.Fatalf("check batch of %d %s rows: %v", n, kind, err)
			}
			if err := b.PutBatch(background(t), rows); err != nil {
				t.Fatalf("put batch of %d %s rows: %v", n, kind, err)
			}
			for _, row := range rows {
				s.check(t, reader, row)
			}
			wantCount(t, store, written)
		}
	}
}

func (s *suite) tooLarge(t *testing.T) {
	store := s.store(t)
	c := s.client(t, store)
	b := batcher(t, c)
	for _, rows := range [][]target.Row{
		s.rows(0, 200, 64<<10),
		s.rows(0, 20, 256<<10),
	} {
		err := b.CheckBatch(rows)
		if err == nil { // the limit is the server's secret
			err = b.PutBatch(background(t), rows)
		}
		if !errors.Is(err, target.ErrTooLarge) {
			t.Fatalf("batch of %d rows of %d bytes: %v, want ErrTooLarge", len(rows), len(rows[0].Values[0]), err)
		}
	}
	if err := b.PutBatch(background(t), s.rows(0, 200, 64<<10)); !errors.Is(err, target.ErrTooLarge) {
		t.Fatalf("put of the batch: %v, want ErrTooLarge", err)
	}
	wantCount(t, store, 0)
	put(t, c, s.row(1, 100))
	s.check(t, c, s.row(1, 100))
}
