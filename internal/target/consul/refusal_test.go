package consul

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
)

// TestRefusals is the matrix of what can be wrong with a client of a Consul with
// access control and mutual TLS: each is one error, at once, that says what to change.
func TestRefusals(t *testing.T) {
	s := startSecured(t, secured{mutual: true})
	stranger := accesstest.NewAuthority(t).Client(t, "stranger")
	elsewhere := s.as(t, "t", `key_prefix "other/" { policy = "write" }`).Token
	reader := s.as(t, "t", `key_prefix "kvbench/" { policy = "read" }`).Token
	const needs = `the policy of CONSUL_TOKEN needs: key_prefix "kvbench/" { policy = "write" }`
	for _, tc := range []struct {
		sentence string
		change   func(*Config)
		want     string
	}{
		{"a token that the servers don't know", func(c *Config) { c.Token = access.NewSecret("99999999-2222-3333-4444-555555555555") }, "check CONSUL_TOKEN"},
		{"no token", func(c *Config) { c.Token = access.Secret{} }, "set CONSUL_TOKEN"},
		{"a token for another namespace", func(c *Config) { c.Token = elsewhere }, needs},
		{"a token that may only read", func(c *Config) { c.Token, c.Namespace = reader, "kvbench/new" }, `the policy of CONSUL_TOKEN needs: key_prefix "kvbench/new/"`},
		{"another data center", func(c *Config) { c.DataCenter = "dc9" }, `check CONSUL_DATACENTER="dc9"`},
		{"a partition", func(c *Config) { c.Partition = "team" }, `unset CONSUL_PARTITION, which is "team"`},
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
	t.Run("a token that may only read, where the mark is set already", func(t *testing.T) {
		c := s.config("errors")
		c.Token = reader
		wantDenied(t, Ready(t.Context(), c), needs)
		_, client := openClient(t, c)
		wantDenied(t, client.Put(t.Context(), row("k", 1)), needs)
	})
}

func TestExpiredCertificate(t *testing.T) {
	s := startSecured(t, secured{expired: true})
	_, err := Open(t.Context(), s.config("t"))
	wantDenied(t, err, "the server's certificate is not valid today")
}

// A client that speaks TLS gets to a server that doesn't.
func TestTLSToAPlainServer(t *testing.T) {
	c := config(servers.Start(t).Servers[0].Endpoint, "t")
	with(t, access.Options{Insecure: true})(&c)
	_, err := Open(t.Context(), c)
	wantDenied(t, err, "the server doesn't speak TLS: set CONSUL_TLS to false")
}

// TestLogin goes through a proxy that asks for a user and a password.
func TestLogin(t *testing.T) {
	consul := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: servers.Start(t).Servers[0].Endpoint})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hunter2" {
			http.Error(w, "<h1>Who are you?</h1>", http.StatusUnauthorized)
			return
		}
		consul.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	c := config(proxy.Listener.Addr().String(), "login")
	for _, tc := range []struct{ password, want string }{{"hunter2", ""}, {"hunter22", "check CONSUL_USER and CONSUL_PASSWORD"}} {
		c.Login = access.Login{User: "me", Password: access.NewSecret(tc.password)}
		err := Ready(t.Context(), c)
		if tc.want != "" {
			wantDenied(t, err, tc.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}
