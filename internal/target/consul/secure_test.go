package consul

import (
	"context"
	"crypto/rand"
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
)

const managementToken = "11111111-2222-3333-4444-555555555555"

// secured is a Consul with access control that denies by default, and TLS.
type secured struct {
	hosts   []string // of the server's certificate; nil is its address
	expired bool     // the certificate is
	mutual  bool     // clients need a certificate
	acl     string   // more of the configuration of access control
	clients string   // addresses to listen on; "" is 127.0.0.1

	endpoint string
	ca       *accesstest.Authority
	client   accesstest.Pair
}

// startSecured starts what s describes, and returns it with its endpoint.
func startSecured(t *testing.T, s secured) *secured {
	t.Helper()
	s.ca = accesstest.NewAuthority(t)
	s.client = s.ca.Client(t, "bench")
	sign := s.ca.Server
	if s.expired {
		sign = s.ca.Expired
	}
	if s.hosts == nil {
		s.hosts = []string{"127.0.0.1"}
	}
	pair := sign(t, s.hosts...)
	c := start(t, cluster.Spec{
		Customize: func(_ int, dir string, argv []string) ([]string, error) { return argv, s.secure(dir, pair) },
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			s.endpoint = c.Servers[0].Endpoint
			config := s.config("ready")
			with(t, access.Options{Insecure: true, Cert: s.client.Cert, Key: s.client.Key})(&config) // it may have expired
			return Ready(ctx, config)
		},
	})
	s.endpoint = c.Servers[0].Endpoint
	return &s
}

// secure changes a server's configuration: what was the port of HTTP is that of
// HTTPS.
func (s *secured) secure(dir string, server accesstest.Pair) error {
	file := filepath.Join(dir, "server.hcl")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	config := strings.Replace(string(text), "  https    = -1\n", "", 1)
	config = strings.Replace(config, "  http     =", "  http     = -1\n  https    =", 1)
	if s.clients != "" {
		config = strings.Replace(config, `client_addr = "127.0.0.1"`, fmt.Sprintf("client_addr = %q", s.clients), 1)
	}
	config += fmt.Sprintf(`
acl {
  enabled        = true
  default_policy = "deny"
  tokens { initial_management = %q }
  %s
}
tls {
  defaults { ca_file = %q, cert_file = %q, key_file = %q, verify_incoming = %v }
  internal_rpc { verify_incoming = false }
}
`, managementToken, s.acl, s.ca.CA, server.Cert, server.Key, s.mutual)
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

// as is config with a token that has a policy of these rules.
func (s *secured) as(t *testing.T, table, rules string) Config {
	t.Helper()
	l := s.admin(t)
	policy, _, err := l.api.ACL().PolicyCreate(&api.ACLPolicy{Name: rand.Text(), Rules: rules}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := l.api.ACL().TokenCreate(&api.ACLToken{Policies: []*api.ACLTokenPolicyLink{{ID: policy.ID}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := s.config(table)
	c.Token = access.NewSecret(made.SecretID)
	return c
}

// admin is a link that may do everything, until the test ends.
func (s *secured) admin(t *testing.T) *link {
	t.Helper()
	l, err := newLink(s.config("admin"), s.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
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

// wantDenied fails the test unless err denies access, says what to do in one line,
// and shows no secret.
func wantDenied(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !errors.Is(err, target.ErrDenied) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error of access with %q", err, want)
		return
	}
	t.Log(err)
	for _, secret := range []string{"2222-3333", "hunter2", "\n"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("it shows %q: %v", secret, err)
		}
	}
}
