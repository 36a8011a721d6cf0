package etcd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
)

// patience bounds what a test waits for; nothing is measured with it.
const patience = 5 * time.Minute

// start starts servers of the test's own.
func start(t *testing.T, spec cluster.Spec) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
	spec.System, spec.Force = cluster.Etcd, "process"
	source, err := cluster.Find(t.Context(), spec)
	if errors.Is(err, cluster.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := source.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		died := c.Err()
		if err := c.Close(context.Background()); err != nil && died == nil {
			t.Error(err)
		}
	})
	return c
}

// secured are servers that speak TLS with a certificate, and want one of clients
// whom the authority at trust has signed, unless that is "". Flags are added.
func secured(t *testing.T, pair accesstest.Pair, trust string, flags ...string) *cluster.Cluster {
	t.Helper()
	flags = append(flags, "--cert-file", pair.Cert, "--key-file", pair.Key)
	if trust != "" {
		flags = append(flags, "--client-cert-auth", "--trusted-ca-file", trust)
	}
	// Whatever is wrong with the certificate that the test is about.
	enter := access.Options{Insecure: true}
	if trust != "" {
		enter.Cert, enter.Key = pair.Cert, pair.Key
	}
	return start(t, cluster.Spec{
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			return Ready(ctx, Config{Endpoints: c.Endpoints(), Namespace: "kvbench", Table: "ready", TLS: newTLS(t, enter)})
		},
		Customize: func(_ int, _ string, argv []string) ([]string, error) {
			for i := range argv[1:] {
				if strings.HasSuffix(argv[i], "-client-urls") {
					argv[i+1] = strings.ReplaceAll(argv[i+1], "http://", "https://")
				}
			}
			return append(argv, flags...), nil
		},
	})
}

func newTLS(t *testing.T, o access.Options) *access.TLS {
	t.Helper()
	o.Prefix = "ETCD"
	c, err := access.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// as is the login of a user of [newUsers].
func as(user, password string) access.Login {
	return access.Login{User: user, Password: access.NewSecret(password)}
}

// newUsers makes users, who are asked for who they are from then on: root, with
// the password root; bench, with the password secret and the permissions that the
// package's comment says; cert, with the same and no password; and guest, with the
// password guest and no permissions. It returns root's client.
func newUsers(t *testing.T, config Config) *clientv3.Client {
	t.Helper()
	rooted := config
	rooted.Login = as("root", "root")
	conn := open(t, config).conns[0]
	defer conn.Close()
	cert := &clientv3.UserAddOptions{NoPassword: true}
	for _, do := range []func(context.Context) (any, error){
		func(ctx context.Context) (any, error) { return conn.RoleAdd(ctx, "kvbench") },
		func(ctx context.Context) (any, error) {
			return conn.RoleGrantPermission(ctx, "kvbench", "kvbench/", clientv3.GetPrefixRangeEnd("kvbench/"), clientv3.PermissionType(clientv3.PermReadWrite))
		},
		func(ctx context.Context) (any, error) { return conn.UserAdd(ctx, "bench", "secret") },
		func(ctx context.Context) (any, error) { return conn.UserGrantRole(ctx, "bench", "kvbench") },
		func(ctx context.Context) (any, error) { return conn.UserAddWithOptions(ctx, "cert", "", cert) },
		func(ctx context.Context) (any, error) { return conn.UserGrantRole(ctx, "cert", "kvbench") },
		func(ctx context.Context) (any, error) { return conn.UserAdd(ctx, "guest", "guest") },
		func(ctx context.Context) (any, error) { return conn.UserAdd(ctx, "root", "root") },
		func(ctx context.Context) (any, error) { return conn.UserGrantRole(ctx, "root", "root") },
		func(ctx context.Context) (any, error) { return conn.AuthEnable(ctx) },
	} {
		if _, err := do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	root := open(t, rooted)
	t.Cleanup(func() { root.Close() })
	return root.conns[0]
}

// TestGrantsAreThoseOfTheComment keeps the package's comment and newUsers together.
func TestGrantsAreThoseOfTheComment(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(".", "etcd.go"))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(text)) {
		if _, command, ok := strings.Cut(line, "//\tetcdctl "); ok {
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	if want := []string{
		"role add kvbench",
		"role grant-permission kvbench --prefix=true readwrite kvbench/",
		"user add bench",
		"user grant-role bench kvbench",
		"role grant-permission kvbench --prefix=true read ''",
	}; !slices.Equal(commands, want) {
		t.Errorf("the package's comment says %q; the tests do %q", commands, want)
	}
}
