package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"kvbench/internal/record"
)

func TestWrap(t *testing.T) {
	live := context.Background()
	late, cancel := context.WithDeadline(live, time.Now().Add(-time.Second))
	defer cancel()
	cancelled, cancel := context.WithCancel(live)
	cancel()
	for _, test := range []struct {
		name  string
		ctx   context.Context
		class error
		want  error
	}{
		{"the class is added", live, ErrOverload, ErrOverload},
		{"a missed deadline is a timeout, whatever the driver says", late, ErrUnavailable, ErrTimeout},
		{"a missed deadline gives an unknown error a class", late, nil, ErrTimeout},
		{"a cancelled run is not a failure of the servers", cancelled, ErrUnavailable, context.Canceled},
		{"an unknown error has no class", live, nil, io.EOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Wrap(test.ctx, test.class, io.EOF)
			if !errors.Is(got, test.want) || !errors.Is(got, io.EOF) {
				t.Errorf("got %v, want %v around %v", got, test.want, io.EOF)
			}
			if test.class == ErrUnavailable && errors.Is(got, ErrUnavailable) {
				t.Errorf("%v is still %v", got, ErrUnavailable)
			}
		})
	}
}

func TestClassOf(t *testing.T) {
	for _, test := range []struct {
		err  error
		want record.Class
	}{
		{fmt.Errorf("put: %w", ErrTimeout), record.Timeout},
		{context.DeadlineExceeded, record.Timeout},
		{os.ErrDeadlineExceeded, record.Timeout},
		{ErrUnavailable, record.Unavailable},
		{&net.OpError{Op: "dial", Err: io.EOF}, record.Unavailable},
		{ErrOverload, record.Overload},
		{fmt.Errorf("put: %w", ErrTooLarge), record.TooLarge},
		{ErrConflict, record.Conflict},
		{ErrNotFound, record.NotFound},
		{ErrCorrupt, record.Corrupt},
		{fmt.Errorf("%w: %w", ErrCorrupt, ErrTimeout), record.Corrupt},
		{io.EOF, record.Other},
	} {
		if got := ClassOf(test.err); got != test.want {
			t.Errorf("class of %q: %v, want %v", test.err, got, test.want)
		}
	}
}
