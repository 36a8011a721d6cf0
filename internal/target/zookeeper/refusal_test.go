package zookeeper

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/target"
)

// A matrix holds servers of all kinds.
type matrix struct {
	ca, other                        *accesstest.Authority
	plain                            string // endpoint without TLS
	secure, mutual, expired          string // endpoints with TLS; that of mutual is for db.example
	sasl, enforced, undigested, full string // plain ones that don't take everybody
	web, ssh, silent                 string // no ZooKeeper
}

func newMatrix(t *testing.T) *matrix {
	ca := accesstest.NewAuthority(t)
	m := &matrix{ca: ca, other: accesstest.NewAuthority(t)}
	client := ca.Client(t, "bench")
	ready := Config{Namespace: "kvbench", Table: "t", TLS: newTLS(t, access.Options{Insecure: true, Cert: client.Cert, Key: client.Key})}
	one := func(to change, as Config) string { return start(t, 1, to, visited, as).Servers[0].Endpoint }
	m.plain = servers.Start(t).Servers[0].Endpoint
	m.secure = one(secured(ca.Server(t, "127.0.0.1"), ca, "none"), ready)
	m.mutual = one(secured(ca.Server(t, "db.example"), ca, "need"), ready)
	m.expired = one(secured(ca.Expired(t, "127.0.0.1"), ca, "none"), ready)
	ready.TLS = nil
	m.sasl = one(with("sessionRequireClientSASLAuth=true", "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider"), ready)
	m.enforced = one(with("enforce.auth.enabled=true", "enforce.auth.schemes=digest"), ready)
	m.undigested = one(change{options: []string{"-Dzookeeper.DigestAuthenticationProvider.enabled=false"}}, ready)
	m.full = one(change{config: func(text string) string { return strings.Replace(text, "maxClientCnxns=0", "maxClientCnxns=1", 1) }}, ready)
	m.web = service(t, "", "HTTP/1.1 400 Bad Request\r\n\r\n")
	m.ssh = service(t, "SSH-2.0-server\r\n", "")
	m.silent = service(t, "", "")
	return m
}

// visited wants a version, for which clients needn't be anybody.
func visited(ctx context.Context, c Config) error {
	for _, ep := range c.Endpoints {
		c.Endpoints = []string{ep}
		if _, err := Version(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// service is one that isn't ZooKeeper: it greets, answers once, and hangs up if it
// has said anything.
func service(t *testing.T, greeting, answer string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				// Of no interest: the client is tested.
				_, _ = io.WriteString(conn, greeting)
				_, _ = conn.Read(make([]byte, 1<<10))
				_, _ = io.WriteString(conn, answer)
				if greeting+answer == "" {
					_, _ = io.Copy(io.Discard, conn)
				}
			}()
		}
	}()
	return l.Addr().String()
}

