package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// wrap wraps err, which may be nil, in the sentinel of its class. An error of
// access says which settings are to be checked.
func (c *Config) wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	class := classOf(err)
	if class == target.ErrDenied {
		err = fmt.Errorf("%w: %s", err, c.advice(err))
	}
	return target.Wrap(ctx, class, err)
}

// classOf returns the sentinel for an error of the library, or nil.
func classOf(err error) error {
	for _, known := range []struct{ err, class error }{
		{zk.ErrNoNode, target.ErrNotFound},
		{zk.ErrNodeExists, target.ErrConflict},
		{zk.ErrBadVersion, target.ErrConflict},
		{zk.ErrNoAuth, target.ErrDenied},
		{zk.ErrAuthFailed, target.ErrDenied},
		{zk.ErrConnectionClosed, target.ErrUnavailable},
		{zk.ErrNoServer, target.ErrUnavailable},
		{zk.ErrClosing, target.ErrUnavailable},
		{zk.ErrSessionExpired, target.ErrUnavailable},
		{zk.ErrSessionMoved, target.ErrUnavailable},
		{zk.ErrShortBuffer, target.ErrTooLarge},
	} {
		if errors.Is(err, known.err) {
			return known.class
		}
	}
	if wantsLogin(err) {
		return target.ErrDenied
	}
	return nil
}

// wantsLogin reports whether servers have ended a session because it has not
// logged in by one of the schemes that they enforce (enforce.auth.schemes, or
// sessionRequireClientSASLAuth). The library has no name for this code.
func wantsLogin(err error) bool { return strings.HasSuffix(err.Error(), "unknown error: -124") }

// advice returns what to do about an error of access.
func (c *Config) advice(err error) string {
	someone := !c.Login.IsZero()
	switch {
	case errors.Is(err, zk.ErrAuthFailed):
		return "the servers take no users of the digest scheme: unset ZOOKEEPER_USER and ZOOKEEPER_PASSWORD"
	case wantsLogin(err) && someone:
		return "the servers enforce another scheme than digest (enforce.auth.schemes), and SASL is not supported: have them take digest too"
	case wantsLogin(err):
		return "the servers take no session without a login (enforce.auth.schemes): if it may be of the digest scheme, set ZOOKEEPER_USER and ZOOKEEPER_PASSWORD; SASL is not supported"
	case someone:
		return fmt.Sprintf("check ZOOKEEPER_USER and ZOOKEEPER_PASSWORD, and what user %q is allowed", c.Login.User)
	}
	return "set ZOOKEEPER_USER and ZOOKEEPER_PASSWORD, or have everybody allowed"
}

// Permissions of znodes, by zkCli's letters.
const (
	mayCreate = "c (create)"
	mayDelete = "d (delete)"
	mayRead   = "r (read)"
	mayWrite  = "w (write)"
)

// lacking says which permission on which znode is missed if that is what err is:
// the servers don't.
func lacking(err error, permission, path string) error {
	if errors.Is(err, zk.ErrNoAuth) {
		return fmt.Errorf("permission %s is missing on znode %q: %w", permission, path, err)
	}
	return err
}

// parent returns the path of the znode above one, which isn't the root.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 1)] }
