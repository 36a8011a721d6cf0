package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// How a dock sees what its containers do.

// attend takes down a container's log, and tells when it ends by itself.
func (d *dock) attend(b boxed) {
	logged := make(chan error, 1)
	go func() { logged <- d.takeDown(b) }() // ends with the container, or with the watch
	state := d.awaitEnd(b)
	if state == "" { // we have ended it
		<-logged
		return
	}
	select {
	case err := <-logged:
		if err != nil {
			state += fmt.Sprintf(" (its log may lack the end: %v)", err)
		}
	case <-time.After(engineLimit):
		state += " (its log may lack the end)"
	}
	select {
	case d.deaths <- event{Kind: exited, LogFile: b.LogFile, Text: fmt.Sprintf("%v %s", b, state)}:
	case <-d.watch.Done():
	}
}

// takeDown copies the container's output into its log file until it ends.
func (d *dock) takeDown(b boxed) error {
	file, err := os.OpenFile(b.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	output, err := d.engine().ContainerLogs(d.watch, b.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = stdcopy.StdCopy(file, file, output)
	return errors.Join(err, output.Close(), file.Close())
}

// awaitEnd waits for a container to end, and returns how it did. It returns ""
// when nobody watches any more.
func (d *dock) awaitEnd(b boxed) string {
	for {
		wait := d.engine().ContainerWait(d.watch, b.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
		select {
		case <-wait.Result:
		case <-wait.Error: // the engine hung up; it may be there still
		case <-d.watch.Done():
			return ""
		}
		if state := d.state(b); state != "" || d.watch.Err() != nil {
			return state
		}
		if sleep(d.watch, retryPause) != nil {
			return ""
		}
	}
}

// state returns how a container has ended, or "" if it runs.
func (d *dock) state(b boxed) string {
	ctx, cancel := context.WithTimeout(d.watch, engineLimit)
	defer cancel()
	is, err := d.engine().ContainerInspect(ctx, b.id, client.ContainerInspectOptions{})
	switch {
	case d.watch.Err() != nil:
		return ""
	case errdefs.IsNotFound(err):
		return "is gone: somebody else has removed it"
	case err != nil:
		return fmt.Sprintf("is lost: the Docker engine is gone: %v", err)
	case is.Container.State.Running:
		return ""
	}
	return ending(is.Container.State, b.Memory)
}

// ending says how a container has ended.
func ending(is *container.State, memory int64) string {
	how, limit := fmt.Sprintf("exited: exit status %d", is.ExitCode), ""
	if memory > 0 {
		limit = fmt.Sprintf(": its limit is BENCH_MEMORY, %s", mebibytes(memory))
	}
	switch {
	case is.OOMKilled:
		how += ", out of memory" + limit
	case is.ExitCode == killed && memory > 0: // an engine that sees the end before the cause never tells the cause
		how += ", perhaps out of memory" + limit
	}
	if is.Error != "" {
		how += ": " + is.Error
	}
	return how
}