// TestRefusals connects in all wrong ways. Each has one error, which names the
// setting to change, without a deadline of the caller's.
func TestRefusals(t *testing.T) {
	m := newMatrix(t)
	client, stranger := m.ca.Client(t, "cert"), m.other.Client(t, "cert")
	verified := access.Options{CA: m.ca.CA}
	mutual := access.Options{CA: m.ca.CA, ServerName: "db.example", Cert: client.Cert, Key: client.Key}
	nameless, certless, strange := mutual, mutual, mutual
	nameless.ServerName, certless.Cert, certless.Key, strange.Cert, strange.Key = "", "", "", stranger.Cert, stranger.Key
	none, bench := access.Login{}, login("bench", "hunter2")
	for _, c := range []struct {
		name     string
		endpoint string
		tls      *access.Options
		login    access.Login
		class    error
		want     string // "" if it works
	}{
		{"plain", m.plain, nil, none, nil, ""},
		{"a user", m.plain, nil, bench, nil, ""},
		{"TLS to a plain port", m.plain, &verified, none, target.ErrUnavailable, "does it speak TLS (ZOOKEEPER_TLS)"},

		{"TLS", m.secure, &verified, none, nil, ""},
		{"TLS that isn't verified", m.expired, &access.Options{Insecure: true}, none, nil, ""},
		{"plain to a TLS port", m.secure, nil, none, target.ErrUnavailable, "does it want TLS (ZOOKEEPER_TLS)"},
		{"another authority", m.secure, &access.Options{CA: m.other.CA}, none, target.ErrDenied, "set ZOOKEEPER_TLS_CA to the authority that signed"},
		{"no authority", m.secure, &access.Options{}, none, target.ErrDenied, "set ZOOKEEPER_TLS_CA to the authority that signed"},
		{"a certificate for another host", m.mutual, &nameless, none, target.ErrDenied, "set ZOOKEEPER_TLS_SERVER_NAME"},
		{"an expired certificate", m.expired, &verified, none, target.ErrDenied, "the server's certificate is not valid today"},

		{"mutual TLS, the certificate of a host that is named", m.mutual, &mutual, none, nil, ""},
		{"mutual TLS and a user", m.mutual, &mutual, bench, nil, ""},
		{"no client certificate", m.mutual, &certless, none, target.ErrDenied, "ZOOKEEPER_TLS_CERT and ZOOKEEPER_TLS_KEY"},
		{"a stranger's client certificate", m.mutual, &strange, none, target.ErrDenied, "ZOOKEEPER_TLS_CERT"},
		{"plain where a certificate is wanted", m.mutual, nil, none, target.ErrUnavailable, "does it want TLS (ZOOKEEPER_TLS)"},

		{"enforced SASL, nobody", m.sasl, nil, none, target.ErrDenied, "SASL is not supported"},
		{"enforced SASL, a user", m.sasl, nil, bench, target.ErrDenied, "SASL is not supported: have them take digest too"},
		{"enforced users, nobody", m.enforced, nil, none, target.ErrDenied, "set ZOOKEEPER_USER and ZOOKEEPER_PASSWORD"},
		{"enforced users, a user", m.enforced, nil, bench, nil, ""},
		{"a user where there are none", m.undigested, nil, bench, target.ErrDenied, "unset ZOOKEEPER_USER and ZOOKEEPER_PASSWORD"},

		{"a web server", m.web, nil, none, target.ErrUnavailable, `answers with "HTTP": is it a ZooKeeper?`},
		{"a web server, over TLS", m.web, &verified, none, target.ErrDenied, "the server doesn't speak TLS: set ZOOKEEPER_TLS to false"},
		{"a server that greets", m.ssh, nil, none, target.ErrUnavailable, `answers with "SSH-": is it a ZooKeeper?`},
		{"a silent server", m.silent, nil, none, target.ErrTimeout, "is it a ZooKeeper, and does it want TLS (ZOOKEEPER_TLS)?"},
		{"a silent server, over TLS", m.silent, &verified, none, target.ErrUnavailable, "does the server speak TLS (ZOOKEEPER_TLS)?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{Endpoints: []string{c.endpoint}, Namespace: "kvbench_refusals", Table: "t", Login: c.login, Timeout: 10 * time.Second}
			if c.class == target.ErrTimeout {
				config.Timeout = time.Second
			}
			if c.tls != nil {
				config.TLS = newTLS(t, *c.tls)
			}
			for what, err := range attempts(t, config) {
				if what == "version" && (c.endpoint == m.sasl || c.endpoint == m.enforced) {
					continue // which grant sessions, and refuse requests
				}
				wantRefusal(t, what, err, c.endpoint, c.class, c.want)
			}
		})
	}
	t.Run("maxClientCnxns", func(t *testing.T) {
		config := Config{Endpoints: []string{m.full}, Namespace: "kvbench_refusals", Table: "t", Timeout: 10 * time.Second}
		open(t, config)
		for what, err := range attempts(t, config) {
			wantRefusal(t, what, err, m.full, target.ErrUnavailable, "maxClientCnxns")
		}
	})
}

// attempts connects in all ways that there are, and removes what was made.
func attempts(t *testing.T, config Config) map[string]error {
	t.Helper()
	ctx := t.Context()
	_, version := Version(ctx, config)
	opened := tryOpen(ctx, config)
	all := map[string]error{"open": opened, "ready": Ready(ctx, config), "version": version}
	realm, err := OpenRealm(ctx, config)
	if err == nil {
		_, err = realm.Note(ctx, "preload")
		if opened == nil {
			err = errors.Join(err, realm.Drop(ctx))
		}
		realm.Close()
	}
	all["realm"] = err
	return all
}

// wantRefusal fails the test unless err is of the class, with a text that says what
// to do and no secret. Without a class there must be no error.
func wantRefusal(t *testing.T, what string, err error, endpoint string, class error, want string) {
	t.Helper()
	switch {
	case class == nil:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	case err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "zookeeper at "+endpoint):
		t.Errorf("%s: got %v, want %q and the endpoint in it", what, err, want)
	case !errors.Is(err, class):
		t.Errorf("%s: %v; want it to be %q", what, err, class)
	case strings.Contains(err.Error(), "hunter2"):
		t.Errorf("%s: the error shows the password: %v", what, err)
	}
	if what == "open" {
		t.Log(err)
	}
}
