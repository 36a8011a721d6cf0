package report

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// pseudoTerminal returns both ends of a new terminal of so many columns.
func pseudoTerminal(t *testing.T, columns uint16) (screen *os.File, tty terminal) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs pseudo terminals: ", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: columns}); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return screen, terminal{file}
}

func TestTerminalWidth(t *testing.T) {
	if _, tty := pseudoTerminal(t, 132); tty.width() != 132 {
		t.Errorf("width %d, want 132", tty.width())
	}
	if _, tty := pseudoTerminal(t, 0); tty.width() != 80 {
		t.Errorf("a terminal that doesn't know its width: got %d, want 80", tty.width())
	}
}

func TestProgressOnATerminal(t *testing.T) {
	screen, tty := pseudoTerminal(t, 12)
	p := &Progress{tty: tty, width: tty.width}
	p.Announce("building everything")
	buf := make([]byte, 1000)
	n, err := screen.Read(buf)
	if want := "building e…"; err != nil || !strings.Contains(string(buf[:n]), want+goBack) {
		t.Errorf("the terminal shows %q (%v), want %q", buf[:n], err, want)
	}
}

func TestStoppedTerminalStopsNobody(t *testing.T) {
	_, tty := pseudoTerminal(t, 80) // nobody reads from its other end
	for range 10_000 {
		if _, err := tty.Write(make([]byte, 1000)); err != nil {
			return
		}
	}
	t.Error("writing to a terminal that takes nothing was never given up")
}
