package cql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

func TestRealm(t *testing.T) {
	testRealm(t, Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints()})
}

// testRealm runs the contract test of realms with the given credentials.
func testRealm(t *testing.T, base Config) {
	named := func(name string) Config {
		c := base
		c.Namespace, c.Table = name, "rows"
		return c
	}
	targettest.TestRealm(t, targettest.Land{
		Alone: true,
		Open:  func(t *testing.T, name string) target.Realm { return openRealm(t, named(name)) },
		Store: func(t *testing.T, name string) target.Store {
			s, err := Open(t.Context(), named(name))
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		TryOpen: func(ctx context.Context, name string) error {
			s, err := Open(ctx, named(name))
			if err != nil {
				return err
			}
			return s.Close()
		},
		Intrude: func(t *testing.T, name string, at bool) func() bool {
			if !at {
				name += "_and_more"
			}
			return intrude(t, base, name)
		},
	})
}

func openRealm(t *testing.T, c Config) Realm {
	t.Helper()
	r, err := OpenRealm(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// intrude makes a keyspace with a table, as somebody else would.
func intrude(t *testing.T, c Config, keyspace string) (remains func() bool) {
	t.Helper()
	c.Namespace = keyspace
	r := openRealm(t, c)
	exec := func(stmts ...string) {
		t.Helper()
		for _, stmt := range stmts {
			if err := r.exec(context.Background(), stmt); err != nil {
				t.Fatal(err)
			}
		}
	}
	exec("CREATE KEYSPACE "+keyspace+" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE "+keyspace+".theirs (k int PRIMARY KEY)", "INSERT INTO "+keyspace+".theirs (k) VALUES (1)")
	t.Cleanup(func() {
		exec("DROP KEYSPACE " + keyspace)
		r.Close()
	})
	return func() bool {
		var n int
		err := r.Query("SELECT k FROM " + keyspace + ".theirs").Scan(&n)
		return err == nil && n == 1
	}
}

// A keyspace of others may have a name like those of the servers' own.
func TestNameLikeTheServersOwn(t *testing.T) {
	c := Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints(), Namespace: "realm_like", Table: "rows"}
	intrude(t, c, "systems")
	r := openRealm(t, c)
	defer r.Close()
	if other, err := r.Others(t.Context()); err != nil || other != `keyspace "systems"` {
		t.Errorf("got %q, %v", other, err)
	}
}

// A keyspace that somebody has made is taken once it is marked, and never dropped.
func TestKeyspaceThatWasMadeForTheSuite(t *testing.T) {
	const markIt = "CREATE TABLE realm_made.kvbench (name text PRIMARY KEY, value text)"
	c := Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints(), Namespace: "realm_made", Table: "rows"}
	r := openRealm(t, c)
	defer r.Close()
	makeKeyspace(t, r, 1)
	if err := r.Claim(t.Context()); !errors.Is(err, target.ErrForeign) || !strings.Contains(err.Error(), markIt) {
		t.Fatalf("without the mark: %v, want %v, and %q", err, target.ErrForeign, markIt)
	}
	if err := r.exec(t.Context(), markIt); err != nil {
		t.Fatal(err)
	}
	store := open(t, c)
	put(t, store)
	if err := r.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	there, marked, tables, err := r.look(t.Context())
	if err != nil || !there || !marked || strings.Join(tables, " ") != "rows" {
		t.Errorf("after the drop: there %v, marked %v, tables %q, error %v; want it there, with its tables", there, marked, tables, err)
	}
	if n, err := store.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("after the drop there are %d rows, error %v; want none", n, err)
	}
}

// Somebody else makes the keyspace between the look for it and its creation.
func TestSomebodyElseIsFirst(t *testing.T) {
	r := openRealm(t, Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints(), Namespace: "realm_first"})
	defer r.Close()
	makeKeyspace(t, r, 1)
	if err := r.makeKeyspace(t.Context(), "datacenter1"); !errors.Is(err, target.ErrForeign) {
		t.Errorf("an empty one: %v, want %v", err, target.ErrForeign)
	}
	if _, marked, _, err := r.look(t.Context()); marked || err != nil {
		t.Errorf("marked: %v, error %v; want it as it was", marked, err)
	}
	if err := r.createTable(t.Context(), markTable, markSchema()); err != nil {
		t.Fatal(err)
	}
	if err := r.makeKeyspace(t.Context(), "datacenter1"); err != nil {
		t.Errorf("one with the mark: %v", err)
	}
	if own, err := r.Note(t.Context(), made); own != "" || err != nil {
		t.Errorf("made by the suite: %q, error %v; want that it isn't", own, err)
	}
}

