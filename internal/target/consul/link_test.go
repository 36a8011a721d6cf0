package consul

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// TestOneConnection counts connections under load: one for each client, and
// none of them is opened again.
func TestOneConnection(t *testing.T) {
	proxy := targettest.NewProxy(t, servers.Start(t).Servers[0].Endpoint)
	_, c := openClient(t, config(proxy.Addr, "connections"))
	before := proxy.Accepted()
	for range 100 {
		if err := c.Put(t.Context(), row("k", 2000)); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), row("k", 0)); err != nil {
			t.Fatal(err)
		}
	}
	if after := proxy.Accepted(); before != 2 || after != before {
		t.Errorf("%d connections before, %d after the operations, want 2: the store's and the client's", before, after)
	}
}

// A namespace of Consul Enterprise changes every request, and there is no setting
// for it. Servers of ours have none.
func TestNamespaceInTheEnvironment(t *testing.T) {
	t.Setenv("CONSUL_NAMESPACE", "team")
	c := config("127.0.0.1:1", "t")
	c.Owned = false
	if _, err := Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), "CONSUL_NAMESPACE is set") {
		t.Errorf("open: %v, want an error that names CONSUL_NAMESPACE", err)
	}
}

// TestEnvironmentHasNoEffect sends a request to a server of the test's: what it
// carries is what the configuration says, whatever the environment does.
func TestEnvironmentHasNoEffect(t *testing.T) {
	for name, value := range map[string]string{
		"CONSUL_HTTP_ADDR":       "127.0.0.1:1",
		"CONSUL_HTTP_AUTH":       "user:password",
		"CONSUL_HTTP_SSL":        "true",
		"CONSUL_HTTP_TOKEN":      "theirs",
		"CONSUL_HTTP_TOKEN_FILE": "/none",
		"CONSUL_NAMESPACE":       "theirs",
		"CONSUL_PARTITION":       "theirs",
		"CONSUL_CACERT":          "/none",
		"CONSUL_CLIENT_CERT":     "/none",
		"CONSUL_TLS_SERVER_NAME": "theirs",
	} {
		t.Setenv(name, value)
	}
	for _, tc := range []struct {
		sentence string
		change   func(*Config)
		want     string
	}{
		{"nothing is configured", func(*Config) {}, `/v1/kv/kvbench/t/.connect?stale= "" ""`},
		{"all is", func(c *Config) {
			c.Token, c.DataCenter, c.Partition = access.NewSecret("ours"), "dc7", "part"
			c.Login = access.Login{User: "me", Password: access.NewSecret("word")}
		}, `/v1/kv/kvbench/t/.connect?dc=dc7&partition=part&stale= "ours" "Basic bWU6d29yZA=="`},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var seen string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = fmt.Sprintf("%s %q %q%s", r.URL, r.Header.Get("X-Consul-Token"), r.Header.Get("Authorization"), r.Header.Get("Accept-Encoding"))
				w.Header().Set("X-Consul-Index", "1")
				w.WriteHeader(http.StatusNotFound)
			}))
			defer server.Close()
			c := config("", "t")
			c.Timeout = time.Minute
			tc.change(&c)
			l, err := dial(t.Context(), c, server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer l.close()
			if seen != tc.want {
				t.Errorf("request %s, want %s", seen, tc.want)
			}
		})
	}
}

// What the library can't read it would complain about on stderr, for each client.
func TestNonsenseInTheEnvironment(t *testing.T) {
	for _, name := range []string{"CONSUL_HTTP_SSL", "CONSUL_HTTP_SSL_VERIFY"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "perhaps")
			if _, err := Open(t.Context(), config("127.0.0.1:1", "t")); err == nil || !strings.Contains(err.Error(), name+`="perhaps" is neither true nor false`) {
				t.Errorf("open: %v, want an error that names %s", err, name)
			}
		})
	}
}

func TestOpenUnreachable(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ep := ln.Addr().String()
	ln.Close()
	_, err = Open(t.Context(), config(ep, "t"))
	if !errors.Is(err, target.ErrUnavailable) || !strings.Contains(err.Error(), "consul at "+ep) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("open: %v; want an error that names consul, %s and the refused connection", err, ep)
	}
}

// TestStrangers talks to servers that aren't Consul's.
func TestStrangers(t *testing.T) {
	reply := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://127.0.0.1:1/")
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	const page, stranger = "<html>\n<h1>Hello</h1>", "the server doesn't reply as Consul does: check CONSUL_ENDPOINTS and CONSUL_TLS"
	for _, tc := range []struct {
		sentence string
		reply    http.HandlerFunc
		login    access.Login
		want     string
	}{
		{"it has a page for everything", reply(200, page), access.Login{}, stranger},
		{"it has nothing", reply(404, page), access.Login{}, stranger},
		{"it is elsewhere, where our token isn't shown", reply(301, page), access.Login{}, stranger + " (response code 301)"},
		{"it takes no such request", reply(405, page), access.Login{}, stranger + " (response code 405)"},
		{"it keeps out everybody", reply(403, page), access.Login{}, "response code 403 (Forbidden): check CONSUL_ENDPOINTS"},
		{"it wants a login", reply(401, page), access.Login{}, "response code 401 (Unauthorized): set CONSUL_USER"},
		{"it wants another login", reply(401, page), access.Login{User: "me"}, "response code 401 (Unauthorized): check CONSUL_USER"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			server := httptest.NewServer(tc.reply)
			defer server.Close()
			c := config(server.Listener.Addr().String(), "t")
			c.Login = tc.login
			_, err := Open(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want one line with %q", err, tc.want)
			}
			t.Log(err)
		})
	}
}

// TestMuteServer has a server that takes connections and says nothing, which ends
// with the configured timeout whether or not the client speaks TLS.
func TestMuteServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := config(l.Addr().String(), "t")
	c.Timeout = 200 * time.Millisecond
	for name, change := range map[string]func(*Config){"plain": func(*Config) {}, "TLS": with(t, access.Options{Insecure: true})} {
		change(&c)
		_, err := Open(t.Context(), c)
		if !errors.Is(err, target.ErrTimeout) {
			t.Errorf("%s: got %v, want %v", name, err, target.ErrTimeout)
		}
		t.Log(err)
	}
}
