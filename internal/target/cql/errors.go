package cql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"kvbench/internal/access"
	"kvbench/internal/target"

	"github.com/gocql/gocql"
)

// wrap wraps err, which may be nil, in the sentinel of its class.
func wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return target.Wrap(ctx, classOf(err), err)
}

// classOf returns the sentinel for an error of the driver, or nil.
func classOf(err error) error {
	var reply gocql.RequestError
	var netErr net.Error
	switch {
	case errors.Is(err, target.ErrDenied):
		return target.ErrDenied
	case errors.As(err, &reply):
		return classOfReply(reply)
	case errors.Is(err, gocql.ErrNotFound):
		return target.ErrNotFound
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, gocql.ErrTimeoutNoResponse),
		errors.Is(err, gocql.ErrTooManyTimeouts), errors.Is(err, os.ErrDeadlineExceeded):
		return target.ErrTimeout
	case errors.Is(err, gocql.ErrNoStreams):
		return target.ErrOverload
	case errors.Is(err, gocql.ErrTooManyStmts):
		return target.ErrTooLarge
	case errors.Is(err, context.Canceled), // while ctx isn't: the driver gave up the connection
		errors.Is(err, gocql.ErrNoConnections), errors.Is(err, gocql.ErrNoConnectionsStarted),
		errors.Is(err, gocql.ErrConnectionClosed), errors.Is(err, gocql.ErrSessionClosed),
		errors.Is(err, gocql.ErrUnavailable), errors.Is(err, gocql.ErrNoHosts),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.As(err, &netErr):
		return target.ErrUnavailable
	}
	return nil
}

// classOfReply returns the sentinel for an error that the server sent, or nil.
func classOfReply(reply gocql.RequestError) error {
	switch reply.Code() {
	case gocql.ErrCodeWriteTimeout, gocql.ErrCodeReadTimeout, gocql.ErrCodeCASWriteUnknown:
		return target.ErrTimeout
	case gocql.ErrCodeUnavailable, gocql.ErrCodeBootstrapping, gocql.ErrCodeTruncate,
		gocql.ErrCodeReadFailure, gocql.ErrCodeWriteFailure:
		return target.ErrUnavailable
	case gocql.ErrCodeCredentials, gocql.ErrCodeUnauthorized:
		return target.ErrDenied
	case gocql.ErrCodeOverloaded, gocql.ErrCodeCDCWriteFailure:
		return target.ErrOverload
	case gocql.ErrCodeInvalid, gocql.ErrCodeProtocol:
		if isTooLarge(reply.Message()) {
			return target.ErrTooLarge
		}
	}
	return nil
}

// isTooLarge recognizes a refusal for size, which has no error code of its own:
// that of a batch of several partitions over batch_size_fail_threshold ("Batch too
// large"), of one partition over max_mutation_size ("oversized mutation"), and of
// a message over the protocol's maximum.
func isTooLarge(message string) bool {
	message = strings.ToLower(message)
	for _, s := range []string{"batch too large", "oversized mutation", "too large for the maximum size", "request is too big"} {
		if strings.Contains(message, s) {
			return true
		}
	}
	return false
}

// alreadyExists reports whether err, which may be nil, says that what was to be
// created is there. YCQL has no code for it.
func alreadyExists(err error) bool {
	var reply gocql.RequestError
	return errors.As(err, &reply) && (reply.Code() == gocql.ErrCodeAlreadyExists ||
		reply.Code() == gocql.ErrCodeInvalid && strings.Contains(strings.ToLower(reply.Message()), "already exists"))
}

// explain adds to an error of credentials, permissions or TLS which setting, or
// grant, is missing. The driver hands on the text of an error of connecting only.
func (c Config) explain(err error) error {
	text := err.Error()
	denied := func(help string) error {
		if !errors.Is(err, target.ErrDenied) {
			err = fmt.Errorf("%w: %w", target.ErrDenied, err)
		}
		return fmt.Errorf("%w: %s", err, help)
	}
	switch {
	case access.Certain(err):
		return fmt.Errorf("%w: %w", target.ErrDenied, access.Explain(strings.ToUpper(c.Dialect.System), c.TLS, err))
	case strings.Contains(text, "password are incorrect"), strings.Contains(text, "Bad credentials"):
		return denied(fmt.Sprintf("check %s=%q and %s", c.variable("USER"), c.Login.User, c.variable("PASSWORD")))
	case strings.Contains(text, "authentication required"):
		return denied(fmt.Sprintf("set %s and %s", c.variable("USER"), c.variable("PASSWORD")))
	case strings.Contains(text, "unsupported protocol version"), strings.Contains(text, "unexpected protocol version"):
		return fmt.Errorf("%w: the suite speaks version %d of CQL's protocol", err, protocol)
	case errors.Is(err, target.ErrDenied):
		return c.grant(err)
	}
	return access.Explain(strings.ToUpper(c.Dialect.System), c.TLS, err)
}

// grant adds to an error of permissions who needs them.
func (c Config) grant(err error) error {
	if !errors.Is(err, target.ErrDenied) {
		return err
	}
	help := fmt.Sprintf("grant it to %s=%q", c.variable("USER"), c.Login.User)
	if strings.Contains(err.Error(), "CREATE permission") {
		help += ", or have it made"
	}
	return fmt.Errorf("%w: %s", err, help)
}
