package cql

import (
	"errors"
	"os"
	"strings"
	"testing"

	"kvbench/internal/access"
	"kvbench/internal/target/targettest"
)

// What a role needs is what the package's documentation says, and no more.

// as returns the configuration of a new role with grants.
func (s *secured) as(t *testing.T, role, table string, grants ...string) Config {
	t.Helper()
	r := openRealm(t, s.config("admin", access.Options{}))
	defer r.Close()
	administrate(t, r, append([]string{"CREATE ROLE " + role + " WITH PASSWORD = 'secret-word' AND LOGIN = true"}, grants...)...)
	c := s.config(table, access.Options{})
	c.Login = login(role, "secret-word")
	return c
}

func (s *secured) testCreator(t *testing.T) {
	c := s.as(t, "creator", "contract", documented(t, "creator", "GRANT CREATE ON ALL KEYSPACES TO bench")...)
	if err := Ready(t.Context(), c); err != nil {
		t.Fatalf("ready: %v", err)
	}
	targettest.Test(t, opener(c), targettest.Options{})
	r := openRealm(t, c)
	defer r.Close()
	if err := r.Drop(t.Context()); err != nil {
		t.Error(err)
	}
}

func (s *secured) testUser(t *testing.T) {
	c := s.as(t, "enduser", "contract")
	_, err := Open(t.Context(), c)
	wantDenied(t, err, `CREATE permission on <all keyspaces>`, `grant it to CASSANDRA_USER="enduser"`)

	admin := openRealm(t, s.config("admin", access.Options{}))
	defer admin.Close()
	administrate(t, admin, documented(t, "enduser",
		"CREATE KEYSPACE kvbench WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}",
		"CREATE TABLE kvbench.kvbench (name text PRIMARY KEY, value text)",
		"GRANT CREATE ON KEYSPACE kvbench TO bench",
		"GRANT SELECT ON KEYSPACE kvbench TO bench",
		"GRANT MODIFY ON KEYSPACE kvbench TO bench")...)
	eventually(t, func() error { return Ready(t.Context(), c) })
	targettest.Test(t, opener(c), targettest.Options{})
	r := openRealm(t, c)
	defer r.Close()
	if err := r.Drop(t.Context()); err != nil {
		t.Error(err)
	}
	administrate(t, admin, "DROP KEYSPACE kvbench_secure") // it is still there
}

// testReader has a role that may only use tables, and of them only what it needs.
func (s *secured) testReader(t *testing.T) {
	admin := openRealm(t, s.config("admin", access.Options{}))
	defer admin.Close()
	administrate(t, admin, documented(t, "reader",
		"CREATE KEYSPACE kvbench WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}",
		"CREATE TABLE kvbench.kvbench (name text PRIMARY KEY, value text)")...)
	c := s.as(t, "reader", "contract", documented(t, "reader", "GRANT SELECT ON KEYSPACE kvbench TO bench")...)
	err := Ready(t.Context(), c)
	wantDenied(t, err, "no MODIFY permission on <table kvbench_secure.kvbench>", `grant it to CASSANDRA_USER="reader"`)

	administrate(t, admin, documented(t, "reader", "GRANT MODIFY ON KEYSPACE kvbench TO bench")...)
	eventually(t, func() error { return Ready(t.Context(), c) })
	_, err = Open(t.Context(), c)
	wantDenied(t, err, "no CREATE permission on <all tables in kvbench_secure>", "or have it made",
		"CREATE TABLE IF NOT EXISTS kvbench_secure.contract (k varchar, v blob, PRIMARY KEY (k))")

	administrate(t, admin, "CREATE TABLE IF NOT EXISTS kvbench_secure.contract (k varchar, v blob, PRIMARY KEY (k))")
	targettest.Test(t, opener(c), targettest.Options{})
	s.testNothingIsLost(t, admin, c)
	r := openRealm(t, c)
	defer r.Close()
	if err := r.Drop(t.Context()); err != nil {
		t.Error(err)
	}
	administrate(t, admin, "DROP KEYSPACE kvbench_secure")
}

// testNothingIsLost has a table that can't be truncated, since a node is down: it
// stays where it may be somebody else's, and if its user may drop it but not create.
func (s *secured) testNothingIsLost(t *testing.T, admin Realm, c Config) {
	store, down := open(t, c), errors.New("a node is down")
	if err := store.Clear(t.Context()); err != nil { // what other tests have left
		t.Fatal(err)
	}
	put(t, store)
	if err := store.remake(t.Context(), down); !errors.Is(err, down) || !strings.Contains(err.Error(), "unless the suite has made the keyspace itself") {
		t.Errorf("a keyspace that was made for the suite: %v", err)
	}
	administrate(t, admin, "GRANT DROP ON KEYSPACE kvbench_secure TO "+c.Login.User)
	if err := admin.SetNote(t.Context(), made, "yes"); err != nil {
		t.Fatal(err)
	}
	wantDenied(t, store.remake(t.Context(), down), "no CREATE permission on <all tables in kvbench_secure>")
	if err := admin.SetNote(t.Context(), made, ""); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("%d rows, error %v; want the one that was there", n, err)
	}
}

// documented returns statements of the package's documentation for a role and the
// test's keyspace and data center.
func documented(t *testing.T, role string, stmts ...string) []string {
	t.Helper()
	doc, err := os.ReadFile("cql.go")
	if err != nil {
		t.Fatal(err)
	}
	for i, stmt := range stmts {
		if !strings.Contains(string(doc), "//\t"+stmt+";\n") {
			t.Errorf("not documented: %s", stmt)
		}
		stmts[i] = strings.NewReplacer("TO bench", "TO "+role, "KEYSPACE kvbench", "KEYSPACE kvbench_secure",
			"TABLE kvbench.", "TABLE kvbench_secure.", "'dc1': 3", "'datacenter1': 1").Replace(stmt)
	}
	return stmts
}

// administrate executes statements.
func administrate(t *testing.T, admin Realm, stmts ...string) {
	t.Helper()
	for _, stmt := range stmts {
		if err := admin.exec(t.Context(), stmt); err != nil {
			t.Fatal(err)
		}
	}
}
