package consul

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

const managementToken = "11111111-2222-3333-4444-555555555555"

// secured is a Consul with access control that denies by default, and TLS that
// wants the client's certificate.
type secured struct {
	endpoint string
	ca       *accesstest.Authority
	client   accesstest.Pair
}

// startSecured starts it. With mutual false clients need no certificate.
func startSecured(t *testing.T, host string, pair func(*accesstest.Authority) accesstest.Pair, mutual bool) *secured {
	t.Helper()
	s := &secured{ca: accesstest.NewAuthority(t)}
	s.client = s.ca.Client(t, "bench")
	server := pair(s.ca)
	spec := cluster.Spec{
		System: cluster.Consul, Force: "process",
		Customize: func(_ int, dir string, argv []string) ([]string, error) { return argv, s.secure(dir, server, mutual) },
		Ready: func(ctx context.Context, running *cluster.Cluster) error {
			c := s.config("ready")
			c.Endpoints = running.Endpoints()
			if host != "" { // a certificate for it is not the subject of readiness
				return nil
			}
			return Ready(ctx, c)
		},
	}
	servers := targettest.Servers{Spec: spec}
	c := servers.Start(t)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s.endpoint = c.Servers[0].Endpoint
	return s
}

// secure changes a server's configuration: what was the port of HTTP is that of
// HTTPS.
func (s *secured) secure(dir string, server accesstest.Pair, mutual bool) error {
	file := filepath.Join(dir, "server.hcl")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	config := strings.Replace(string(text), "  https    = -1\n", "", 1)
	config = strings.Replace(config, "  http     =", "  http     = -1\n  https    =", 1)
	config += fmt.Sprintf(`
acl {
  enabled        = true
  default_policy = "deny"
  tokens { initial_management = %q }
}
tls {
  defaults { ca_file = %q, cert_file = %q, key_file = %q, verify_incoming = %v }
  internal_rpc { verify_incoming = false }
}
`, managementToken, s.ca.CA, server.Cert, server.Key, mutual)
	return os.WriteFile(file, []byte(config), 0o600)
}

// config is that of somebody who may do everything.
func (s *secured) config(table string) Config {
	t, err := access.New(access.Options{Prefix: "CONSUL", CA: s.ca.CA, Cert: s.client.Cert, Key: s.client.Key})
	if err != nil {
		panic(err)
	}
	return Config{
		Endpoints: []string{s.endpoint}, Namespace: "kvbench", Table: table,
		TLS: t, Token: access.NewSecret(managementToken), DataCenter: "dc1",
	}
}

