package targettest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"kvbench/internal/target"
)

// A Land is a system's place for realms that a test of realms works in.
type Land struct {
	// Open opens the realm called name.
	Open func(t *testing.T, name string) target.Realm

	// Store opens a table of the realm called name, as the suite does.
	Store func(t *testing.T, name string) target.Store

	// TryOpen opens a table of the realm called name, as the suite does, and closes
	// it. If it is nil it isn't tested that this claims the realm first.
	TryOpen func(ctx context.Context, name string) error

	// Intrude makes something of somebody else's whose name begins with name,
	// as another program would, and returns what tells whether it is still there:
	// at the place of a realm of that name, if at is true, else beside all realms.
	Intrude func(t *testing.T, name string, at bool) (remains func() bool)

	// Alone is true if nobody else uses the system, so that what Others says can
	// be foreseen.
	Alone bool
}

// TestRealm runs the contract test of realms.
func TestRealm(t *testing.T, land Land) {
	for _, part := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"a realm is claimed once, and again", land.claim},
		{"notes are kept beside the mark", land.notes},
		{"mark and notes are no rows, and stay when rows are cleared", land.clear},
		{"a realm that is dropped is gone, with its tables and notes", land.drop},
		{"a realm that is dropped takes no other along", land.neighbour},
		{"what isn't ours is not claimed, written to, or dropped", land.foreign},
		{"somebody else's things are seen, and the suite's other realms are none", land.others},
	} {
		t.Run(part.name, part.run)
	}
}

