package etcd

import (
	"errors"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// TestContractOfAUser has the whole contract kept by users who may do what the
// package's comment says and no more, over TLS on both sides: one with a password,
// and one whom the certificate names.
func TestContractOfAUser(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	c := secured(t, ca.Server(t, "127.0.0.1"), ca.CA)
	proxy := targettest.NewProxy(t, c.Servers[0].Endpoint)
	pair := ca.Client(t, "cert")
	config := config(proxy.Addr, "contract")
	config.Owned = false
	config.TLS = newTLS(t, access.Options{CA: ca.CA, Cert: pair.Cert, Key: pair.Key})
	newUsers(t, config)
	for name, login := range map[string]access.Login{"password": as("bench", "secret"), "certificate": {}} {
		config.Login = login
		t.Run(name, func(t *testing.T) {
			targettest.Test(t, func(t *testing.T) target.Store { return open(t, config) },
				targettest.Options{Pause: targettest.Pause(t, c), Break: proxy.Break})
			if err := Ready(t.Context(), config); err != nil {
				t.Error(err)
			}
			if got, err := Version(t.Context(), config); err != nil || got != c.Version {
				t.Errorf("version %q, %v", got, err)
			}
		})
	}
}

// TestRealmOfAUser uses a realm with the permissions of the package's comment, and
// then with the one that shows what others have.
func TestRealmOfAUser(t *testing.T) {
	c := start(t, cluster.Spec{Ready: servers.Spec.Ready})
	config := config(c.Servers[0].Endpoint, "rows")
	root := newUsers(t, config)
	if _, err := root.Put(t.Context(), "orders/1", "theirs"); err != nil {
		t.Fatal(err)
	}
	config.Login = as("bench", "secret")
	realm := openRealm(t, config)
	if err := errors.Join(realm.Claim(t.Context()), realm.SetNote(t.Context(), "n", "text")); err != nil {
		t.Error(err)
	}
	_, err := realm.Others(t.Context())
	if !errors.Is(err, target.ErrDenied) || !strings.Contains(err.Error(), "--prefix=true read ''") {
		t.Errorf("others: %v, want that the user may not see them, and what it takes", err)
	}
	if _, err := root.RoleGrantPermission(t.Context(), "kvbench", "\x00", "\x00", clientv3.PermissionType(clientv3.PermRead)); err != nil {
		t.Fatal(err)
	}
	if other, err := realm.Others(t.Context()); err != nil || other != `key "orders/1"` {
		t.Errorf("others: %q, %v", other, err)
	}
	if err := realm.Drop(t.Context()); err != nil {
		t.Error(err)
	}

	config.Namespace = "orders"
	for what, err := range map[string]error{"claim": openRealm(t, config).Claim(t.Context()), "ready": Ready(t.Context(), config)} {
		if !errors.Is(err, target.ErrForeign) {
			t.Errorf("%s: what others have: %v, want %v", what, err, target.ErrForeign)
		}
	}
	config.Namespace = "elsewhere"
	for what, err := range map[string]error{"claim": openRealm(t, config).Claim(t.Context()), "ready": Ready(t.Context(), config)} {
		if !errors.Is(err, target.ErrDenied) || !strings.Contains(err.Error(), "readwrite elsewhere/") {
			t.Errorf("%s: where the user may only read: %v, want %v and what it takes", what, err, target.ErrDenied)
		}
	}
}

func openRealm(t *testing.T, config Config) *Realm {
	t.Helper()
	realm, err := OpenRealm(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { realm.Close() })
	return realm
}

// TestVersionThatIsSecret asks servers that tell it root only.
func TestVersionThatIsSecret(t *testing.T) {
	c := start(t, cluster.Spec{Version: "3.6.7", Ready: servers.Spec.Ready})
	config := config(c.Servers[0].Endpoint, "t")
	newUsers(t, config)
	for login, want := range map[access.Login]string{as("bench", "secret"): "", as("root", "root"): "3.6.7"} {
		config.Login = login
		if got, err := Version(t.Context(), config); err != nil || got != want {
			t.Errorf("%s: version %q, %v, want %q", login.User, got, err, want)
		}
	}
}
