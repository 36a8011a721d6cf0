package access

import (
	"fmt"
	"strings"
)

// Hint returns what to change if err, of connecting to a system's server, comes
// from TLS on one side and not on the other, or from certificates; else "". It
// looks at the text, since drivers hand on little else.
//
// prefix is that of the system's settings, and t what the client tried.
func Hint(prefix string, t *TLS, err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	for _, c := range causes {
		if c.tls == (t != nil) && strings.Contains(text, c.sign) {
			return strings.ReplaceAll(c.help, "*", prefix)
		}
	}
	return ""
}

// Explain returns err with its hint behind it, if there is one.
func Explain(prefix string, t *TLS, err error) error {
	if hint := Hint(prefix, t, err); hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

// A cause is recognized by a part of an error's text. The first that fits counts.
type cause struct {
	tls  bool   // the client spoke TLS
	sign string // part of the text
	help string // with * for the prefix of settings
}

var causes = []cause{
	{true, "certificate has expired or is not yet valid", "the server's certificate is not valid today: renew it"},
	{true, "certificate signed by unknown authority", "set *_TLS_CA to the authority that signed the server's certificate"},
	{true, "certificate is not trusted", "set *_TLS_CA to the authority that signed the server's certificate"},
	{true, "certificate is valid for", "set *_TLS_SERVER_NAME to a name that the server's certificate has"},
	{true, "doesn't contain any IP SANs", "set *_TLS_SERVER_NAME to a name that the server's certificate has"},
	{true, "certificate is not valid for any names", "set *_TLS_SERVER_NAME to a name that the server's certificate has"},
	{true, "first record does not look like a TLS handshake", "the server doesn't speak TLS: set *_TLS to false and unset *_TLS_…"},
	{true, "HTTP response to HTTPS client", "the server doesn't speak TLS: set *_TLS to false and unset *_TLS_…"},
	{true, "certificate required", "the server wants a certificate: set *_TLS_CERT and *_TLS_KEY"},
	{true, "bad certificate", "the server doesn't accept the client's certificate: check *_TLS_CERT and *_TLS_KEY"},
	{true, "unknown certificate authority", "the server doesn't trust who signed *_TLS_CERT"},
	{true, "unknown certificate", "the server doesn't accept the certificate in *_TLS_CERT"},
	{true, "expired certificate", "the server says that the certificate in *_TLS_CERT has expired"},
	{true, "handshake failure", "client and server don't agree on how to speak TLS: does the server want *_TLS_CERT and *_TLS_KEY?"},
	{true, "remote error: tls: ", "the server refuses the client: check *_TLS_CERT and *_TLS_KEY"},
	{true, "EOF", "the server ended the connection: does it speak TLS (*_TLS), or want *_TLS_CERT and *_TLS_KEY?"},
	{true, "connection reset by peer", "the server ended the connection: does it speak TLS (*_TLS), or want *_TLS_CERT and *_TLS_KEY?"},
	{false, "error reading server preface", "does the server want TLS? Set *_TLS to true"},
	{false, "malformed HTTP response", "does the server want TLS? Set *_TLS to true"},
	{false, "HTTP request to an HTTPS server", "the server wants TLS: set *_TLS to true"},
	{false, "EOF", "the server ended the connection: does it want TLS? Set *_TLS to true"},
	{false, "connection reset by peer", "the server ended the connection: does it want TLS? Set *_TLS to true"},
}

// Certain reports whether err can only come from TLS on one side and not on the
// other, or from certificates: trying again would not help.
func Certain(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	for _, sign := range []string{"x509: ", "tls: ", "HTTPS server", "HTTPS client", "malformed HTTP response"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
