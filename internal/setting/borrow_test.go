package setting

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kvbench/internal/access/accesstest"
)

// home returns a home directory with files in it, by their names.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readFile returns a file's text.
func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// see returns what a system's settings are, with secrets, and what was borrowed.
func see(t *testing.T, s *Settings, system string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range fields(s) {
		if systemOf(f.name) != system || f.value.IsZero() {
			continue
		}
		value := fmt.Sprint(f.value)
		if secret, ok := f.value.Interface().(interface{ Reveal() string }); ok {
			value = secret.Reveal()
		}
		fmt.Fprintf(&b, "%s=%s ", strings.TrimPrefix(f.name, Prefix(system)+"_"), value)
	}
	return strings.TrimSpace(b.String())
}

func TestBorrowing(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair := ca.Client(t, "bench")
	token := filepath.Join(home(t, map[string]string{"token": "t0"}), "token")
	certs := []string{"ETCDCTL_CACERT=" + ca.CA, "ETCDCTL_CERT=" + pair.Cert, "ETCDCTL_KEY=" + pair.Key}
	for _, test := range []struct {
		why, system string
		environ     []string
		want        string
		took        string // the settings
	}{
		{"etcdctl's cluster, with all it has", "etcd",
			append(certs, "ETCDCTL_ENDPOINTS=https://a:2379,https://b", "ETCDCTL_USER=root:pass:word"),
			"ENDPOINTS=[a:2379 b:2379] TLS=true TLS_CA=" + ca.CA + " TLS_CERT=" + pair.Cert + " TLS_KEY=" + pair.Key + " USER=root PASSWORD=pass:word",
			"ENDPOINTS TLS_CA TLS_CERT TLS_KEY USER PASSWORD"},
		{"certificates are TLS enough", "etcd", append(certs[:1:1], "ETCDCTL_ENDPOINTS=a"), "ENDPOINTS=[a:2379] TLS=true TLS_CA=" + ca.CA, "ENDPOINTS TLS_CA"},
		{"but not against http", "etcd", append(certs, "ETCDCTL_ENDPOINTS=http://a"), "ENDPOINTS=[a:2379] TLS=false", "ENDPOINTS"},
		{"nor against our own setting", "etcd", append(certs, "ETCD_ENDPOINTS=a", "ETCD_TLS=false"), "ENDPOINTS=[a:2379] TLS=false", ""},
		{"a password of its own", "etcd", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_USER=root", "ETCDCTL_PASSWORD=p"}, "ENDPOINTS=[a:2379] TLS=false USER=root PASSWORD=p", "ENDPOINTS USER PASSWORD"},
		{"TLS and no verification", "etcd", append(certs[:1:1], "ETCDCTL_ENDPOINTS=a", "ETCDCTL_INSECURE_TRANSPORT=false", "ETCDCTL_INSECURE_SKIP_TLS_VERIFY=true"),
			"ENDPOINTS=[a:2379] TLS=true TLS_INSECURE=true", "ENDPOINTS TLS TLS_INSECURE"},
		{"verification that we ask for stays", "etcd", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CA=" + ca.CA, "ETCDCTL_INSECURE_SKIP_TLS_VERIFY=true"},
			"ENDPOINTS=[a:2379] TLS=true TLS_CA=" + ca.CA, ""},
		{"defaults of etcdctl in words", "etcd", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_INSECURE_TRANSPORT=true", "ETCDCTL_INSECURE_SKIP_TLS_VERIFY=false"}, "ENDPOINTS=[a:2379] TLS=false", "ENDPOINTS"},
		{"our endpoints, their user", "etcd", []string{"ETCD_ENDPOINTS=a", "ETCDCTL_ENDPOINTS=b", "ETCDCTL_USER=root:p"}, "ENDPOINTS=[a:2379] TLS=false USER=root PASSWORD=p", "USER PASSWORD"},
		{"the password of our user is ours", "etcd", []string{"ETCD_ENDPOINTS=a", "ETCD_USER=me", "ETCD_PASSWORD=mine", "ETCDCTL_USER=root:p"}, "ENDPOINTS=[a:2379] TLS=false USER=me PASSWORD=mine", ""},
		{"no cluster, nothing", "etcd", append(certs, "ETCDCTL_USER=root:p"), "TLS=auto", ""},
		{"processes were asked for", "etcd", append(certs, "ETCDCTL_ENDPOINTS=a", "ETCDCTL_USER=root:p", "BENCH_SERVERS=process"), "TLS=auto", ""},
		{"turned off", "etcd", append(certs, "ETCDCTL_ENDPOINTS=a", "BENCH_BORROW=0"), "TLS=auto", ""},

		{"an agent", "consul", []string{"CONSUL_HTTP_ADDR=127.0.0.1:8500", "CONSUL_HTTP_TOKEN=t", "CONSUL_PARTITION=p"}, "ENDPOINTS=[127.0.0.1:8500] TLS=false TOKEN=t PARTITION=p", "ENDPOINTS TOKEN"},
		{"an agent's URL without a port", "consul", []string{"CONSUL_HTTP_ADDR=https://consul.example.org"}, "ENDPOINTS=[consul.example.org:443] TLS=true", "ENDPOINTS"},
		{"HTTP's port", "consul", []string{"CONSUL_HTTP_ADDR=consul"}, "ENDPOINTS=[consul:80] TLS=false", "ENDPOINTS"},
		{"TLS by variable", "consul", []string{"CONSUL_HTTP_ADDR=http://a:8501", "CONSUL_HTTP_SSL=true", "CONSUL_CACERT=" + ca.CA, "CONSUL_CAPATH=/none", "CONSUL_CLIENT_CERT=" + pair.Cert, "CONSUL_CLIENT_KEY=" + pair.Key},
			"ENDPOINTS=[a:8501] TLS=true TLS_CA=" + ca.CA + " TLS_CERT=" + pair.Cert + " TLS_KEY=" + pair.Key, "ENDPOINTS TLS TLS_CA TLS_CERT TLS_KEY"},
		{"a directory of authorities", "consul", []string{"CONSUL_HTTP_ADDR=https://a:1", "CONSUL_CAPATH=" + filepath.Dir(ca.CA)}, "ENDPOINTS=[a:1] TLS=true TLS_CA=" + filepath.Dir(ca.CA), "ENDPOINTS TLS_CA"},
		{"certificates alone are no TLS for Consul's tools", "consul", []string{"CONSUL_HTTP_ADDR=a:1", "CONSUL_CACERT=/none"}, "ENDPOINTS=[a:1] TLS=false", "ENDPOINTS"},
		{"not verified", "consul", []string{"CONSUL_HTTP_ADDR=https://a:1", "CONSUL_HTTP_SSL_VERIFY=false", "CONSUL_CACERT=" + ca.CA}, "ENDPOINTS=[a:1] TLS=true TLS_INSECURE=true", "ENDPOINTS TLS_INSECURE"},
		{"a file of the token counts more", "consul", []string{"CONSUL_HTTP_ADDR=a:1", "CONSUL_HTTP_TOKEN=t", "CONSUL_HTTP_TOKEN_FILE=" + token}, "ENDPOINTS=[a:1] TLS=false TOKEN_FILE=" + token, "ENDPOINTS TOKEN_FILE"},
		{"our token", "consul", []string{"CONSUL_ENDPOINTS=a:1", "CONSUL_TOKEN=ours", "CONSUL_HTTP_TOKEN_FILE=/none"}, "ENDPOINTS=[a:1] TLS=false TOKEN=ours", ""},
		{"a login of HTTP's", "consul", []string{"CONSUL_HTTP_ADDR=a:1", "CONSUL_HTTP_AUTH=me:p"}, "ENDPOINTS=[a:1] TLS=false USER=me PASSWORD=p", "ENDPOINTS USER PASSWORD"},
		{"a user without a password", "consul", []string{"CONSUL_HTTP_ADDR=a:1", "CONSUL_HTTP_AUTH=me"}, "ENDPOINTS=[a:1] TLS=false USER=me", "ENDPOINTS USER"},
		{"names that are ours too mean nothing for our own agents", "consul", []string{"CONSUL_TLS_SERVER_NAME=x", "CONSUL_PARTITION=p", "CONSUL_HTTP_TOKEN=t"}, "TLS=auto", ""},
	} {
		s, err := Load(test.environ)
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var took []string
		for _, b := range s.Borrowed {
			name, _, _ := strings.Cut(strings.TrimPrefix(b, Prefix(test.system)+"_"), " ")
			took = append(took, name)
		}
		if got := see(t, s, test.system); got != test.want || strings.Join(took, " ") != test.took {
			t.Errorf("%s:\n got %s\nwant %s\ntook %q, want %s", test.why, got, test.want, took, test.took)
		}
	}
}
