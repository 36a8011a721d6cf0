package consul

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

func TestRealm(t *testing.T) {
	ep := servers.Start(t).Servers[0].Endpoint
	testRealm(t, ep, Config{}, true)
}

// testRealm runs the contract test of realms with the given credentials.
func testRealm(t *testing.T, ep string, base Config, alone bool) {
	named := func(name string) Config {
		c := base
		c.Endpoints, c.Namespace, c.Table = []string{ep}, name, "rows"
		return c
	}
	targettest.TestRealm(t, targettest.Land{
		Alone: alone,
		Open:  func(t *testing.T, name string) target.Realm { return openRealm(t, named(name)) },
		Store: func(t *testing.T, name string) target.Store {
			store, err := Open(t.Context(), named(name))
			if err != nil {
				t.Fatal(err)
			}
			return store
		},
		Intrude: func(t *testing.T, name string, at bool) func() bool {
			key := name + "-and-more"
			if at {
				key = name + "/theirs"
			}
			return intrude(t, openRealm(t, named("intruder")), key)
		},
	})
}

func openRealm(t *testing.T, c Config) *Realm {
	t.Helper()
	r, err := OpenRealm(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// intrude writes a key as somebody else would.
func intrude(t *testing.T, r *Realm, key string) (remains func() bool) {
	t.Helper()
	write := r.config.write(context.Background())
	if _, err := r.link.api.KV().Put(&api.KVPair{Key: key, Value: []byte("1")}, write); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := r.link.api.KV().Delete(key, write); err != nil {
			t.Error(err)
		}
		r.Close()
	})
	return func() bool {
		value, err := r.get(context.Background(), key)
		return err == nil && value == "1"
	}
}

// Somebody writes between the look for keys and the mark, which is then taken back.
func TestSomebodyIsFirst(t *testing.T) {
	server := servers.Start(t).Servers[0].Endpoint
	r := openRealm(t, Config{Endpoints: []string{server}, Namespace: "first"})
	defer r.Close()
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Query().Has("cas") {
			intrude(t, openRealm(t, r.config), "first/theirs")
		}
		behind.ServeHTTP(w, q)
	}))
	defer proxy.Close()
	late := openRealm(t, Config{Endpoints: []string{strings.TrimPrefix(proxy.URL, "http://")}, Namespace: "first"})
	defer late.Close()
	if err := late.Claim(t.Context()); !errors.Is(err, target.ErrForeign) {
		t.Errorf("%v, want %v", err, target.ErrForeign)
	}
	keys, err := r.keys(t.Context(), r.prefix(), "")
	if err != nil || !slices.Equal(keys, []string{"first/theirs"}) {
		t.Errorf("keys %q, error %v; want theirs alone", keys, err)
	}
}

// A service is somebody else's, too.
func TestServicesAreOthers(t *testing.T) {
	r := openRealm(t, Config{Endpoints: []string{servers.Start(t).Servers[0].Endpoint}, Namespace: "kvbench"})
	defer r.Close()
	agent := r.link.api.Agent()
	if err := agent.ServiceRegister(&api.AgentServiceRegistration{Name: "web", Port: 80}); err != nil {
		t.Fatal(err)
	}
	defer agent.ServiceDeregister("web")
	other := ""
	for range 1000 { // the agent tells the catalog when it gets round to it
		var err error
		if other, err = r.Others(t.Context()); err != nil {
			t.Fatal(err)
		}
		if other != "" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if other != `service "web"` {
		t.Errorf("got %q, want the service", other)
	}
}
