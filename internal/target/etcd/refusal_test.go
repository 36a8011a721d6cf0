package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/record"
	"kvbench/internal/target"
)

// A matrix holds servers of all kinds.
type matrix struct {
	ca, other                                *accesstest.Authority
	plain, users                             string // endpoints without TLS; the other asks who one is
	secure, mutual, elsewhere, expired       string // endpoints with TLS
	web, secureWeb, secureWebOfHTTP2, others string // no etcd
}

func newMatrix(t *testing.T) *matrix {
	ca := accesstest.NewAuthority(t)
	m := &matrix{ca: ca, other: accesstest.NewAuthority(t)}
	good := ca.Server(t, "127.0.0.1")
	first := func(c *cluster.Cluster) string { return c.Servers[0].Endpoint }
	m.plain = first(servers.Start(t))
	m.users = first(start(t, cluster.Spec{Ready: servers.Spec.Ready}))
	newUsers(t, config(m.users, "t"))
	m.secure = first(secured(t, good, ""))
	m.mutual = first(secured(t, good, ca.CA))
	entry := config(m.mutual, "t")
	entry.TLS = newTLS(t, access.Options{CA: ca.CA, Cert: good.Cert, Key: good.Key})
	newUsers(t, entry)
	m.elsewhere = first(secured(t, ca.Server(t, "db.example"), ""))
	m.expired = first(secured(t, ca.Expired(t, "127.0.0.1"), ""))
	m.web = web(t, good, func(s *httptest.Server) { s.Start() })
	m.secureWeb = web(t, good, func(s *httptest.Server) { s.StartTLS() })
	m.secureWebOfHTTP2 = web(t, good, func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() })
	m.others = otherService(t)
	return m
}

