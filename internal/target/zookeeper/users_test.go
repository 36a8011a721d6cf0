package zookeeper

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// The users of these tests. The super user may do everything, whatever the lists
// of znodes say.
var (
	bench = login("bench", "secret-word")
	admin = login("super", "admin-word")
)

// newTown returns the configuration for user bench on a server of its own, and what
// does things there as an administrator would.
func newTown(t *testing.T) (Config, func(task func(*zk.Conn) error)) {
	digest := zk.DigestACL(zk.PermAll, "super", "admin-word")[0].ID
	c := Config{Namespace: "kvbench", Table: "t", Login: bench}
	c.Endpoints = start(t, 1, change{options: []string{"-Dzookeeper.DigestAuthenticationProvider.superDigest=" + digest}}, visited, c).Endpoints()
	super := c
	super.Login = admin
	r := openRealm(t, super)
	t.Cleanup(func() { r.Close() })
	return c, func(task func(*zk.Conn) error) {
		t.Helper()
		if err := r.do(t.Context(), "administer", task); err != nil {
			t.Fatal(err)
		}
	}
}

// allow gives everybody these permissions on a znode.
func allow(path string, permissions int32) func(*zk.Conn) error {
	return func(conn *zk.Conn) error {
		_, err := conn.SetACL(path, zk.WorldACL(permissions), -1)
		return err
	}
}

// wantDenied fails the test unless err denies access, says all of the texts, and
// shows no secret.
func wantDenied(t *testing.T, err error, wants ...string) {
	t.Helper()
	if !errors.Is(err, target.ErrDenied) {
		t.Errorf("got %v, want an error of access", err)
		return
	}
	t.Log(err)
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if strings.Contains(err.Error(), "-word") {
		t.Errorf("it shows the password: %v", err)
	}
}

func TestUsers(t *testing.T) {
	c, as := newTown(t)
	t.Run("the realm's contract, without TLS", func(t *testing.T) { testRealm(t, c) })
	t.Run("znodes are for their user", func(t *testing.T) { testOtherUsers(t, c) })
	t.Run("rows that may not be written or read", func(t *testing.T) { testRows(t, c, as) })
	t.Run("notes, and a user who may not write them", func(t *testing.T) { testNotes(t, c, as) })
	t.Run("a root that may not be listed", func(t *testing.T) {
		as(allow("/", zk.PermCreate|zk.PermDelete))
		defer as(allow("/", zk.PermAll))
		r := openRealm(t, c)
		defer r.Close()
		_, err := r.Others(t.Context())
		wantDenied(t, err, `list "/": permission r (read) is missing on znode "/"`, "check ZOOKEEPER_USER and ZOOKEEPER_PASSWORD")
	})
	t.Run("a root that nothing may be removed from", func(t *testing.T) { testUnremovable(t, c, as) })
	t.Run("a namespace that was made for the user", func(t *testing.T) { testMadeFor(t, c, as) })
	t.Run("a namespace that was made for everybody", func(t *testing.T) {
		c.Login = access.Login{}
		testMadeFor(t, c, as)
	})
}

// Servers believe every password; what another user made shows a wrong one.
func testOtherUsers(t *testing.T, c Config) {
	open(t, c)
	for text, other := range map[string]access.Login{
		`check ZOOKEEPER_USER and ZOOKEEPER_PASSWORD, and what user "bench"`: login("bench", "another-word"),
		`check ZOOKEEPER_USER and ZOOKEEPER_PASSWORD, and what user "other"`: login("other", "secret-word"),
		"set ZOOKEEPER_USER and ZOOKEEPER_PASSWORD, or":                      {},
	} {
		c := c
		c.Login = other
		missing := `permission r (read) is missing on znode "/kvbench"`
		_, err := Open(t.Context(), c)
		wantDenied(t, err, missing, text)
		wantDenied(t, Ready(t.Context(), c), missing, text)
		r := openRealm(t, c)
		wantDenied(t, r.Claim(t.Context()), missing, text)
		wantDenied(t, r.Drop(t.Context()), missing, text)
		if other, err := r.Others(t.Context()); other != `znode "/kvbench"` || err != nil {
			t.Errorf("others: %q, %v; want what may not be read", other, err)
		}
		r.Close()
	}
	drop(t, c)
}

