package targettest

import (
	"bytes"
	"fmt"
	"testing"

	"kvbench/internal/target"
)

// row makes row n with values of size bytes. Equal arguments make equal rows;
// every byte value occurs in values of 256 bytes and more.
func (s *suite) row(n, size int) target.Row {
	row := target.Row{Key: fmt.Appendf(nil, "key-%08d", n), Values: make([][]byte, s.columns)}
	for col := range row.Values {
		row.Values[col] = make([]byte, size)
		for i := range row.Values[col] {
			row.Values[col][i] = byte(i + 31*n + 7*col)
		}
	}
	return row
}

// rows makes rows from, from+1, … of size bytes a value.
func (s *suite) rows(from, n, size int) []target.Row {
	rows := make([]target.Row, n)
	for i := range rows {
		rows[i] = s.row(from+i, size)
	}
	return rows
}

// blank is a row to read key into.
func (s *suite) blank(key []byte) target.Row {
	return target.Row{Key: bytes.Clone(key), Values: make([][]byte, s.columns)}
}

// scribble overwrites all memory of row.
func scribble(row target.Row) {
	for _, mem := range append(row.Values, row.Key) {
		for i := range mem {
			mem[i] = '!'
		}
	}
}

// put writes row.
func put(t *testing.T, c target.Client, row target.Row) {
	t.Helper()
	if err := c.Put(background(t), row); err != nil {
		t.Fatalf("put %.20q, %d bytes: %v", row.Key, len(row.Values[0]), err)
	}
}

// check reads the row of want's key and compares.
func (s *suite) check(t *testing.T, c target.Client, want target.Row) {
	t.Helper()
	got := s.blank(want.Key)
	if err := c.Get(background(t), got); err != nil {
		t.Fatalf("get %.20q: %v", want.Key, err)
	}
	s.equal(t, got, want)
}

// equal compares the values of two rows.
func (s *suite) equal(t *testing.T, got, want target.Row) {
	t.Helper()
	if len(got.Values) != s.columns {
		t.Fatalf("row %.20q has %d columns, want %d", want.Key, len(got.Values), s.columns)
	}
	for col := range want.Values {
		if !bytes.Equal(got.Values[col], want.Values[col]) {
			t.Fatalf("row %.20q column %d: got %d bytes, %.40q, want %d bytes, %.40q", want.Key, col,
				len(got.Values[col]), got.Values[col], len(want.Values[col]), want.Values[col])
		}
	}
}

// wantCount compares the number of rows that the servers count.
func wantCount(t *testing.T, store target.Store, want int64) {
	t.Helper()
	got, err := store.Count(background(t))
	if err != nil {
		t.Fatalf("count: %v", err)
	}
	if got != want {
		t.Fatalf("count is %d, want %d", got, want)
	}
}
