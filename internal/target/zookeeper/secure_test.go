package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// secured is a ZooKeeper that speaks TLS only.
type secured struct {
	endpoint string
	ca       *accesstest.Authority
	client   accesstest.Pair
}

// startSecured starts it. clientAuth is "need" or "none": whether clients need a
// certificate.
func startSecured(t *testing.T, pair func(*accesstest.Authority) accesstest.Pair, clientAuth string) *secured {
	t.Helper()
	s := &secured{ca: accesstest.NewAuthority(t)}
	s.client = s.ca.Client(t, "bench")
	server := pair(s.ca)
	servers := targettest.Servers{Spec: cluster.Spec{
		System: cluster.ZooKeeper, Force: "process",
		Customize: func(_ int, dir string, argv []string) ([]string, error) {
			return argv, s.secure(dir, server, clientAuth)
		},
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			return Ready(ctx, Config{Endpoints: c.Endpoints(), Namespace: "ready", Table: "t", TLS: s.tls(access.Options{Insecure: true})})
		},
	}}
	c := servers.Start(t)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s.endpoint = c.Servers[0].Endpoint
	ready := s.config("t")
	ready.Namespace, ready.TLS = "ready", s.tls(access.Options{Insecure: true})
	drop(t, ready)
	return s
}

// secure changes a server's configuration: its client port is the secure one.
func (s *secured) secure(dir string, server accesstest.Pair, clientAuth string) error {
	file := filepath.Join(dir, "conf", "zoo.cfg")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	config := strings.NewReplacer("clientPort=", "secureClientPort=", "clientPortAddress=", "secureClientPortAddress=").Replace(string(text))
	config += fmt.Sprintf(`
serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
ssl.keyStore.location=%s
ssl.keyStore.type=PEM
ssl.trustStore.location=%s
ssl.trustStore.type=PEM
ssl.clientAuth=%s
authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider
`, server.Both, s.ca.CA, clientAuth)
	return os.WriteFile(file, []byte(config), 0o600)
}

// tls speaks with the certificate of s's client, if the options have none.
func (s *secured) tls(o access.Options) *access.TLS {
	o.Prefix = "ZOOKEEPER"
	if o.Cert == "" {
		o.Cert, o.Key = s.client.Cert, s.client.Key
	}
	t, err := access.New(o)
	if err != nil {
		panic(err)
	}
	return t
}

// config is that of the user bench.
func (s *secured) config(table string) Config {
	return Config{
		Endpoints: []string{s.endpoint}, Namespace: "kvbench", Table: table, TLS: s.tls(access.Options{CA: s.ca.CA}),
		Login: login("bench", "secret-word"),
	}
}

func login(user, password string) access.Login {
	return access.Login{User: user, Password: access.NewSecret(password)}
}

func TestSecured(t *testing.T) {
	s := startSecured(t, func(a *accesstest.Authority) accesstest.Pair { return a.Server(t, "127.0.0.1") }, "need")
	t.Run("version", func(t *testing.T) {
		if v, err := Version(t.Context(), s.config("t")); err != nil || !strings.HasPrefix(v, "3.") {
			t.Errorf("got %q, %v", v, err)
		}
	})
	t.Run("realm", func(t *testing.T) { testRealm(t, s.config("t")) })
	t.Run("contract", func(t *testing.T) {
		proxy := targettest.NewProxy(t, s.endpoint)
		targettest.Test(t, func(t *testing.T) target.Store {
			c := s.config("contract")
			c.Endpoints = []string{proxy.Addr}
			store, err := Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}, targettest.Options{Break: proxy.Break})
	})
	t.Run("errors of TLS", s.testTLS)
	t.Run("rows are for their user", s.testOtherUsers)
	t.Run("a namespace that was made for the user", s.testMadeFor)
}

func (s *secured) testTLS(t *testing.T) {
	stranger := accesstest.NewAuthority(t).Client(t, "stranger")
	without, err := access.New(access.Options{Prefix: "ZOOKEEPER", CA: s.ca.CA})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		sentence string
		tls      *access.TLS
		certain  bool
		want     string
	}{
		{"an authority that didn't sign the server's certificate", s.tls(access.Options{CA: accesstest.NewAuthority(t).CA}), true, "set ZOOKEEPER_TLS_CA"},
		{"a name that the server's certificate doesn't have", s.tls(access.Options{CA: s.ca.CA, ServerName: "db.example"}), true, "set ZOOKEEPER_TLS_SERVER_NAME"},
		{"no certificate of the client", without, true, "ZOOKEEPER_TLS_CERT"},
		{"a certificate of somebody else's client", s.tls(access.Options{CA: s.ca.CA, Cert: stranger.Cert, Key: stranger.Key}), true, "ZOOKEEPER_TLS_CERT"},
		{"no TLS", nil, false, "TLS"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			c := s.config("errors")
			c.TLS = tc.tls
			for name, try := range map[string]func(context.Context) error{
				"open":    func(ctx context.Context) error { _, err := Open(ctx, c); return err },
				"version": func(ctx context.Context) error { _, err := Version(ctx, c); return err },
			} {
				ctx, cancel := context.WithCancel(t.Context())
				if !tc.certain {
					ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
				}
				err := try(ctx)
				cancel()
				if err == nil || !strings.Contains(err.Error(), tc.want) || tc.certain && !errors.Is(err, target.ErrDenied) {
					t.Errorf("%s: got %v, want %q", name, err, tc.want)
				}
				t.Logf("%s: %v", name, err)
			}
		})
	}
}

