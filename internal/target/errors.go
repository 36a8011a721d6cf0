package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"kvbench/internal/record"
)

// Errors that an adapter wraps around the driver's own, so that the suite can
// count errors by class without knowing any driver.
var (
	ErrTimeout     = errors.New("timeout")              // no reply within the deadline; the operation may have been applied
	ErrUnavailable = errors.New("unavailable")          // no server, no quorum, connection lost; the operation may have been applied
	ErrConflict    = errors.New("conflict")             // a condition did not hold
	ErrNotFound    = errors.New("not found")            // the row is not there
	ErrOverload    = errors.New("overload")             // the server or the driver refused for lack of resources
	ErrTooLarge    = errors.New("too large")            // a request exceeds a limit of the server; it has no effect
	ErrCorrupt     = errors.New("not what was written") // a reply is not the value, or not the number of rows, that was written
)

// Wrap returns err, the driver's, wrapped in class, one of the errors above or
// nil for none. If ctx is done, that is the reason whatever the driver says:
// drivers derive contexts of their own and then report a missed deadline as a
// cancellation or a lost connection.
func Wrap(ctx context.Context, class, err error) error {
	switch ended := ctx.Err(); {
	case errors.Is(ended, context.DeadlineExceeded):
		class = ErrTimeout
	case ended != nil:
		class = ended
	}
	if class == nil || errors.Is(err, class) {
		return err
	}
	return fmt.Errorf("%w: %w", class, err)
}

// ClassOf returns the class of a non-nil error of a [Client].
func ClassOf(err error) record.Class {
	var netErr net.Error
	switch {
	case errors.Is(err, ErrCorrupt):
		return record.Corrupt
	case errors.Is(err, ErrNotFound):
		return record.NotFound
	case errors.Is(err, ErrConflict):
		return record.Conflict
	case errors.Is(err, ErrTooLarge):
		return record.TooLarge
	case errors.Is(err, ErrOverload):
		return record.Overload
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return record.Timeout
	case errors.Is(err, ErrUnavailable):
		return record.Unavailable
	case errors.As(err, &netErr):
		if netErr.Timeout() {
			return record.Timeout
		}
		return record.Unavailable
	}
	return record.Other
}
