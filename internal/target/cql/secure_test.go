package cql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// secured is a Cassandra with passwords, permissions and TLS.
type secured struct {
	endpoint string
	ca       *accesstest.Authority
	client   accesstest.Pair
}

// startSecured starts it. With mutual true clients need a certificate.
func startSecured(t *testing.T, pair func(*accesstest.Authority) accesstest.Pair, mutual bool) *secured {
	t.Helper()
	s := &secured{ca: accesstest.NewAuthority(t)}
	s.client = s.ca.Client(t, "bench")
	server := pair(s.ca)
	c := targettest.StartOwn(t, cluster.Spec{
		System: cluster.Cassandra, Version: os.Getenv("CASSANDRA_VERSION"),
		Customize: func(_ int, dir string, argv []string) ([]string, error) {
			// The first user is made ten seconds after the start, unless told otherwise.
			argv = append([]string{argv[0], "-Dcassandra.superuser_setup_delay_ms=0"}, argv[1:]...)
			return argv, s.secure(dir, server, mutual)
		},
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			config := s.config("t", access.Options{Insecure: true})
			config.Endpoints = c.Endpoints()
			return Ready(ctx, config)
		},
	})
	s.endpoint = c.Servers[0].Endpoint
	return s
}

// secure changes a node's configuration.
func (s *secured) secure(dir string, server accesstest.Pair, mutual bool) error {
	return editYAML(dir, strings.NewReplacer("AllowAllAuthenticator", "PasswordAuthenticator", "AllowAllAuthorizer", "CassandraAuthorizer"), fmt.Sprintf(`
client_encryption_options:
  enabled: true
  optional: false
  require_client_auth: %v
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
  keystore: %s
  truststore: %s
`, mutual, server.Both, s.ca.CA))
}

