package cql

import (
	"errors"

	"github.com/gocql/gocql"

	"kvbench/internal/access"
)

// A password proves who the client is. The driver's own does it only to servers
// whose authenticator is in a list of class names, which keeps out those that ask
// a directory, and protects from nobody: a server may say any name.
type password struct {
	login access.Login
	sent  bool
}

// Challenge implements [gocql.Authenticator]: SASL's PLAIN, in one message.
func (p password) Challenge([]byte) ([]byte, gocql.Authenticator, error) {
	if p.sent {
		return nil, nil, errors.New("the server wants more than a user and a password")
	}
	message := "\x00" + p.login.User + "\x00" + p.login.Password.Reveal()
	return []byte(message), password{sent: true}, nil
}

// Success implements [gocql.Authenticator].
func (p password) Success([]byte) error { return nil }