// realm opens a realm that is dropped and closed when t ends.
func (land Land) realm(t *testing.T, name string) target.Realm {
	t.Helper()
	r := land.Open(t, name)
	t.Cleanup(func() {
		if err := r.Drop(background(t)); err != nil && !errors.Is(err, target.ErrForeign) {
			t.Errorf("drop: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

func (land Land) claim(t *testing.T) {
	r := land.realm(t, "realm_claim")
	for range 2 {
		if err := r.Claim(background(t)); err != nil {
			t.Fatalf("claim: %v", err)
		}
	}
	second := land.realm(t, "realm_claim")
	if err := second.Claim(background(t)); err != nil {
		t.Errorf("claim by a later run: %v", err)
	}
}

func (land Land) notes(t *testing.T) {
	r := land.realm(t, "realm_notes")
	if err := r.Claim(background(t)); err != nil {
		t.Fatal(err)
	}
	land.wantNote(t, r, "preload", "")
	for _, text := range []string{"100 rows, seed 1", "200 rows; it's \"quoted\"", ""} {
		if err := r.SetNote(background(t), "preload", text); err != nil {
			t.Fatalf("set a note: %v", err)
		}
		land.wantNote(t, r, "preload", text)
		land.wantNote(t, land.realm(t, "realm_notes"), "preload", text)
		land.wantNote(t, r, "other", "")
	}
}

func (land Land) wantNote(t *testing.T, r target.Realm, name, want string) {
	t.Helper()
	if got, err := r.Note(background(t), name); err != nil || got != want {
		t.Errorf("note %q: got %q, %v; want %q", name, got, err, want)
	}
}

func (land Land) clear(t *testing.T) {
	r := land.realm(t, "realm_clear")
	if err := r.Claim(background(t)); err != nil {
		t.Fatal(err)
	}
	if err := r.SetNote(background(t), "preload", "1 row"); err != nil {
		t.Fatal(err)
	}
	land.fill(t, "realm_clear")
	store := land.Store(t, "realm_clear")
	defer store.Close()
	land.wantRows(t, store, 1)
	if err := store.Clear(background(t)); err != nil {
		t.Fatal(err)
	}
	land.wantRows(t, store, 0)
	land.wantNote(t, r, "preload", "1 row")
	if err := r.Claim(background(t)); err != nil {
		t.Errorf("claim a realm whose table is empty: %v", err)
	}
}

func (land Land) wantRows(t *testing.T, store target.Store, want int64) {
	t.Helper()
	if n, err := store.Count(background(t)); n != want || err != nil {
		t.Errorf("the table has %d rows, %v; want %d", n, err, want)
	}
}

func (land Land) drop(t *testing.T) {
	r := land.realm(t, "realm_drop")
	if err := r.Drop(background(t)); err != nil {
		t.Fatalf("drop a realm that isn't there: %v", err)
	}
	land.fill(t, "realm_drop")
	if err := r.SetNote(background(t), "preload", "1 row"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Drop(background(t)); err != nil {
			t.Fatalf("drop: %v", err)
		}
	}
	if err := r.Claim(background(t)); err != nil {
		t.Fatalf("claim what was dropped: %v", err)
	}
	land.wantNote(t, r, "preload", "")
	store := land.Store(t, "realm_drop")
	defer store.Close()
	land.wantRows(t, store, 0)
}

// neighbour drops a realm whose name another's begins with.
func (land Land) neighbour(t *testing.T) {
	r, neighbour := land.realm(t, "realm_next"), land.realm(t, "realm_next_door")
	for _, name := range []string{"realm_next", "realm_next_door"} {
		land.fill(t, name)
	}
	if err := neighbour.SetNote(background(t), "preload", "1 row"); err != nil {
		t.Fatal(err)
	}
	if err := r.Drop(background(t)); err != nil {
		t.Fatal(err)
	}
	land.wantNote(t, neighbour, "preload", "1 row")
	store := land.Store(t, "realm_next_door")
	defer store.Close()
	land.wantRows(t, store, 1)
}

// fill writes a row into a table of a realm.
func (land Land) fill(t *testing.T, name string) {
	t.Helper()
	store := land.Store(t, name)
	defer store.Close()
	c, err := store.Client(background(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Put(background(t), target.Row{Key: []byte("key"), Values: [][]byte{[]byte("value")}}); err != nil {
		t.Fatal(err)
	}
}

func (land Land) foreign(t *testing.T) {
	remains := land.Intrude(t, "realm_foreign", true)
	r := land.realm(t, "realm_foreign")
	err := r.Claim(background(t))
	if !errors.Is(err, target.ErrForeign) {
		t.Errorf("claim: got %v, want %v", err, target.ErrForeign)
	} else if !strings.Contains(err.Error(), `"realm_foreign"`) {
		t.Errorf("the error does not quote the name: %v", err)
	}
	if land.TryOpen != nil {
		if err := land.TryOpen(background(t), "realm_foreign"); !errors.Is(err, target.ErrForeign) {
			t.Errorf("open a table: got %v, want %v", err, target.ErrForeign)
		}
	}
	if other, err := r.Others(background(t)); err != nil || other == "" || land.Alone && !strings.Contains(other, "realm_foreign") {
		t.Errorf("what is at our place is not seen: got %q, %v", other, err)
	}
	if err := r.Drop(background(t)); !errors.Is(err, target.ErrForeign) {
		t.Errorf("drop: got %v, want %v", err, target.ErrForeign)
	}
	if !remains() {
		t.Error("what was somebody else's is gone")
	}
}

func (land Land) others(t *testing.T) {
	r := land.realm(t, "realm_mine")
	for _, mine := range []target.Realm{r, land.realm(t, "realm_mine_too")} {
		if err := mine.Claim(background(t)); err != nil {
			t.Fatal(err)
		}
	}
	land.fill(t, "realm_mine")
	land.fill(t, "realm_mine_too")
	if land.Alone {
		if other, err := r.Others(background(t)); other != "" || err != nil {
			t.Errorf("nobody else is there: got %q, %v", other, err)
		}
	}
	land.Intrude(t, "realm_other", false)
	if other, err := r.Others(background(t)); err != nil || other == "" || land.Alone && !strings.Contains(other, "realm_other") {
		t.Errorf("somebody else is there: got %q, %v", other, err)
	}
}