// A run that ends before its realm is complete leaves what can be dropped and
// claimed again, or what is refused since it could be somebody else's.
func TestHalfMadeRealm(t *testing.T) {
	r := openRealm(t, Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints(), Namespace: "realm_half"})
	defer r.Close()
	claim := func() error { return r.Claim(t.Context()) }
	keyspace := func() error { return r.exec(t.Context(), r.config.keyspaceDDL("datacenter1")) }
	table := func(name string, schema Schema) func() error {
		return func() error { return r.createTable(t.Context(), name, schema) }
	}
	for _, test := range []struct {
		sentence string
		steps    []func() error
		remains  bool
		refused  error
	}{
		{"claimed", []func() error{claim}, false, nil},
		{"claimed, with a table", []func() error{claim, table("ready", KeyValue())}, false, nil},
		{"a keyspace alone", []func() error{keyspace}, true, target.ErrForeign},
		{"a keyspace with the mark, but no note of who made it", []func() error{keyspace, table(markTable, markSchema())}, true, nil},
	} {
		for _, step := range test.steps {
			if err := step(); err != nil {
				t.Fatalf("%s: %v", test.sentence, err)
			}
		}
		if err := r.Drop(t.Context()); !errors.Is(err, test.refused) {
			t.Errorf("%s: drop: %v, want %v", test.sentence, err, test.refused)
		}
		if there, _, _, err := r.look(t.Context()); there != test.remains || err != nil {
			t.Errorf("%s: there after the drop: %v, error %v; want %v", test.sentence, there, err, test.remains)
		}
		if err := r.Claim(t.Context()); !errors.Is(err, test.refused) {
			t.Errorf("%s: claim again: %v, want %v", test.sentence, err, test.refused)
		}
		if err := r.exec(t.Context(), "DROP KEYSPACE "+r.config.Namespace); err != nil {
			t.Fatal(err)
		}
	}
}

// How often it stores rows is what it says, unless something else is asked for, and
// is what the configuration lines say.
func TestCopiesOfAKeyspaceThatWasMade(t *testing.T) {
	c := Config{Dialect: Cassandra(), Endpoints: servers.Start(t).Endpoints(), Namespace: "realm_copies", Table: "rows"}
	r := openRealm(t, c)
	defer r.Close()
	wantCopies(t, r, strconv.Itoa(len(c.Endpoints))) // as the suite would make it
	makeKeyspace(t, r, 2)
	wantCopies(t, r, "2")
	if err := r.createTable(t.Context(), markTable, markSchema()); err != nil {
		t.Fatal(err)
	}
	c.Replication = 1
	_, err := Open(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), `want CQL_REPLICATION=1 in data center "datacenter1"`) {
		t.Errorf("another number of copies: %v", err)
	}
	r.config.DataCenter = "mars"
	if _, err := r.Settings(t.Context()); err == nil || !strings.Contains(err.Error(), "CASSANDRA_DATACENTER") {
		t.Errorf("settings in another data center: %v", err)
	}
}

func wantCopies(t *testing.T, r Realm, want string) {
	t.Helper()
	lines, err := r.Settings(t.Context())
	if err != nil || !slices.Contains(lines, target.Setting{Key: "cql-replication", Value: want}) {
		t.Errorf("settings %v, error %v; want %s copies", lines, err, want)
	}
}

// makeKeyspace makes the realm's keyspace until the test ends, as an administrator
// would.
func makeKeyspace(t *testing.T, r Realm, copies int) {
	t.Helper()
	name := r.config.Namespace
	stmt := fmt.Sprintf("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}", name, copies)
	if err := r.exec(t.Context(), stmt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		again := openRealm(t, Config{Dialect: Cassandra(), Endpoints: r.config.Endpoints})
		defer again.Close()
		if err := again.exec(context.Background(), "DROP KEYSPACE "+name); err != nil {
			t.Error(err)
		}
	})
}

// put writes a row.
func put(t *testing.T, s *Store) {
	t.Helper()
	c := newClient(s)
	if err := c.Put(t.Context(), target.Row{Key: []byte("k"), Values: [][]byte{[]byte("v")}}); err != nil {
		t.Fatal(err)
	}
}
