package suite

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the cause of a cancelled run.
var errInterrupted = errors.New("interrupted")

// untilInterrupted returns a context that the first interrupt ends, with the
// cause errInterrupted, or cancel. testing ends without any clean-up on an
// interrupt. A second one still does; servers are stopped all the same.
func untilInterrupted() (ctx context.Context, cancel func()) {
	ctx, end := context.WithCancelCause(context.Background())
	interrupts := make(chan os.Signal, 1)
	if heeded := heeded(); len(heeded) > 0 { // Notify of no signals means all
		signal.Notify(interrupts, heeded...)
	}
	go func() {
		defer signal.Stop(interrupts)
		select {
		case <-interrupts:
			end(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}

// heeded returns the signals that interrupt: not those that the process was
// started to ignore, by nohup or in the background of a script.
func heeded() []os.Signal {
	var heeded []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			heeded = append(heeded, s)
		}
	}
	return heeded
}

// interrupted reports whether the user has ended the run.
func (s *Suite) interrupted() bool { return context.Cause(s.ctx) == errInterrupted }
