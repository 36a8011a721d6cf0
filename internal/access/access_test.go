package access_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kvbench/internal/access"
	"kvbench/internal/access/accesstest"
)

func TestSecretIsNeverShown(t *testing.T) {
	s := access.NewSecret("hunter2")
	login := access.Login{User: "me", Password: s}
	within := struct{ login access.Login }{login} // where fmt calls no methods
	encoded, err := json.Marshal(login)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{
		fmt.Sprint(s), fmt.Sprintf("%s %v %+v %#v %q %x %d", s, s, s, s, s, s, s),
		fmt.Sprintf("%v %+v %#v %v", login, login, login, &login), fmt.Sprintf("%v %+v %#v %s %x %v", within, within, within, within, within, &within), string(encoded), fmt.Errorf("no: %v", s).Error(),
	} {
		if strings.Contains(shown, "hunter2") || strings.Contains(shown, "68756e74657232") {
			t.Errorf("shown: %s", shown)
		}
	}
	if s.Reveal() != "hunter2" {
		t.Error("Reveal does not reveal")
	}
}

func TestReadSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("pass word\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := access.ReadSecret("ETCD_PASSWORD_FILE", file)
	if err != nil || s.Reveal() != "pass word" {
		t.Errorf("got %q, %v", s.Reveal(), err)
	}
	if err := os.WriteFile(file, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{file, file + ".none"} {
		if _, err := access.ReadSecret("ETCD_PASSWORD_FILE", file); err == nil || !strings.Contains(err.Error(), "ETCD_PASSWORD_FILE=\""+file+"\"") {
			t.Errorf("%s: got %v, want an error that names setting and file", file, err)
		}
	}
}

// Each pair of a server and a client that don't go together fails, and the hint
// names the setting to change.
func TestHints(t *testing.T) {
	ca, other := accesstest.NewAuthority(t), accesstest.NewAuthority(t)
	good, client := ca.Server(t, "127.0.0.1"), ca.Client(t, "bench")
	stranger := other.Client(t, "stranger")
	for _, c := range []struct {
		name    string
		server  accesstest.Pair
		mutual  bool
		options access.Options
		want    string // in the hint; "" if it works
	}{
		{"all is well", good, false, access.Options{CA: ca.CA}, ""},
		{"mutual", good, true, access.Options{CA: ca.CA, Cert: client.Cert, Key: client.Key}, ""},
		{"not verified", good, false, access.Options{Insecure: true}, ""},
		{"another authority", good, false, access.Options{CA: other.CA}, "X_TLS_CA"},
		{"no authority", good, false, access.Options{}, "X_TLS_CA"},
		{"for another host", ca.Server(t, "db.example"), false, access.Options{CA: ca.CA}, "X_TLS_SERVER_NAME"},
		{"for the host that was named", ca.Server(t, "db.example"), false, access.Options{CA: ca.CA, ServerName: "db.example"}, ""},
		{"expired", ca.Expired(t, "127.0.0.1"), false, access.Options{CA: ca.CA}, "renew"},
		{"no client certificate", good, true, access.Options{CA: ca.CA}, "X_TLS_CERT"},
		{"a stranger's certificate", good, true, access.Options{CA: ca.CA, Cert: stranger.Cert, Key: stranger.Key}, "X_TLS_CERT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Prefix = "X"
			client, err := access.New(c.options)
			if err != nil {
				t.Fatal(err)
			}
			endpoint := serve(t, c.server, ca.CA, c.mutual)
			err = talk(endpoint, client.Config(endpoint))
			hint := access.Hint("X", client, err)
			if (err == nil) != (c.want == "") || !strings.Contains(hint, c.want) {
				t.Errorf("got %v, hint %q; want %q in it", err, hint, c.want)
			}
		})
	}
}

func TestPlainServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "+PLAIN TEXT\r\n") // the client's error is looked at
			c.Close()
		}
	}()
	client, err := access.New(access.Options{Prefix: "X", Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	err = talk(l.Addr().String(), client.Config(l.Addr().String()))
	if hint := access.Hint("X", client, err); !strings.Contains(hint, "doesn't speak TLS: set X_TLS") {
		t.Errorf("%v: hint %q", err, hint)
	}
}

func TestFilesThatAreWrong(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair, expired, other := ca.Client(t, "a"), ca.Expired(t, "b"), ca.Client(t, "c")
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		options access.Options
		want    string
	}{
		{"no such authority", access.Options{CA: "/none"}, `X_TLS_CA="/none": no such file`},
		{"no certificate in it", access.Options{CA: empty}, `X_TLS_CA="` + empty + `": no certificate`},
		{"a certificate alone", access.Options{Cert: pair.Cert}, "set X_TLS_KEY too"},
		{"a key alone", access.Options{Key: pair.Key}, "set X_TLS_CERT too"},
		{"not a pair", access.Options{Cert: pair.Cert, Key: other.Key}, "private key does not match"},
		{"expired", access.Options{Cert: expired.Cert, Key: expired.Key}, "the certificate expired on"},
	} {
		c.options.Prefix = "X"
		if _, err := access.New(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(ca.CA), "java"), 0o700); err != nil { // as /etc/ssl/certs may have
		t.Fatal(err)
	}
	if _, err := access.New(access.Options{CA: filepath.Dir(ca.CA)}); err != nil {
		t.Errorf("a directory of authorities: %v", err)
	}
}

func TestNameOfAnEndpoint(t *testing.T) {
	tlsOf := func(o access.Options) *access.TLS {
		c, err := access.New(o)
		if err != nil {
			t.Fatal(err)
		}
		c.Named("10.0.0.1:2379", "etcd.example")
		return c
	}
	for _, c := range []struct {
		options  access.Options
		endpoint string
		want     string
	}{
		{access.Options{}, "10.0.0.1:2379", "etcd.example"},
		{access.Options{}, "10.0.0.2:2379", "10.0.0.2"},
		{access.Options{}, "[::1]:2379", "::1"},
		{access.Options{ServerName: "x.example"}, "10.0.0.1:2379", "x.example"},
	} {
		if got := tlsOf(c.options).Config(c.endpoint).ServerName; got != c.want {
			t.Errorf("%+v %s: got %q, want %q", c.options, c.endpoint, got, c.want)
		}
	}
	if none := (*access.TLS)(nil); none.Config("a:1") != nil || none.String() != "off" {
		t.Error("no TLS must be none, and off")
	}
}

// serve runs a server that answers with what it is sent, and returns its address.
func serve(t *testing.T, pair accesstest.Pair, ca string, mutual bool) string {
	t.Helper()
	trust, err := access.New(access.Options{CA: ca, Cert: pair.Cert, Key: pair.Key})
	if err != nil && !strings.Contains(err.Error(), "expired") {
		t.Fatal(err)
	}
	cert, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	if mutual {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, trust.Config("a:1").RootCAs
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c) // ends with the client
			}()
		}
	}()
	return l.Addr().String()
}

// talk sends a byte and wants it back.
func talk(endpoint string, config *tls.Config) error {
	c, err := tls.Dial("tcp", endpoint, config)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte{42}); err != nil {
		return err
	}
	var b [1]byte
	if _, err := io.ReadFull(c, b[:]); err != nil {
		return err
	}
	if b[0] != 42 {
		return errors.New("another byte came back")
	}
	return nil
}