// web serves web pages, none of which is found.
func web(t *testing.T, pair accesstest.Pair, start func(*httptest.Server)) string {
	cert, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	start(s)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// otherService speaks gRPC, and knows nothing of etcd.
func otherService(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, done := grpc.NewServer(), make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestRefusals connects in all wrong ways. Each has one error, which names the
// setting to change, long before there is no more time.
func TestRefusals(t *testing.T) {
	m := newMatrix(t)
	client, stranger := m.ca.Client(t, "cert"), m.other.Client(t, "cert")
	nobody := m.ca.Client(t, "nobody")
	verified := access.Options{CA: m.ca.CA}
	mutual := access.Options{CA: m.ca.CA, Cert: client.Cert, Key: client.Key}
	none := access.Login{}
	for _, c := range []struct {
		name     string
		endpoint string
		tls      *access.Options
		login    access.Login
		denied   bool
		want     string // "" if it works
	}{
		{"plain", m.plain, nil, none, false, ""},
		{"a user, and there are none", m.plain, nil, as("bench", "secret"), true, "the cluster has no users: unset ETCD_USER and ETCD_PASSWORD"},
		{"TLS to a plain port", m.plain, &verified, none, false, "does it speak TLS (ETCD_TLS)"},

		{"a user with a password", m.users, nil, as("bench", "secret"), false, ""},
		{"no user", m.users, nil, none, true, "set ETCD_USER and ETCD_PASSWORD"},
		{"a wrong password", m.users, nil, as("bench", "hunter2"), true, "check ETCD_USER and ETCD_PASSWORD"},
		{"an unknown user", m.users, nil, as("nobody", "hunter2"), true, "check ETCD_USER and ETCD_PASSWORD"},
		{"a user without permissions", m.users, nil, as("guest", "guest"), true, "the user needs: etcdctl role grant-permission <role> --prefix=true readwrite kvbench/"},

		{"TLS", m.secure, &verified, none, false, ""},
		{"TLS that isn't verified", m.expired, &access.Options{Insecure: true}, none, false, ""},
		{"plain to a TLS port", m.secure, nil, none, false, "does the server want TLS? Set ETCD_TLS to true"},
		{"another authority", m.secure, &access.Options{CA: m.other.CA}, none, true, "set ETCD_TLS_CA to the authority that signed"},
		{"no authority", m.secure, &access.Options{}, none, true, "set ETCD_TLS_CA to the authority that signed"},
		{"a certificate for another host", m.elsewhere, &verified, none, true, "set ETCD_TLS_SERVER_NAME"},
		{"a certificate for the host that is named", m.elsewhere, &access.Options{CA: m.ca.CA, ServerName: "db.example"}, none, false, ""},
		{"an expired certificate", m.expired, &verified, none, true, "the server's certificate is not valid today"},

		{"mutual TLS, the certificate's user", m.mutual, &mutual, none, false, ""},
		{"mutual TLS, a user with a password", m.mutual, &mutual, as("bench", "secret"), false, ""},
		{"mutual TLS, a wrong password", m.mutual, &mutual, as("bench", "hunter2"), true, "check ETCD_USER and ETCD_PASSWORD"},
		{"mutual TLS, a certificate of no user", m.mutual, &access.Options{CA: m.ca.CA, Cert: nobody.Cert, Key: nobody.Key}, none, true, "the user needs: etcdctl role grant-permission"},
		{"no client certificate", m.mutual, &verified, none, true, "set ETCD_TLS_CERT and ETCD_TLS_KEY"},
		{"a stranger's client certificate", m.mutual, &access.Options{CA: m.ca.CA, Cert: stranger.Cert, Key: stranger.Key}, none, true, "ETCD_TLS_CERT"},

		{"a web server", m.web, nil, none, false, "is ETCD_ENDPOINTS an etcd of version 3"},
		{"a web server with TLS", m.secureWeb, &verified, none, false, "is ETCD_ENDPOINTS an etcd of version 3"},
		{"a web server with TLS and HTTP/2", m.secureWebOfHTTP2, &verified, none, false, "is ETCD_ENDPOINTS an etcd of version 3"},
		{"a web server with TLS, without", m.secureWeb, nil, none, false, "does the server want TLS? Set ETCD_TLS to true"},
		{"another service", m.others, nil, none, false, "is ETCD_ENDPOINTS an etcd of version 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // some servers are given the benefit of the doubt
			config := config(c.endpoint, "t")
			config.Owned, config.Login, config.Timeout = false, c.login, patience
			if c.tls != nil {
				config.TLS = newTLS(t, *c.tls)
			}
			for what, err := range map[string]error{"open": tryOpen(t, config), "ready": Ready(t.Context(), config), "version": tryVersion(t, config), "realm": tryRealm(t, config)} {
				switch {
				case c.want == "":
					if err != nil {
						t.Errorf("%s: %v", what, err)
					}
					continue
				case err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "etcd at "+c.endpoint):
					t.Errorf("%s: got %v, want %q and the endpoint in it", what, err, c.want)
				case errors.Is(err, target.ErrDenied) != c.denied || target.ClassOf(err) == record.Timeout:
					t.Errorf("%s: %v: denied %v, class %v; want denied %v, no timeout", what, err, !c.denied, target.ClassOf(err), c.denied)
				case strings.Contains(err.Error(), "\n"):
					t.Errorf("%s: %q is more than a line", what, err)
				case strings.Contains(err.Error(), "hunter2"):
					t.Errorf("%s: the error shows the password: %v", what, err)
				}
				if what == "open" {
					t.Log(err)
				}
			}
		})
	}
}

func tryOpen(t *testing.T, config Config) error {
	store, err := Open(t.Context(), config)
	if err == nil {
		store.Close()
	}
	return err
}

func tryRealm(t *testing.T, config Config) error {
	realm, err := OpenRealm(t.Context(), config)
	if err == nil {
		realm.Close()
	}
	return err
}

func tryVersion(t *testing.T, config Config) error {
	_, err := Version(t.Context(), config)
	return err
}

// TestHalfALogin needs no server.
func TestHalfALogin(t *testing.T) {
	for _, c := range []struct {
		login access.Login
		want  string
	}{
		{as("bench", ""), `ETCD_USER="bench" without ETCD_PASSWORD`},
		{as("", "secret"), "ETCD_PASSWORD without ETCD_USER"},
	} {
		config := config("127.0.0.1:1", "t")
		config.Login = c.login
		if _, err := Open(context.Background(), config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
