package targettest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"kvbench/internal/target"
	"kvbench/internal/target/fake"
)

// A memory is a system of realms in memory, with a fault if it has the name of one.
type memory struct {
	fault string

	mu     sync.Mutex
	realms map[string]*memoryRealm // of all namespaces; others' have no mark
}

// A memoryRealm is a namespace, or what somebody else has.
type memoryRealm struct {
	marked bool
	notes  map[string]string
	rows   *fake.Data
}

// has reports whether the fault is the one that is named.
func (m *memory) has(fault string) bool { return m.fault == fault }

// claim returns the realm called name, which it makes.
func (m *memory) claim(name string) (*memoryRealm, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.realms[name]
	if r == nil {
		r = &memoryRealm{marked: true, notes: map[string]string{}, rows: &fake.Data{}}
		m.realms[name] = r
	} else if m.has("claims once only") {
		return nil, fmt.Errorf("realm %q exists", name)
	}
	if !r.marked && !m.has("claims what is foreign") {
		return nil, m.foreign(name)
	}
	return r, nil
}

func (m *memory) foreign(name string) error {
	if m.has("does not name what is foreign") {
		name = "it"
	}
	return fmt.Errorf("%q: %w", name, target.ErrForeign)
}

// openStore opens the table of a realm.
func (m *memory) openStore(name string) (*memoryStore, error) {
	r, err := m.claim(name)
	if err != nil && !m.has("writes without a claim") {
		return nil, err
	}
	if r == nil {
		r = &memoryRealm{rows: &fake.Data{}}
	}
	return &memoryStore{fake.Open(fake.Config{Data: r.rows}), m, r}, nil
}

// A memoryStore is a table of a realm.
type memoryStore struct {
	*fake.Store
	memory *memory
	realm  *memoryRealm
}

func (s *memoryStore) Count(ctx context.Context) (int64, error) {
	n, err := s.Store.Count(ctx)
	if s.memory.has("counts notes") {
		n += int64(len(s.realm.notes))
	}
	return n, err
}

func (s *memoryStore) Clear(ctx context.Context) error {
	if s.memory.has("clears notes") {
		clear(s.realm.notes)
	}
	if s.memory.has("clears the mark") {
		s.realm.marked = false
	}
	return s.Store.Clear(ctx)
}

// A memoryHandle is what the suite has of a realm.
type memoryHandle struct {
	memory *memory
	name   string
}

var _ target.Realm = memoryHandle{}

func (h memoryHandle) Others(context.Context) (string, error) {
	m := h.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.realms)) {
		mine := m.realms[name].marked
		switch {
		case m.has("sees nobody"), m.has("does not see what is at its place") && name == h.name:
			continue
		case m.has("takes itself for another") && name == h.name, m.has("takes the suite's for others'") && name != h.name:
			mine = false
		}
		if !mine {
			return fmt.Sprintf("realm %q", name), nil
		}
	}
	return "", nil
}

func (h memoryHandle) Claim(context.Context) error {
	_, err := h.memory.claim(h.name)
	return err
}

func (h memoryHandle) SetNote(_ context.Context, name, text string) error {
	m := h.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	notes := m.realms[h.name].notes
	if m.has("has one note only") {
		clear(notes)
		name = ""
	}
	switch {
	case text != "":
		notes[name] = text
	case !m.has("keeps removed notes"):
		delete(notes, name)
	}
	return nil
}

func (h memoryHandle) Note(_ context.Context, name string) (string, error) {
	m := h.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.realms[h.name]
	if r == nil {
		return "", nil
	}
	if m.has("has one note only") {
		name = ""
	}
	return r.notes[name], nil
}

func (h memoryHandle) Drop(context.Context) error {
	m := h.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.realms[h.name]
	if r == nil {
		if m.has("drops what is there only") {
			return fmt.Errorf("no realm %q", h.name)
		}
		return nil
	}
	if !r.marked && !m.has("drops what is foreign") {
		return m.foreign(h.name)
	}
	for name := range m.realms {
		if name == h.name || m.has("drops by prefix") && strings.HasPrefix(name, h.name) {
			m.remove(name)
		}
	}
	return nil
}

// remove removes a namespace.
func (m *memory) remove(name string) {
	switch r := m.realms[name]; m.fault {
	case "leaves rows":
		r.notes = map[string]string{}
	case "leaves notes":
		r.rows = &fake.Data{}
	default:
		delete(m.realms, name)
	}
}

func (h memoryHandle) Close() error { return nil }

// land is the memory as the contract test wants it.
func (m *memory) land() Land {
	return Land{
		Alone: true,
		Open:  func(_ *testing.T, name string) target.Realm { return memoryHandle{m, name} },
		Store: func(t *testing.T, name string) target.Store {
			store, err := m.openStore(name)
			if err != nil {
				t.Fatal(err)
			}
			return store
		},
		TryOpen: func(_ context.Context, name string) error {
			_, err := m.openStore(name)
			return err
		},
		Intrude: func(t *testing.T, name string, at bool) func() bool {
			if !at {
				name += "-and-more"
			}
			theirs := &memoryRealm{rows: &fake.Data{}}
			there := func() *memoryRealm { m.mu.Lock(); defer m.mu.Unlock(); return m.realms[name] }
			m.mu.Lock()
			defer m.mu.Unlock()
			m.realms[name] = theirs
			t.Cleanup(func() {
				m.mu.Lock()
				defer m.mu.Unlock()
				delete(m.realms, name)
			})
			return func() bool { return there() == theirs }
		},
	}
}
