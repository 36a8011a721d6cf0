package setting

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
)

func TestAccess(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair := ca.Client(t, "bench")
	password := filepath.Join(home(t, map[string]string{"password": "from a file\n"}), "password")
	for _, test := range []struct {
		why     string
		environ []string
		tls     string // as in a configuration line
		login   access.Login
	}{
		{"no cluster", nil, "off", access.Login{}},
		{"an open one", []string{"ENDPOINTS=a"}, "off", access.Login{}},
		{"TLS with what the machine trusts", []string{"ENDPOINTS=a", "TLS=true"}, "verified", access.Login{}},
		{"TLS by a file", []string{"ENDPOINTS=a", "TLS_CA=" + ca.CA}, "verified", access.Login{}},
		{"TLS by a name", []string{"ENDPOINTS=a", "TLS_SERVER_NAME=b"}, "verified", access.Login{}},
		{"TLS in both directions", []string{"ENDPOINTS=a", "TLS_CA=" + ca.CA, "TLS_CERT=" + pair.Cert, "TLS_KEY=" + pair.Key}, "mutual", access.Login{}},
		{"TLS without proof", []string{"ENDPOINTS=a", "TLS_INSECURE=true"}, "not verified", access.Login{}},
		{"a password", []string{"ENDPOINTS=a", "USER=me", "PASSWORD=pw"}, "off", access.Login{User: "me", Password: access.NewSecret("pw")}},
		{"a password in a file", []string{"ENDPOINTS=a", "USER=me", "PASSWORD_FILE=" + password}, "off", access.Login{User: "me", Password: access.NewSecret("from a file")}},
	} {
		for _, system := range systems {
			var environ []string
			for _, e := range test.environ {
				environ = append(environ, Prefix(system)+"_"+e)
			}
			tls, login, err := load(t, environ...).Access(system)
			if err != nil || tls.String() != test.tls || !reflect.DeepEqual(login, test.login) {
				t.Errorf("%s, %s: %v, %v, %v", system, test.why, tls, login, err)
			}
		}
	}
	if tls, _, err := load(t, "ETCD_ENDPOINTS=https://a").Access("etcd"); err != nil || tls.String() != "verified" {
		t.Errorf("https: %v, %v", tls, err)
	}
}

func TestToken(t *testing.T) {
	file := filepath.Join(home(t, map[string]string{"token": "t1\n"}), "token")
	for _, test := range []struct {
		environ []string
		want    string
	}{
		{nil, ""},
		{[]string{"CONSUL_ENDPOINTS=a"}, ""},
		{[]string{"CONSUL_ENDPOINTS=a", "CONSUL_TOKEN=t0"}, "t0"},
		{[]string{"CONSUL_ENDPOINTS=a", "CONSUL_TOKEN_FILE=" + file}, "t1"},
	} {
		if token, err := load(t, test.environ...).Token(); err != nil || token.Reveal() != test.want {
			t.Errorf("%q: %q, %v", test.environ, token.Reveal(), err)
		}
	}
}

