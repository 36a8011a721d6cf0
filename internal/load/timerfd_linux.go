package load

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// precisePacing waits by a timer file descriptor for each client. The runtime's
// own timers end with its poll of the network, whose grain is a millisecond; a
// timerfd makes that poll return: 20 to 50 µs late instead of 500 to 1,100.
func precisePacing() (Waiter, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("load: timerfd: %w (one open file per client is needed; see ulimit -n)", err)
	}
	return &timerfd{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}, nil
}

type timerfd struct {
	fd      int
	file    *os.File
	ctx     context.Context
	unhook  func() bool
	expired [8]byte
}

func (t *timerfd) Until(ctx context.Context, at time.Time) {
	d := time.Until(at)
	if d <= 0 {
		return
	}
	t.watch(ctx)
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	if unix.TimerfdSettime(t.fd, 0, &spec, nil) != nil {
		sleep(ctx, d)
		return
	}
	t.file.Read(t.expired[:]) // fails only when watch has interrupted it
}

// watch makes the end of ctx interrupt a Read. A run has one ctx, so this
// happens once.
func (t *timerfd) watch(ctx context.Context) {
	if t.ctx == ctx {
		return
	}
	if t.unhook != nil {
		t.unhook()
	}
	t.ctx = ctx
	t.unhook = context.AfterFunc(ctx, func() { t.file.SetReadDeadline(time.Unix(1, 0)) })
}

func (t *timerfd) Close() error {
	if t.unhook != nil {
		t.unhook()
	}
	return t.file.Close()
}
