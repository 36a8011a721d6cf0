package cluster

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	failureLines = 20      // of a log, shown with a failure
	tailBytes    = 1 << 16 // of a log, read for its last lines
)

// Logs returns the last n lines of each server's log, for a failure's message,
// or "" if the servers aren't ours. It must be called before Close, which
// removes the logs.
func (c *Cluster) Logs(n int) string {
	var b strings.Builder
	for i, s := range c.Servers {
		if s.LogFile != "" {
			fmt.Fprintf(&b, "%s (%s), last lines of its log:\n%s\n", c.nodeName(i), s.identity(), tail(s.LogFile, n))
		}
	}
	return b.String()
}

// nodeName returns what messages call the server with index i: "etcd node 1".
func nodeName(s System, i int) string { return fmt.Sprintf("%s node %d", s, i+1) }

func (c *Cluster) nodeName(i int) string { return nodeName(c.System, i) }

// identity returns by what a server of ours is known to the system.
func (s Server) identity() string {
	if s.Container != "" {
		return fmt.Sprintf("container %.12s", s.Container)
	}
	return fmt.Sprintf("pid %d", s.PID)
}

// logFile returns the name of the log of the server with index i.
func logFile(dir string, i int) string { return filepath.Join(dir, nodeHost(i)+".log") }

// tail returns the last n lines of a file, indented, or why it can't be read.
func tail(file string, n int) string {
	text, err := readEnd(file)
	if err != nil {
		text = err.Error()
	}
	return "\t" + strings.ReplaceAll(lastLines(text, n), "\n", "\n\t")
}

func readEnd(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return "", err
		}
	}
	b, err := io.ReadAll(f)
	return string(b), err
}
