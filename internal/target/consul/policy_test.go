package consul

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/access"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// The policies of the package's comment.
var (
	least    = []string{`key_prefix "kvbench/" { policy = "write" }`}
	seeing   = []string{`key_prefix "" { policy = "list" }`, `service_prefix "" { policy = "read" }`}
	agents   = []string{`agent_prefix "" { policy = "read" }`}
	catalogs = []string{`service "consul" { policy = "read" } node_prefix "" { policy = "read" }`}
)

func policy(parts ...[]string) (rules string) {
	for _, part := range parts {
		rules += strings.Join(part, "\n") + "\n"
	}
	return rules
}

func TestPoliciesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("consul.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, rules := range [][]string{least, seeing, agents, catalogs} {
		if part := "//\n//\t" + strings.Join(rules, "\n//\t") + "\n"; !strings.Contains(string(text), part) && !strings.Contains(string(text), part[3:]) {
			t.Errorf("the package's comment lacks\n%s", part)
		}
	}
}

// TestPolicies does with a token of each policy what it is for, and nothing more.
// The servers ask for the permission to list keys.
func TestPolicies(t *testing.T) {
	s := startSecured(t, secured{mutual: true, acl: "enable_key_list_policy = true"})
	t.Run("the least", func(t *testing.T) { s.testLeast(t, s.as(t, "contract", policy(least))) })
	for _, tc := range []struct {
		sentence string
		rules    string
		alone    bool // others are seen
		version  bool
	}{
		{"the least", policy(least), false, false},
		{"others can be seen", policy(least, seeing), true, false},
		{"their keys only", policy(least, seeing[:1]), false, false},
		{"their services only", policy(least, seeing[1:]), false, false},
		{"an agent tells the version", policy(least, agents), false, true},
		{"the catalog tells the version", policy(least, catalogs), false, true},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			c := s.as(t, "t", tc.rules)
			version, err := Version(t.Context(), c)
			if err != nil || strings.HasPrefix(version, "1.") != tc.version || !tc.version && version != "" {
				t.Errorf("version %q, %v; want one: %v", version, err, tc.version)
			}
			r := openRealm(t, c)
			defer r.Close()
			other, err := r.Others(t.Context())
			if tc.alone && (other != "" || err != nil) {
				t.Errorf("others: got %q, %v; want none", other, err)
			} else if !tc.alone {
				wantDenied(t, err, "would need: "+strings.Join(seeing, " "))
			}
		})
	}
}

// testLeast does everything that a run needs.
func (s *secured) testLeast(t *testing.T, c Config) {
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
	r := openRealm(t, c)
	defer r.Close()
	if err := r.SetNote(t.Context(), "preload", "1 row"); err != nil {
		t.Errorf("set a note: %v", err)
	}
	if err := r.Drop(t.Context()); err != nil {
		t.Errorf("drop: %v", err)
	}
}

// TestFiltering is on servers that, as usual, leave out of lists what the token may
// not see.
func TestFiltering(t *testing.T) {
	s := startSecured(t, secured{})
	t.Run("who may do everything sees all", func(t *testing.T) { testRealm(t, s.endpoint, s.config("x"), true) })
	t.Run("a count that isn't of all keys is an error", func(t *testing.T) {
		_, admin := openClient(t, s.config("count"))
		for _, key := range []string{"a", "hidden"} {
			if err := admin.Put(t.Context(), row(key, 1)); err != nil {
				t.Fatal(err)
			}
		}
		store, c := openClient(t, s.as(t, "count", policy(least)+`key "kvbench/count/hidden" { policy = "deny" }`))
		n, err := store.Count(t.Context())
		wantDenied(t, err, "the token may not see all keys")
		if n != 0 {
			t.Errorf("counted %d all the same", n)
		}
		wantDenied(t, c.Get(t.Context(), row("hidden", 0)), `lacks permission 'key:read' on "kvbench/count/hidden"`)
		wantDenied(t, store.Clear(t.Context()), "Permission denied")
	})
	t.Run("a hidden service may be somebody else's", func(t *testing.T) {
		r := openRealm(t, s.as(t, "t", policy(least, seeing[:1])))
		defer r.Close()
		_, err := r.Others(t.Context())
		wantDenied(t, err, "the token may not see all services")
	})
	t.Run("hidden keys may be somebody else's", func(t *testing.T) {
		r := openRealm(t, s.as(t, "t", policy(least)))
		defer r.Close()
		intrude(t, openRealm(t, s.config("t")), "web/key")
		_, err := r.Others(t.Context())
		wantDenied(t, err, "the token may not see all keys")
	})
	t.Run("nobody is told that something is left out", func(t *testing.T) { s.testAnonymous(t) })
}

// testAnonymous lets clients without a token do what a run needs.
func (s *secured) testAnonymous(t *testing.T) {
	acl := s.admin(t).api.ACL()
	made, _, err := acl.PolicyCreate(&api.ACLPolicy{Name: "anonymous", Rules: policy(least, seeing)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token := &api.ACLToken{AccessorID: anonymous, Policies: []*api.ACLTokenPolicyLink{{ID: made.ID}}}
	if _, _, err := acl.TokenUpdate(token, nil); err != nil {
		t.Fatal(err)
	}
	c := s.config("t")
	c.Token = access.Secret{}
	for { // agents remember for a while what the anonymous token may do
		err := Ready(t.Context(), c)
		if err == nil {
			break
		}
		if !errors.Is(err, target.ErrDenied) || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	r := openRealm(t, c)
	defer r.Close()
	_, err = r.Others(t.Context())
	wantDenied(t, err, "nobody sees everything without a token")
}
