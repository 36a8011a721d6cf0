// Package access says how a client proves who it is, and how it makes sure who
// answers: TLS, a user with a password, and secrets that don't print themselves.
//
// Errors name the settings that they come from: with the prefix "ETCD" a file of
// certificates is ETCD_TLS_CA.
package access

// A Login is a user and a password. The zero value is nobody.
type Login struct {
	User     string
	Password Secret
}

// IsZero reports whether the login is nobody's.
func (l Login) IsZero() bool { return l == Login{} }
