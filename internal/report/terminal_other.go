//go:build !unix

package report

import "io"

// openTerminal returns nil: only Unix has a name for the controlling terminal.
func openTerminal() (io.WriteCloser, func() int) { return nil, nil }
