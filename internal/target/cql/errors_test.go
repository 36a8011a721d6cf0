package cql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/record"
	"kvbench/internal/target"

	"github.com/gocql/gocql"
)

// A reply is an error that a server sent.
type reply struct {
	code    int
	message string
}

func (r reply) Code() int       { return r.code }
func (r reply) Message() string { return r.message }
func (r reply) Error() string   { return r.message }

func TestErrorsHaveClasses(t *testing.T) {
	broken := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	silent := &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	for _, test := range []struct {
		err  error
		want record.Class
	}{
		{gocql.ErrNotFound, record.NotFound},
		{context.DeadlineExceeded, record.Timeout},
		{context.Canceled, record.Unavailable},
		{gocql.ErrTimeoutNoResponse, record.Timeout},
		{silent, record.Timeout},
		{reply{gocql.ErrCodeWriteTimeout, "Operation timed out"}, record.Timeout},
		{reply{gocql.ErrCodeReadTimeout, "Operation timed out"}, record.Timeout},
		{reply{gocql.ErrCodeCASWriteUnknown, "CAS operation result is unknown"}, record.Timeout},
		{gocql.ErrNoConnections, record.Unavailable},
		{gocql.ErrConnectionClosed, record.Unavailable},
		{gocql.ErrSessionClosed, record.Unavailable},
		{io.EOF, record.Unavailable},
		{broken, record.Unavailable},
		{reply{gocql.ErrCodeUnavailable, "Cannot achieve consistency level QUORUM"}, record.Unavailable},
		{reply{gocql.ErrCodeBootstrapping, "Cannot read from a bootstrapping node"}, record.Unavailable},
		{reply{gocql.ErrCodeTruncate, "Truncate timed out"}, record.Unavailable},
		{reply{gocql.ErrCodeReadFailure, "Operation failed"}, record.Unavailable},
		{reply{gocql.ErrCodeWriteFailure, "Operation failed"}, record.Unavailable},
		{reply{gocql.ErrCodeOverloaded, "Request breached global limit"}, record.Overload},
		{gocql.ErrNoStreams, record.Overload},
		{reply{gocql.ErrCodeInvalid, "Undefined column name w"}, record.Other},
		{reply{gocql.ErrCodeServer, "java.lang.AssertionError"}, record.Other},
		{errors.New("something else"), record.Other},
	} {
		for _, err := range []error{wrap(t.Context(), test.err), wrap(t.Context(), fmt.Errorf("wrapped: %w", test.err))} {
			if got := target.ClassOf(err); got != test.want {
				t.Errorf("class of %q is %v, want %v", err, got, test.want)
			}
			if !errors.Is(err, test.err) {
				t.Errorf("%q lost its cause", err)
			}
		}
	}
	if err := wrap(t.Context(), nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

// TestWhyAContextEnded decides, whatever the driver says.
func TestWhyAContextEnded(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{context.Canceled, gocql.ErrConnectionClosed} {
		if got := target.ClassOf(wrap(late, err)); got != record.Timeout {
			t.Errorf("%q after the deadline is %v, want a timeout", err, got)
		}
		if got := target.ClassOf(wrap(cancelled, err)); got != record.Other {
			t.Errorf("%q in a run that is given up is %v: want no failure of the servers", err, got)
		}
	}
}

func TestRefusalsForSizeAreRecognized(t *testing.T) {
	for _, err := range []error{
		gocql.ErrTooManyStmts,
		reply{gocql.ErrCodeInvalid, "Batch too large"},
		reply{gocql.ErrCodeInvalid, "Encountered an oversized mutation (20000000/16777216) for keyspace: kvbench"},
		reply{gocql.ErrCodeProtocol, "Request is too big: length 300000000 exceeds maximum allowed length 268435456."},
	} {
		if !errors.Is(wrap(t.Context(), err), target.ErrTooLarge) {
			t.Errorf("%q isn't ErrTooLarge", err)
		}
	}
}

func TestWhatExistsIsRecognized(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{reply{gocql.ErrCodeAlreadyExists, "Cannot add existing keyspace \"ks\""}, true},
		{reply{gocql.ErrCodeInvalid, "Keyspace Already Exists. Keyspace 'ks' already exists"}, true}, // YCQL
		{reply{gocql.ErrCodeInvalid, "Unable to use given strategy class"}, false},
		{reply{gocql.ErrCodeServer, "already exists"}, false},
		{nil, false},
	} {
		if got := alreadyExists(test.err); got != test.want {
			t.Errorf("%v says that it exists: %v, want %v", test.err, got, test.want)
		}
	}
}
