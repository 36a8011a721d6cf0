// Package accesstest makes certificates for tests: good, expired, and for
// somebody else.
package accesstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"testing"
	"time"
)

// An Authority signs certificates. Its files last as long as the test.
type Authority struct {
	CA string // PEM file of the authority's own certificate

	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// A Pair is a certificate and its private key.
type Pair struct {
	Cert, Key string // PEM files; the key in PKCS #8
	Both      string // PEM file of the key, the certificate and the authority's, as Java's servers want them
}

// NewAuthority returns an authority that nobody trusts yet.
func NewAuthority(tb testing.TB) *Authority {
	tb.Helper()
	// Not tb.TempDir: its path says the test's name, with characters that
	// configuration files don't take.
	dir, err := os.MkdirTemp("", "kvbench-authority-")
	must(tb, err)
	tb.Cleanup(func() { must(tb, os.RemoveAll(dir)) })
	a := &Authority{dir: dir, key: newKey(tb)}
	a.cert = template("kvbench test authority", 24*time.Hour)
	a.cert.IsCA, a.cert.KeyUsage, a.cert.ExtKeyUsage = true, x509.KeyUsageCertSign, nil
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, a.key.Public(), a.key)
	must(tb, err)
	a.CA = a.write(tb, "ca.pem", block("CERTIFICATE", der))
	return a
}

// Server returns a certificate for servers with the given names and addresses.
func (a *Authority) Server(tb testing.TB, hosts ...string) Pair {
	tb.Helper()
	return a.sign(tb, "server", template("server", 24*time.Hour), hosts)
}

// Expired returns a certificate that was for servers with the given names until
// an hour ago.
func (a *Authority) Expired(tb testing.TB, hosts ...string) Pair {
	tb.Helper()
	return a.sign(tb, "expired", template("server", -time.Hour), hosts)
}

// Client returns a certificate for the client called name.
func (a *Authority) Client(tb testing.TB, name string) Pair {
	tb.Helper()
	return a.sign(tb, "client-"+name, template(name, 24*time.Hour), nil)
}

// template is a certificate that is valid since yesterday until validity from now.
func template(name string, validity time.Duration) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-24 * time.Hour),
		NotAfter:              time.Now().Add(validity),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// sign signs cert for hosts and writes its files, whose names begin with base.
func (a *Authority) sign(tb testing.TB, base string, cert *x509.Certificate, hosts []string) Pair {
	tb.Helper()
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
		} else {
			cert.DNSNames = append(cert.DNSNames, h)
		}
	}
	key := newKey(tb)
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	must(tb, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	must(tb, err)
	certPEM, keyPEM := block("CERTIFICATE", der), block("PRIVATE KEY", pkcs8)
	ca, err := os.ReadFile(a.CA)
	must(tb, err)
	return Pair{
		Cert: a.write(tb, base+".pem", certPEM),
		Key:  a.write(tb, base+"-key.pem", keyPEM),
		Both: a.write(tb, base+"-both.pem", keyPEM, certPEM, ca),
	}
}

// write writes a file of the authority and returns its path.
func (a *Authority) write(tb testing.TB, name string, blocks ...[]byte) string {
	tb.Helper()
	f, err := os.CreateTemp(a.dir, "*-"+name)
	must(tb, err)
	for _, b := range blocks {
		_, err := f.Write(b)
		must(tb, err)
	}
	must(tb, f.Close())
	return f.Name()
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(tb, err)
	return key
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
