package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// run runs a build tool in the site's directory and returns when it has ended.
// The tool has this process's environment (proxies, registries and their
// credentials) with the given "name=value" entries over it. An error ends with
// the last lines that the tool wrote.
func (at site) run(ctx context.Context, env []string, name string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = at.dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if at.lock != nil {
		// If this process is killed the tool goes on, and keeps others away.
		cmd.ExtraFiles = []*os.File{at.lock}
	}
	// An interrupt lets a tool remove its own temporary files.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	call := strings.Join(append([]string{name}, args...), " ")
	return fmt.Errorf("%s: %w\n%s", call, err, lastLines(out.String(), 15))
}

// missingTool returns an error that says what to install if one of tools isn't
// in PATH, or unfit. Tools that only install are of no interest if installed is true.
func missingTool(tools []tool, installed bool) error {
	for _, t := range tools {
		if t.install && installed {
			continue
		}
		if _, err := exec.LookPath(t.name); errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("no %q in PATH: %s", t.name, t.hint)
		} else if err != nil {
			return fmt.Errorf("%q can't be used: %w: %s", t.name, err, t.hint)
		}
		if t.unfit == nil {
			continue
		}
		if err := t.unfit(); err != nil {
			return fmt.Errorf("%w: %s", err, t.hint)
		}
	}
	return nil
}

// lastLines returns the last n lines of text, without a final newline.
func lastLines(text string, n int) string {
	text = strings.TrimRight(text, "\n")
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
