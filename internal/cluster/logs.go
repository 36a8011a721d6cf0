package cluster

import (
	"fmt"
	"io"
	"os"
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
			fmt.Fprintf(&b, "%s (pid %d), last lines of its log:\n%s\n", c.nodeName(i), s.PID, tail(s.LogFile, n))
		}
	}
	return b.String()
}

// nodeName returns what messages call the server with index i: "etcd node 1".
func (c *Cluster) nodeName(i int) string {
	return fmt.Sprintf("%s node %d", c.System, i+1)
}

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