// wantDenied fails the test unless err denies access, says what to do, and shows
// no secret.
func wantDenied(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !errors.Is(err, target.ErrDenied) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error of access with %q", err, want)
		return
	}
	t.Log(err)
	if strings.Contains(err.Error(), "word") {
		t.Errorf("it shows the password: %v", err)
	}
}

// Servers believe every password; what another user made shows a wrong one.
func (s *secured) testOtherUsers(t *testing.T) {
	open(t, s.config("mine"))
	for name, other := range map[string]access.Login{
		`ZOOKEEPER_USER="bench"`:  login("bench", "another-word"),
		`ZOOKEEPER_USER="other"`:  login("other", "secret-word"),
		"set ZOOKEEPER_USER and ": {},
	} {
		c := s.config("mine")
		c.Login = other
		_, err := Open(t.Context(), c)
		wantDenied(t, err, name)
		wantDenied(t, Ready(t.Context(), c), name)
		r := openRealm(t, c)
		wantDenied(t, r.Drop(t.Context()), name)
		if other, err := r.Others(t.Context()); other != `znode "/kvbench"` || err != nil {
			t.Errorf("others: %q, %v; want what may not be read", other, err)
		}
		r.Close()
	}
	drop(t, s.config("mine"))
}

// A user who may not make znodes below the root works in one that was made.
func (s *secured) testMadeFor(t *testing.T) {
	admin := s.config("t")
	admin.Namespace, admin.Login = "kvbench", login("admin", "admin-word")
	r := openRealm(t, admin)
	defer r.Close()
	as := func(task func(conn *zk.Conn) error) {
		t.Helper()
		if err := r.do(t.Context(), "administer", task); err != nil {
			t.Fatal(err)
		}
	}
	rootACL := func(acl []zk.ACL) func(*zk.Conn) error {
		return func(conn *zk.Conn) error { _, err := conn.SetACL("/", acl, -1); return err }
	}
	as(rootACL(append(zk.DigestACL(zk.PermAll, "admin", "admin-word"), zk.WorldACL(zk.PermRead)...)))
	defer as(rootACL(zk.WorldACL(zk.PermAll)))

	_, err := Open(t.Context(), s.config("t"))
	wantDenied(t, err, `make znode "/kvbench": zk: not authenticated (or have it made: create /kvbench kvbench with an access control list that allows this user cdrwa)`)

	as(func(conn *zk.Conn) error {
		_, err := conn.Create("/kvbench", []byte(target.Mark), 0, zk.DigestACL(zk.PermAll, "bench", "secret-word"))
		return err
	})
	open(t, s.config("t")).Close()
	bench := openRealm(t, s.config("t"))
	defer bench.Close()
	if err := bench.SetNote(t.Context(), "preload", "1 row"); err != nil {
		t.Error(err)
	}
	if err := bench.Drop(t.Context()); err != nil {
		t.Errorf("drop: %v", err)
	}
	if err := bench.do(t.Context(), "look", func(conn *zk.Conn) error {
		names, _, err := conn.Children("/kvbench")
		if len(names) > 0 {
			t.Errorf("after the drop it holds %q", names)
		}
		return err
	}); err != nil {
		t.Errorf("after the drop: %v", err)
	}
	as(func(conn *zk.Conn) error { return conn.Delete("/kvbench", -1) })
}

func TestExpiredCertificate(t *testing.T) {
	s := startSecured(t, func(a *accesstest.Authority) accesstest.Pair { return a.Expired(t, "127.0.0.1") }, "none")
	_, err := Open(t.Context(), s.config("t"))
	wantDenied(t, err, "the server's certificate is not valid today")
}

// A client that speaks TLS gets to a server that doesn't.
func TestTLSToAPlainServer(t *testing.T) {
	c := Config{Endpoints: servers.Start(t).Endpoints(), Namespace: "kvbench", Table: "t"}
	var err error
	if c.TLS, err = access.New(access.Options{Prefix: "ZOOKEEPER", Insecure: true}); err != nil {
		t.Fatal(err)
	}
	_, err = Version(t.Context(), c)
	_, opened := Open(t.Context(), c)
	for _, err := range []error{err, opened} {
		if err == nil || !strings.Contains(err.Error(), "does it speak TLS (ZOOKEEPER_TLS)") {
			t.Errorf("got %v", err)
		}
		t.Log(err)
	}
}