// editYAML changes and adds lines of a node's cassandra.yaml.
func editYAML(dir string, change *strings.Replacer, more string) error {
	file := filepath.Join(dir, "conf", "cassandra.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(change.Replace(string(text))+more), 0o600)
}

// config is that of the first user, who may do everything. The options lack what
// is the same everywhere.
func (s *secured) config(table string, o access.Options) Config {
	o.Prefix = "CASSANDRA"
	if o.CA == "" && !o.Insecure {
		o.CA = s.ca.CA
	}
	if o.Cert == "" {
		o.Cert, o.Key = s.client.Cert, s.client.Key
	}
	t, err := access.New(o)
	if err != nil {
		panic(err)
	}
	return Config{
		Dialect: Cassandra(), Endpoints: []string{s.endpoint}, Namespace: "kvbench_secure", Table: table, TLS: t,
		Login: login("cassandra", "cassandra"), DataCenter: "datacenter1",
	}
}

func login(user, password string) access.Login {
	return access.Login{User: user, Password: access.NewSecret(password)}
}

func TestSecured(t *testing.T) {
	s := startSecured(t, func(a *accesstest.Authority) accesstest.Pair { return a.Server(t, "127.0.0.1") }, true)
	drop := openRealm(t, s.config("t", access.Options{}))
	if err := errors.Join(drop.Drop(t.Context()), drop.Close()); err != nil {
		t.Fatal(err)
	}
	t.Run("a role that may create keyspaces", s.testCreator)
	t.Run("a role that may create tables", s.testUser)
	t.Run("a role that may create nothing", s.testReader)
	t.Run("realm", func(t *testing.T) { testRealm(t, s.config("t", access.Options{})) })
	t.Run("errors", s.testErrors)
}

// eventually repeats what fails until the servers have heard of a permission: they
// keep those that they know for two seconds.
func eventually(t *testing.T, do func() error) {
	t.Helper()
	var err error
	for range 100 {
		if err = do(); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal(err)
}

// wantDenied fails the test unless err denies access, says what to do, and shows
// no secret.
func wantDenied(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil || !errors.Is(err, target.ErrDenied) {
		t.Errorf("got %v, want an error of access", err)
		return
	}
	t.Log(err)
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
	if strings.Contains(err.Error(), "word-") || strings.Contains(err.Error(), "secret-word") {
		t.Errorf("it shows the password: %v", err)
	}
}

func (s *secured) testErrors(t *testing.T) {
	stranger := accesstest.NewAuthority(t).Client(t, "stranger")
	without, err := access.New(access.Options{Prefix: "CASSANDRA", CA: s.ca.CA})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		sentence string
		config   Config
		change   func(*Config)
		want     string
	}{
		{"a wrong password", s.config("t", access.Options{}), func(c *Config) { c.Login = login("cassandra", "word-2") }, `check CASSANDRA_USER="cassandra" and CASSANDRA_PASSWORD`},
		{"no password", s.config("t", access.Options{}), func(c *Config) { c.Login = access.Login{} }, "set CASSANDRA_USER and CASSANDRA_PASSWORD"},
		{"another authority", s.config("t", access.Options{CA: accesstest.NewAuthority(t).CA}), nil, "set CASSANDRA_TLS_CA"},
		{"another host", s.config("t", access.Options{ServerName: "db.example"}), nil, "set CASSANDRA_TLS_SERVER_NAME"},
		{"no certificate of the client", s.config("t", access.Options{}), func(c *Config) { c.TLS = without }, "CASSANDRA_TLS_CERT"},
		{"a certificate of somebody else's client", s.config("t", access.Options{Cert: stranger.Cert, Key: stranger.Key}), nil, "CASSANDRA_TLS_CERT"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if tc.change != nil {
				tc.change(&tc.config)
			}
			_, err := Open(t.Context(), tc.config)
			wantDenied(t, err, tc.want)
			_, err = Version(t.Context(), tc.config)
			wantDenied(t, err, tc.want)
		})
	}
	t.Run("no TLS", func(t *testing.T) {
		c := s.config("t", access.Options{})
		c.TLS = nil
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := Open(ctx, c); err == nil || !strings.Contains(err.Error(), "CASSANDRA_TLS") {
			t.Errorf("got %v, want an error with CASSANDRA_TLS", err)
		} else {
			t.Log(err)
		}
	})
	t.Run("another host among the nodes that are found", func(t *testing.T) {
		c := s.config("t", access.Options{})
		found := targettest.NewProxy(t, s.endpoint).Addr
		c.Translate = map[string]string{s.endpoint: found}
		c.TLS.Named(found, "db.example")
		_, err := Open(t.Context(), c)
		wantDenied(t, err, found, "set CASSANDRA_TLS_SERVER_NAME")
	})
	t.Run("another data center", func(t *testing.T) {
		c := s.config("t", access.Options{})
		c.DataCenter = "mars"
		if _, err := Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), `CASSANDRA_DATACENTER="mars": the endpoints are in data center "datacenter1"`) {
			t.Errorf("got %v", err)
		} else {
			t.Log(err)
		}
	})
}

func TestExpiredCertificate(t *testing.T) {
	s := startSecured(t, func(a *accesstest.Authority) accesstest.Pair { return a.Expired(t, "127.0.0.1") }, false)
	_, err := Open(t.Context(), s.config("t", access.Options{}))
	wantDenied(t, err, "the server's certificate is not valid today")

	// This server doesn't ask for a certificate of the client.
	c := s.config("t", access.Options{})
	if c.TLS, err = access.New(access.Options{Prefix: "CASSANDRA", Insecure: true}); err != nil {
		t.Fatal(err)
	}
	if err := Ready(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// A client that speaks TLS gets to a server that doesn't.
func TestTLSToAPlainServer(t *testing.T) {
	secured, err := access.New(access.Options{Prefix: "CASSANDRA", Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	c := testConfig(t, "t", KeyValue())
	c.TLS = secured
	_, err = Open(t.Context(), c)
	wantDenied(t, err, "the server doesn't speak TLS: set CASSANDRA_TLS to false")
}