// What can't work is said when settings are loaded, by the names of the variables
// that a person has set.
func TestAccessThatCannotWork(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair, expired, other := ca.Client(t, "a"), ca.Expired(t, "b"), ca.Client(t, "c")
	for _, test := range []struct {
		why     string
		environ []string
		want    []string
	}{
		{"two passwords", []string{"ETCD_ENDPOINTS=a", "ETCD_USER=me", "ETCD_PASSWORD=hunter2", "ETCD_PASSWORD_FILE=/f"}, []string{"ETCD_PASSWORD and ETCD_PASSWORD_FILE: both are set"}},
		{"two tokens", []string{"CONSUL_ENDPOINTS=a", "CONSUL_TOKEN=hunter2", "CONSUL_TOKEN_FILE=/f"}, []string{"CONSUL_TOKEN and CONSUL_TOKEN_FILE: both are set"}},
		{"a password of nobody", []string{"ETCD_ENDPOINTS=a", "ETCD_PASSWORD=hunter2"}, []string{"ETCD_PASSWORD: whose? Set ETCD_USER too"}},
		{"a file of nobody's password", []string{"ETCD_ENDPOINTS=a", "ETCD_PASSWORD_FILE=/f"}, []string{`ETCD_PASSWORD_FILE="/f": whose?`, `ETCD_PASSWORD_FILE="/f": open /f: no such file`}},
		{"a user without a password", []string{"CASSANDRA_ENDPOINTS=a", "CASSANDRA_USER=me"}, []string{`CASSANDRA_USER="me": set CASSANDRA_PASSWORD or CASSANDRA_PASSWORD_FILE too`}},
		{"a file of a password that isn't there", []string{"SCYLLA_ENDPOINTS=a", "SCYLLA_USER=me", "SCYLLA_PASSWORD_FILE=/none"}, []string{`SCYLLA_PASSWORD_FILE="/none": open /none: no such file`}},
		{"a file of a token that isn't there", []string{"CONSUL_ENDPOINTS=a", "CONSUL_TOKEN_FILE=/none"}, []string{`CONSUL_TOKEN_FILE="/none"`}},
		{"a relative file", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CA=ca.pem"}, []string{`ETCD_TLS_CA="ca.pem": want an absolute path`}},
		{"an authority that isn't there", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CA=/none"}, []string{`ETCD_TLS_CA="/none": no such file`}},
		{"half a pair", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CERT=" + pair.Cert}, []string{"set ETCD_TLS_KEY too"}},
		{"another's key", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CERT=" + pair.Cert, "ETCD_TLS_KEY=" + other.Key}, []string{"private key does not match"}},
		{"an expired certificate", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CERT=" + expired.Cert, "ETCD_TLS_KEY=" + expired.Key}, []string{`ETCD_TLS_CERT="` + expired.Cert + `"`, "the certificate expired on"}},
		{"verified and not", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS_CA=" + ca.CA, "ETCD_TLS_INSECURE=true"}, []string{"ETCD_TLS_CA=", "nothing is verified with ETCD_TLS_INSECURE=true"}},
		{"no TLS with a file for it", []string{"ETCD_ENDPOINTS=a", "ETCD_TLS=false", "ETCD_TLS_CA=" + ca.CA}, []string{`ETCD_ENDPOINTS="a": ETCD_TLS=false, but ETCD_TLS_CA is set`}},
		{"no TLS to a TLS address", []string{"ETCD_ENDPOINTS=https://a", "ETCD_TLS=false"}, []string{`ETCD_ENDPOINTS="https://a": https://, but ETCD_TLS=false`}},
		{"TLS to a plain address", []string{"ETCD_ENDPOINTS=http://a", "ETCD_TLS=true"}, []string{`http://, but ETCD_TLS=true`}},
		{"a file for TLS with a plain address", []string{"CONSUL_ENDPOINTS=http://a", "CONSUL_TLS_CA=" + ca.CA}, []string{`http://, but CONSUL_TLS_CA is set`}},
		{"a login for servers that the suite starts", []string{"ETCD_USER=me", "ETCD_PASSWORD=hunter2"}, []string{"ETCD_USER: it is for a cluster, and ETCD_ENDPOINTS names none", "ETCD_PASSWORD: it is"}},
		{"TLS for servers that the suite starts", []string{"ZOOKEEPER_TLS=true", "YUGABYTE_TLS_INSECURE=1", "CONSUL_TOKEN=hunter2", "SCYLLA_DATACENTER=x"},
			[]string{"ZOOKEEPER_TLS: it is", "YUGABYTE_TLS_INSECURE: it is", "CONSUL_TOKEN: it is", "SCYLLA_DATACENTER: it is"}},

		{"their authority", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_CACERT=/none"}, []string{`ETCD_TLS_CA="/none": no such file`, "(ETCD_TLS_CA from ETCDCTL_CACERT)"}},
		{"their relative file", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_CACERT=ca.pem"}, []string{`ETCD_TLS_CA="ca.pem": want an absolute path`, "(ETCD_TLS_CA from ETCDCTL_CACERT)"}},
		{"their user", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_USER=root"}, []string{`ETCD_USER="root": set ETCD_PASSWORD`, "(ETCD_USER from ETCDCTL_USER)"}},
		{"their endpoints", []string{"ETCDCTL_ENDPOINTS=a:x"}, []string{`the port "x"`, "(ETCD_ENDPOINTS from ETCDCTL_ENDPOINTS)"}},
		{"their endpoints together", []string{"ETCDCTL_ENDPOINTS=a,a:2379"}, []string{`"a:2379" is there twice`, "(ETCD_ENDPOINTS from ETCDCTL_ENDPOINTS)"}},
		{"their half a pair", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_CERT=" + pair.Cert}, []string{"set ETCD_TLS_KEY too", "(ETCD_TLS_CERT from ETCDCTL_CERT)"}},
		{"their word for a bool", []string{"ETCDCTL_ENDPOINTS=a", "ETCDCTL_INSECURE_TRANSPORT=maybe"}, []string{`ETCDCTL_INSECURE_TRANSPORT: "maybe": want true or false`}},
		{"their socket", []string{"CONSUL_HTTP_ADDR=unix:///run/consul.sock"}, []string{"CONSUL_HTTP_ADDR: a Unix socket is not supported"}},
		{"their path", []string{"CONSUL_HTTP_ADDR=https://a/consul"}, []string{`CONSUL_HTTP_ADDR: "https://a/consul" has a path`}},
		{"their password in an address", []string{"CONSUL_HTTP_ADDR=https://me:hunter2@a"}, []string{`CONSUL_HTTP_ADDR: there is an @ in it`}},
		{"their token's file", []string{"CONSUL_HTTP_ADDR=a:1", "CONSUL_HTTP_TOKEN_FILE=/none"}, []string{"/none", "(CONSUL_TOKEN_FILE from CONSUL_HTTP_TOKEN_FILE)"}},
		{"their port", []string{"CQLSH_HOST=a", "CQLSH_PORT=x"}, []string{`CQLSH_HOST: with CQLSH_PORT: "a:x" has the port "x"`}},
	} {
		s, err := Load(test.environ)
		if err == nil || s != nil {
			t.Errorf("%s: no error", test.why)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\n got %v\nwant %s in it", test.why, err, want)
			}
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: a secret is shown: %v", test.why, err)
		}
	}
}

// No way to print settings shows a secret, nor does an error about them.
func TestSecretsAreNotShown(t *testing.T) {
	var environ, wrong []string
	for _, system := range systems {
		environ = append(environ, Prefix(system)+"_ENDPOINTS=a", Prefix(system)+"_USER=me", Prefix(system)+"_PASSWORD=hunter2")
		wrong = append(wrong, Prefix(system)+"_PASSWORD=hunter2", Prefix(system)+"_PASSWORD_FILE=relative")
	}
	s := load(t, append(environ, "CONSUL_TOKEN=hunter2")...)
	_, err := Load(append(wrong, "CONSUL_TOKEN=hunter2", "CONSUL_TOKEN_FILE=relative", "BENCH_RATE=x"))
	if err == nil {
		t.Fatal("no error")
	}
	_, login, _ := s.Access("etcd")
	shown := []string{err.Error(), fmt.Sprint(s), fmt.Sprintf("%v %+v %#v", *s, s, *s), fmt.Sprintf("%+v %#v %s", s.System("etcd"), s.Consul, login), Markdown()}
	if i := slices.IndexFunc(shown, func(text string) bool { return strings.Contains(text, "hunter2") }); i >= 0 {
		t.Error(shown[i])
	}
	borrowed := load(t, "ETCDCTL_ENDPOINTS=a", "ETCDCTL_USER=me:hunter2", "CONSUL_HTTP_ADDR=a", "CONSUL_HTTP_TOKEN=hunter2").Borrowed
	want := []string{
		"ETCD_ENDPOINTS from ETCDCTL_ENDPOINTS", "ETCD_USER from ETCDCTL_USER", "ETCD_PASSWORD from ETCDCTL_USER",
		"CONSUL_ENDPOINTS from CONSUL_HTTP_ADDR", "CONSUL_TOKEN from CONSUL_HTTP_TOKEN",
	}
	if !slices.Equal(borrowed, want) {
		t.Errorf("borrowed %q, want %q", borrowed, want)
	}
}

// What adapters say of settings is explained as well, and stays the error it was.
func TestExplain(t *testing.T) {
	s := load(t, "ETCDCTL_ENDPOINTS=a", "ETCDCTL_USER=root:p")
	for _, test := range []struct{ why, text, want string }{
		{"a borrowed one", "denied: check ETCD_USER and ETCD_PASSWORD", "denied: check ETCD_USER and ETCD_PASSWORD (ETCD_USER from ETCDCTL_USER, ETCD_PASSWORD from ETCDCTL_USER)"},
		{"one that only begins like it", "check ETCD_USERS, ETCD_PASSWORD_FILE", "check ETCD_USERS, ETCD_PASSWORD_FILE"},
		{"another system's", "check CONSUL_USER", "check CONSUL_USER"},
	} {
		err := errors.New(test.text)
		if got := s.Explain(err); got.Error() != test.want || !errors.Is(got, err) {
			t.Errorf("%s: %v, want %s", test.why, got, test.want)
		}
	}
	if err := s.Explain(nil); err != nil {
		t.Error(err)
	}
}
