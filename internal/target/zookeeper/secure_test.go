package zookeeper

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// A change is how servers are configured otherwise than the suite's own.
type change struct {
	config  func(text string) string // nil changes nothing
	options []string                 // of the Java virtual machine
}

// start starts nodes servers that end with t. They are ready when the given
// function says so.
func start(t *testing.T, nodes int, to change, ready func(context.Context, Config) error, with Config) *cluster.Cluster {
	t.Helper()
	return targettest.StartOwn(t, cluster.Spec{
		System: cluster.ZooKeeper, Nodes: nodes, Customize: to.customize,
		Ready: func(ctx context.Context, c *cluster.Cluster) error {
			with := with
			with.Endpoints = c.Endpoints()
			return ready(ctx, with)
		},
	})
}

// customize makes the change. Servers of tests need no large heap.
func (to change) customize(_ int, dir string, argv []string) ([]string, error) {
	var out []string
	for _, arg := range argv {
		switch {
		case strings.HasPrefix(arg, "-Xms"):
		case strings.HasPrefix(arg, "-Xmx"):
			out = append(out, "-Xmx512m")
		case arg == "-cp": // options come before it, and the last one of a name counts
			out = append(append(out, to.options...), arg)
		default:
			out = append(out, arg)
		}
	}
	if to.config == nil {
		return out, nil
	}
	file := filepath.Join(dir, "conf", "zoo.cfg")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return out, os.WriteFile(file, []byte(to.config(string(text))), 0o600)
}

// with adds lines to a configuration.
func with(lines ...string) change {
	return change{config: func(text string) string { return text + "\n" + strings.Join(lines, "\n") + "\n" }}
}

// secured makes the client port speak TLS only, with server's certificate and
// clients of the authority ca. clientAuth is "need" or "none": whether clients need
// a certificate.
func secured(server accesstest.Pair, ca *accesstest.Authority, clientAuth string) change {
	return change{config: func(text string) string {
		text = strings.NewReplacer("clientPort=", "secureClientPort=", "clientPortAddress=", "secureClientPortAddress=").Replace(text)
		return text + fmt.Sprintf(`
serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
ssl.keyStore.location=%s
ssl.keyStore.type=PEM
ssl.trustStore.location=%s
ssl.trustStore.type=PEM
ssl.clientAuth=%s
authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider
`, server.Both, ca.CA, clientAuth)
	}}
}

// newTLS returns a way to speak TLS.
func newTLS(t *testing.T, o access.Options) *access.TLS {
	t.Helper()
	o.Prefix = "ZOOKEEPER"
	c, err := access.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func login(user, password string) access.Login {
	return access.Login{User: user, Password: access.NewSecret(password)}
}

// TestSecured does everything with mutual TLS and a user.
func TestSecured(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	client := ca.Client(t, "bench")
	base := Config{
		Namespace: "kvbench", Table: "t", Login: login("bench", "secret-word"),
		TLS: newTLS(t, access.Options{CA: ca.CA, Cert: client.Cert, Key: client.Key}),
	}
	base.Endpoints = start(t, 1, secured(ca.Server(t, "127.0.0.1"), ca, "need"), Ready, base).Endpoints()
	t.Run("version", func(t *testing.T) {
		if v, err := Version(t.Context(), base); err != nil || !strings.HasPrefix(v, "3.") {
			t.Errorf("got %q, %v", v, err)
		}
	})
	t.Run("realm", func(t *testing.T) { testRealm(t, base) })
	t.Run("contract", func(t *testing.T) {
		proxy := targettest.NewProxy(t, base.Endpoints[0])
		targettest.Test(t, func(t *testing.T) target.Store {
			c := base
			c.Endpoints, c.Table = []string{proxy.Addr}, "contract"
			store, err := Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}, targettest.Options{Break: proxy.Break})
	})
}
