package suite

import (
	"bytes"
	"context"
	"crypto/tls"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
)

// password is what must be seen nowhere. No other text has it as a part.
const password = "Xq7-not-to-be-seen-Z9"

// A cluster is measured that wants a certificate of its clients, and a password,
// neither of which anybody gets to see.
func TestSecuredRunOnRealEtcd(t *testing.T) {
	authority := accesstest.NewAuthority(t)
	endpoint := securedEtcd(t, authority)
	pair := authority.Client(t, "bench")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := []string{"BENCH_WARMUP=0s", "BENCH_SHARED=true", "ETCD_ENDPOINTS=" + endpoint, "ETCD_USER=bench",
		"ETCD_TLS_CA=" + authority.CA, "ETCD_TLS_CERT=" + pair.Cert, "ETCD_TLS_KEY=" + pair.Key}
	for _, test := range []struct {
		sentence, secret string
		code             int
		says             []string
	}{
		{"a password in a file", "ETCD_PASSWORD_FILE=" + file, 0, []string{"etcd-tls: mutual", "\nBenchmarkGet/system=etcd/clients=4"}},
		{"a password in a variable", "ETCD_PASSWORD=" + password, 0, []string{"\nBenchmarkGet/system=etcd/clients=4"}},
		{"another password", "ETCD_PASSWORD=" + password + "+", 1, []string{"check ETCD_USER and ETCD_PASSWORD"}},
	} {
		dir := t.TempDir()
		seen := commandLines(t)
		o := invocation{fake: "real", bench: "Get/system=etcd/clients=4", env: append(base, test.secret),
			args: []string{"-test.benchtime=200x", "-test.artifacts", "-test.outputdir=" + dir}}.run(t)
		found := seen()
		o.ends(t, test.code)
		o.says(t, test.says...)
		if strings.Contains(o.text, password) {
			t.Errorf("%s: the output has it:\n%s", test.sentence, o.text)
		}
		if written := filesWith(t, dir, password); len(written) > 0 {
			t.Errorf("%s: the files %q have it", test.sentence, written)
		}
		if !strings.Contains(found, "-test.outputdir="+dir) || strings.Contains(found, password) {
			t.Errorf("%s: the list of processes has it, or lacks the run:\n%s", test.sentence, found)
		}
		if logs := files(t, dir, ".hlog"); len(logs) != 1-test.code {
			t.Errorf("%s: recorded are %q", test.sentence, logs)
		}
	}
}

// securedEtcd starts an etcd whose clients need a certificate of the authority and
// a password, and returns its address.
func securedEtcd(t *testing.T, authority *accesstest.Authority) (endpoint string) {
	t.Helper()
	pair := authority.Server(t, "127.0.0.1", "localhost")
	c := startEtcd(t, func(_ int, _ string, argv []string) ([]string, error) {
		for i := range argv[1:] {
			if strings.HasSuffix(argv[i], "-client-urls") {
				argv[i+1] = strings.ReplaceAll(argv[i+1], "http://", "https://")
			}
		}
		return append(argv, "--cert-file", pair.Cert, "--key-file", pair.Key, "--client-cert-auth", "--trusted-ca-file", authority.CA), nil
	})
	endpoint = c.Endpoints()[0]
	root := etcdClient(t, clientv3.Config{Endpoints: []string{"https://" + endpoint}, TLS: clientTLS(t, authority, endpoint)})
	ctx := t.Context()
	for _, do := range []func() (any, error){
		func() (any, error) { return root.UserAdd(ctx, "root", "root") },
		func() (any, error) { return root.UserGrantRole(ctx, "root", "root") },
		func() (any, error) { return root.RoleAdd(ctx, "kvbench") },
		func() (any, error) {
			return root.RoleGrantPermission(ctx, "kvbench", "kvbench/", clientv3.GetPrefixRangeEnd("kvbench/"), clientv3.PermissionType(clientv3.PermReadWrite))
		},
		func() (any, error) { return root.UserAdd(ctx, "bench", password) },
		func() (any, error) { return root.UserGrantRole(ctx, "bench", "kvbench") },
		func() (any, error) { return root.AuthEnable(ctx) },
	} {
		if _, err := do(); err != nil {
			t.Fatal(err)
		}
	}
	return endpoint
}

func clientTLS(t *testing.T, authority *accesstest.Authority, endpoint string) *tls.Config {
	t.Helper()
	pair := authority.Client(t, "root")
	c, err := access.New(access.Options{Prefix: "ETCD", CA: authority.CA, Cert: pair.Cert, Key: pair.Key})
	if err != nil {
		t.Fatal(err)
	}
	return c.Config(endpoint)
}

// commandLines takes down the command lines of all processes until it is told to
// stop, and returns them.
func commandLines(t *testing.T) (stop func() string) {
	ctx, cancel := context.WithCancel(t.Context())
	lines, done := map[string]bool{}, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range all {
				text, _ := os.ReadFile(file) // the process may be gone
				lines[string(bytes.ReplaceAll(text, []byte{0}, []byte{' '}))] = true
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return func() string {
		cancel()
		<-done
		var text strings.Builder
		for line := range lines {
			text.WriteString(line + "\n")
		}
		return text.String()
	}
}

// filesWith returns the files below dir that have text in them.
func filesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