// An administrator takes permissions from a user who works.
func testRows(t *testing.T, c Config, as func(func(*zk.Conn) error)) {
	store, cl := openClient(t, c)
	if err := cl.Put(t.Context(), row("old", 1)); err != nil {
		t.Fatal(err)
	}
	path := string(appendPath(nil, c.root(), []byte("old")))
	as(allow(path, zk.PermDelete))
	wantDenied(t, cl.Put(t.Context(), row("old", 1)), `permission w (write) is missing on znode "`+path+`"`, "check ZOOKEEPER_USER and ZOOKEEPER_PASSWORD")
	wantDenied(t, cl.Get(t.Context(), row("old", 1)), `permission r (read) is missing on znode "`+path+`"`)
	as(allow(parent(path), zk.PermRead))
	same := row("old", 1)
	for n := 0; ; n++ { // another row of the bucket
		if same = row("new"+strings.Repeat("x", n), 1); bucketOf(same.Key) == bucketOf([]byte("old")) {
			break
		}
	}
	wantDenied(t, cl.Put(t.Context(), same), `permission c (create) is missing on znode "`+parent(path)+`"`)
	wantDenied(t, cl.PutBatch(t.Context(), []target.Row{same}), `permission c (create) or w (write) is missing on znode "`+c.root())
	wantDenied(t, store.Clear(t.Context()), `permission d (delete) is missing on znode "`+parent(path)+`"`)
	as(allow(parent(path), zk.PermDelete))
	wantDenied(t, store.Clear(t.Context()), `permission r (read) is missing on znode "`+parent(path)+`"`)
	as(allow(parent(path), zk.PermAll))
	drop(t, c)
}

func testNotes(t *testing.T, c Config, as func(func(*zk.Conn) error)) {
	r := openRealm(t, c)
	defer r.Close()
	if err := r.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.SetNote(t.Context(), "preload", "1 row"); err != nil {
		t.Fatal(err)
	}
	as(allow(c.notes()+"/preload", zk.PermAdmin))
	_, err := r.Note(t.Context(), "preload")
	wantDenied(t, err, `permission r (read) is missing on znode "/kvbench/.kvbench/preload"`)
	wantDenied(t, r.SetNote(t.Context(), "preload", "2 rows"), `permission w (write) is missing on znode "/kvbench/.kvbench/preload"`)
	as(allow(c.notes(), zk.PermRead))
	wantDenied(t, r.SetNote(t.Context(), "other", "1 row"), `permission c (create) is missing on znode "/kvbench/.kvbench"`)
	wantDenied(t, r.SetNote(t.Context(), "preload", ""), `permission d (delete) is missing on znode "/kvbench/.kvbench"`)
	as(allow(c.notes(), zk.PermAll))
	drop(t, c)
}

// testUnremovable drops a realm that its user could make, and may not remove.
func testUnremovable(t *testing.T, c Config, as func(func(*zk.Conn) error)) {
	as(allow("/", zk.PermCreate|zk.PermRead))
	open(t, c)
	r := openRealm(t, c)
	defer r.Close()
	wantDenied(t, r.Drop(t.Context()), `permission d (delete) is missing on znode "/"`)
	if err := r.Claim(t.Context()); err != nil {
		t.Errorf("what was left is not known as the suite's: %v", err)
	}
	as(allow("/", zk.PermAll))
	drop(t, c)
}

// testMadeFor works in a namespace of a user who may not make znodes below the root.
func testMadeFor(t *testing.T, c Config, as func(func(*zk.Conn) error)) {
	as(allow("/", zk.PermRead))
	defer as(allow("/", zk.PermAll))
	_, err := Open(t.Context(), c)
	command, acl := "`create /kvbench kvbench world:anyone:cdrw`", zk.WorldACL(zk.PermAll&^zk.PermAdmin)
	if !c.Login.IsZero() {
		command, acl = "`addauth digest bench:<password>` and `create /kvbench kvbench auth::cdrw`", zk.AuthACL(zk.PermAll&^zk.PermAdmin)
	}
	wantDenied(t, err, `make znode "/kvbench": permission c (create) is missing on znode "/"`, "(an administrator may make it, in zkCli: "+command+")")

	as(func(conn *zk.Conn) error { // the same without zkCli
		if err := conn.AddAuth("digest", []byte("bench:secret-word")); err != nil {
			return err
		}
		_, err := conn.Create("/kvbench", []byte(target.Mark), 0, acl)
		return err
	})
	open(t, c).Close()
	r := openRealm(t, c)
	defer r.Close()
	if err := r.SetNote(t.Context(), "preload", "1 row"); err != nil {
		t.Error(err)
	}
	if err := r.Drop(t.Context()); err != nil {
		t.Errorf("drop: %v", err)
	}
	as(func(conn *zk.Conn) error {
		names, _, err := conn.Children("/kvbench")
		if len(names) > 0 {
			t.Errorf("after the drop it holds %q", names)
		}
		return err
	})
	as(func(conn *zk.Conn) error { return conn.Delete("/kvbench", -1) })
}
