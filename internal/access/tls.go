package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Options say how to speak TLS with a system's servers. The zero value trusts
// what the machine trusts, shows no certificate, and takes the name that a server
// must prove to have from its endpoint.
type Options struct {
	Prefix     string // of the settings that errors name, such as "ETCD"
	CA         string // PEM file, or directory of such, of the authorities to trust instead
	Cert, Key  string // PEM files of the client's certificate and private key; both or none
	ServerName string // that servers must prove to have, instead of the endpoint's
	Insecure   bool   // servers needn't prove anything
}

// A TLS is a way to speak TLS, with its files read. Nil is no TLS.
type TLS struct {
	options Options
	config  *tls.Config
	names   map[string]string // host names of endpoints that are given as addresses
}

// New reads the files of o. Its error names the setting and quotes the file.
func New(o Options) (*TLS, error) {
	t := &TLS{options: o, names: map[string]string{}, config: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         o.ServerName,
		InsecureSkipVerify: o.Insecure,
	}}
	if o.CA != "" {
		pool, err := readAuthorities(o.CA)
		if err != nil {
			return nil, fmt.Errorf("%s_TLS_CA=%q: %w", o.Prefix, o.CA, err)
		}
		t.config.RootCAs = pool
	}
	switch {
	case o.Cert == "" && o.Key == "":
	case o.Cert == "":
		return nil, fmt.Errorf("%s_TLS_KEY=%q: set %[1]s_TLS_CERT too", o.Prefix, o.Key)
	case o.Key == "":
		return nil, fmt.Errorf("%s_TLS_CERT=%q: set %[1]s_TLS_KEY too", o.Prefix, o.Cert)
	default:
		cert, err := readPair(o)
		if err != nil {
			return nil, err
		}
		t.config.Certificates = []tls.Certificate{cert}
	}
	return t, nil
}

// Named says that the endpoint, given as an address, was found under a host name,
// which its certificate has to have.
func (t *TLS) Named(endpoint, host string) { t.names[endpoint] = host }

// Config returns the configuration for connections to endpoint, a host:port. It
// is the caller's own. For a nil TLS it is nil.
func (t *TLS) Config(endpoint string) *tls.Config {
	if t == nil {
		return nil
	}
	c := t.config.Clone()
	if c.ServerName == "" {
		c.ServerName = t.names[endpoint]
	}
	if c.ServerName == "" {
		if host, _, err := net.SplitHostPort(endpoint); err == nil {
			c.ServerName = host
		}
	}
	return c
}

// Mutual reports whether the client shows a certificate.
func (t *TLS) Mutual() bool { return t != nil && len(t.config.Certificates) > 0 }

// String is the value of a configuration line: TLS costs time, so results say
// whether there was any.
func (t *TLS) String() string {
	switch {
	case t == nil:
		return "off"
	case t.options.Insecure:
		return "not verified"
	case t.Mutual():
		return "mutual"
	}
	return "verified"
}

// readAuthorities returns the certificates in a PEM file, or in all files of a
// directory.
func readAuthorities(path string) (*x509.CertPool, error) {
	files := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*")); err != nil {
			return nil, err
		}
	}
	pool, found := x509.NewCertPool(), false
	for _, file := range files {
		text, err := os.ReadFile(file)
		switch {
		case file == path && err != nil:
			return nil, plain(err)
		case errors.Is(err, syscall.EISDIR):
			continue // beside the files
		case err != nil:
			return nil, err
		}
		found = pool.AppendCertsFromPEM(text) || found
	}
	if !found {
		return nil, errors.New("no certificate in PEM form is in it")
	}
	return pool, nil
}

// readPair returns the client's certificate, which must be valid today: servers
// answer one that isn't with little more than an alert.
func readPair(o Options) (tls.Certificate, error) {
	name := fmt.Sprintf("%s_TLS_CERT=%q, %[1]s_TLS_KEY=%[3]q", o.Prefix, o.Cert, o.Key)
	cert, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return cert, fmt.Errorf("%s: %w", name, err)
	}
	switch leaf, now := cert.Leaf, time.Now(); {
	case now.After(leaf.NotAfter):
		return cert, fmt.Errorf("%s: the certificate expired on %s", name, leaf.NotAfter.Format(time.DateTime))
	case now.Before(leaf.NotBefore):
		return cert, fmt.Errorf("%s: the certificate is not valid before %s", name, leaf.NotBefore.Format(time.DateTime))
	}
	return cert, nil
}

// plain is err without the file's name, which the caller says.
func plain(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
