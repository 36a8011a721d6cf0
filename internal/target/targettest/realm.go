package targettest

import (
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
		{"a realm that is dropped is gone, with its tables and notes", land.drop},
		{"what isn't ours is not claimed, written to, or dropped", land.foreign},
		{"somebody else's things are seen", land.others},
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
	if n, err := store.Count(background(t)); n != 0 || err != nil {
		t.Errorf("a new table has %d rows, %v; want none", n, err)
	}
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
	if err := r.Drop(background(t)); !errors.Is(err, target.ErrForeign) {
		t.Errorf("drop: got %v, want %v", err, target.ErrForeign)
	}
	if !remains() {
		t.Error("what was somebody else's is gone")
	}
}

func (land Land) others(t *testing.T) {
	r := land.realm(t, "realm_mine")
	if err := r.Claim(background(t)); err != nil {
		t.Fatal(err)
	}
	land.fill(t, "realm_mine")
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