// token makes a token with a policy.
func (s *secured) token(t *testing.T, name, rules string) access.Secret {
	t.Helper()
	l, err := newLink(s.config("token"), s.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	policy, _, err := l.api.ACL().PolicyCreate(&api.ACLPolicy{Name: name, Rules: rules}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := l.api.ACL().TokenCreate(&api.ACLToken{Policies: []*api.ACLTokenPolicyLink{{ID: policy.ID}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return access.NewSecret(made.SecretID)
}

func goodPair(t *testing.T) func(*accesstest.Authority) accesstest.Pair {
	return func(a *accesstest.Authority) accesstest.Pair { return a.Server(t, "127.0.0.1", "localhost") }
}

// least is the policy of the package's comment.
const least = `key_prefix "kvbench/" { policy = "write" }`

func TestAccessControl(t *testing.T) {
	s := startSecured(t, "", goodPair(t), true)
	t.Run("the least policy is enough for everything", func(t *testing.T) {
		c := s.config("contract")
		c.Token = s.token(t, "least", least)
		targettest.Test(t, func(t *testing.T) target.Store {
			store, err := Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}, targettest.Options{})
		if err := Ready(t.Context(), c); err != nil {
			t.Errorf("ready: %v", err)
		}
		if version, err := Version(t.Context(), c); version != "" || err != nil {
			t.Errorf("version %q, %v; want none, as the token may not be told", version, err)
		}
		r := openRealm(t, c)
		defer r.Close()
		if _, err := r.Others(t.Context()); !errors.Is(err, target.ErrDenied) {
			t.Errorf("others: got %v, want %v", err, target.ErrDenied)
		}
		if err := r.Drop(t.Context()); err != nil {
			t.Errorf("drop: %v", err)
		}
	})
	t.Run("who may do everything sees whether others are there", func(t *testing.T) {
		testRealm(t, s.endpoint, s.config("x"), true)
	})
	t.Run("errors", func(t *testing.T) { s.testErrors(t) })
}

// testErrors is the matrix of what can be wrong with a client of s.
func (s *secured) testErrors(t *testing.T) {
	stranger := accesstest.NewAuthority(t).Client(t, "stranger")
	elsewhere := s.token(t, "elsewhere", `key_prefix "other/" { policy = "write" }`)
	reader := s.token(t, "reader", `key_prefix "kvbench/" { policy = "read" }`)
	for _, tc := range []struct {
		sentence string
		change   func(*Config)
		want     string
	}{
		{"a token that the servers don't know", func(c *Config) { c.Token = access.NewSecret("99999999-2222-3333-4444-555555555555") }, "check CONSUL_TOKEN"},
		{"no token", func(c *Config) { c.Token = access.Secret{} }, "set CONSUL_TOKEN"},
		{"a token for another namespace", func(c *Config) { c.Token = elsewhere }, `CONSUL_TOKEN needs: key_prefix "kvbench/" { policy = "write" }`},
		{"a token that may only read", func(c *Config) { c.Token = reader }, `CONSUL_TOKEN needs: key_prefix "kvbench/" { policy = "write" }`},
		{"another data center", func(c *Config) { c.DataCenter = "dc9" }, `check CONSUL_DATACENTER="dc9"`},
		{"an authority that didn't sign the server's certificate", with(t, access.Options{CA: accesstest.NewAuthority(t).CA, Cert: s.client.Cert, Key: s.client.Key}), "set CONSUL_TLS_CA"},
		{"a name that the server's certificate doesn't have", with(t, access.Options{CA: s.ca.CA, ServerName: "db.example", Cert: s.client.Cert, Key: s.client.Key}), "set CONSUL_TLS_SERVER_NAME"},
		{"no certificate of the client", with(t, access.Options{CA: s.ca.CA}), "set CONSUL_TLS_CERT and CONSUL_TLS_KEY"},
		{"a certificate of somebody else's client", with(t, access.Options{CA: s.ca.CA, Cert: stranger.Cert, Key: stranger.Key}), "CONSUL_TLS_CERT"},
		{"no TLS", func(c *Config) { c.TLS = nil }, "set CONSUL_TLS to true"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			c := s.config("errors")
			tc.change(&c)
			_, err := Open(t.Context(), c)
			wantDenied(t, err, tc.want)
			wantDenied(t, Ready(t.Context(), c), tc.want)
		})
	}
}

// with changes how TLS is spoken.
func with(t *testing.T, o access.Options) func(*Config) {
	t.Helper()
	o.Prefix = "CONSUL"
	secured, err := access.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.TLS = secured }
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
	if strings.Contains(err.Error(), "2222-3333") {
		t.Errorf("it shows the token: %v", err)
	}
}

func TestExpiredCertificate(t *testing.T) {
	s := startSecured(t, "expired", func(a *accesstest.Authority) accesstest.Pair { return a.Expired(t, "127.0.0.1") }, false)
	_, err := Open(t.Context(), s.config("t"))
	wantDenied(t, err, "the server's certificate is not valid today")
}

// A client that speaks TLS gets to a server that doesn't.
func TestTLSToAPlainServer(t *testing.T) {
	c := Config{Endpoints: []string{servers.Start(t).Servers[0].Endpoint}, Namespace: "kvbench", Table: "t"}
	with(t, access.Options{Insecure: true})(&c)
	_, err := Open(t.Context(), c)
	wantDenied(t, err, "the server doesn't speak TLS: set CONSUL_TLS to false")
}
