//go:build unix

package report

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal opens the process's controlling terminal and returns a function
// that returns its width, or nil if there is no terminal that can move its cursor.
func openTerminal() (io.WriteCloser, func() int) {
	if term := os.Getenv("TERM"); term == "" || term == "dumb" {
		return nil, nil
	}
	file, err := os.OpenFile("/dev/tty", os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil
	}
	tty := terminal{file}
	return tty, tty.width
}

// A terminal drops what it can't show at once: somebody who stops their terminal
// to read (Ctrl-S) must not stop the run.
type terminal struct{ *os.File }

const patience = 100 * time.Millisecond

// Write waits no longer than patience, where the platform can do that.
func (t terminal) Write(b []byte) (int, error) {
	t.SetWriteDeadline(time.Now().Add(patience))
	return t.File.Write(b)
}

// width returns the terminal's width in columns, 80 if it doesn't know.
func (t terminal) width() int {
	width := 80
	raw, err := t.SyscallConn() // not Fd, which makes writing wait for ever
	if err != nil {
		return width
	}
	raw.Control(func(fd uintptr) {
		if size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
			width = int(size.Col)
		}
	})
	return width
}
