package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// An owner is this process's end of a keeper. It gives one order at a time.
type owner struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers chan event
	closing func()        // closes closed, once
	closed  chan struct{} // closed when the keeper is to end
	ended   chan struct{} // closed when the keeper has ended
	stderr  bytes.Buffer  // the keeper's, complete when ended
	dirs    []string

	alive context.Context // done when a server, or the keeper, ends by itself
	died  context.CancelCauseFunc

	// To be read after ended only.
	troubles []error // what the keeper had to tell about stopping
	waitErr  error   // how the keeper ended
}

// helloLimit is for a program to show that it is a keeper.
const helloLimit = 30 * time.Second

var errNoKeeper = errors.New("not a keeper: TestMain must begin with cluster.IsKeeper and cluster.Keep")

// newOwner starts the program exe as a keeper, which ends with close or with
// this process.
func newOwner(exe string) (*owner, error) {
	if os.Getenv(keeperVariable) != "" { // or it would go on for ever
		return nil, errNoKeeper
	}
	o := &owner{
		cmd:     exec.Command(exe),
		answers: make(chan event),
		closed:  make(chan struct{}),
		ended:   make(chan struct{}),
	}
	o.closing = sync.OnceFunc(func() { close(o.closed) })
	o.alive, o.died = context.WithCancelCause(context.Background())
	o.cmd.Args[0] = "kvbench-keeper"
	o.cmd.Env = append(append(basicEnv(), engineEnv()...), keeperVariable+"="+protocol)
	o.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	o.cmd.Stderr = &o.stderr
	events, err := o.connect()
	if err != nil {
		return nil, err
	}
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a keeper: %w", err)
	}
	go o.listen(events)
	// Whatever else it is, it would not end with its input.
	kill := func() { killGroup(o.cmd.Process.Pid) }
	late := time.AfterFunc(helloLimit, kill)
	defer late.Stop()
	if _, err := o.answer(hello); err != nil {
		kill()
		return nil, errors.Join(errNoKeeper, o.close(context.Background()))
	}
	return o, nil
}

// connect makes the pipes to the keeper.
func (o *owner) connect() (events io.Reader, err error) {
	if o.orders, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return o.cmd.StdoutPipe()
}

// basicEnv is what every program may know of this one's environment: a server
// would take settings of ours, such as ETCD_…, for its own.
func basicEnv() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// listen takes in all events until the keeper has ended.
func (o *owner) listen(events io.Reader) {
	defer close(o.ended)
	dec := json.NewDecoder(events)
	for {
		var e event
		if err := dec.Decode(&e); err != nil {
			break
		}
		switch e.Kind {
		case exited:
			o.died(fmt.Errorf("%s\n%s", e.Text, tail(e.LogFile, failureLines)))
		case trouble:
			o.troubles = append(o.troubles, errors.New(e.Text))
		default:
			select {
			case o.answers <- e:
			case <-o.closed:
			}
		}
	}
	close(o.answers)
	o.waitErr = o.cmd.Wait()
	select {
	case <-o.closed:
	default:
		o.died(o.lost())
	}
}

// lost is the error of a keeper that ended although nobody told it to.
func (o *owner) lost() error {
	return fmt.Errorf("the servers' keeper (pid %d) ended: %v\n%s", o.cmd.Process.Pid, o.cmd.ProcessState, lastLines(o.stderr.String(), failureLines))
}

// answer waits for the keeper's answer, which must be of one of the kinds.
func (o *owner) answer(want ...eventKind) (event, error) {
	e, ok := <-o.answers
	switch {
	case !ok:
		<-o.ended
		return e, o.lost()
	case !slices.Contains(want, e.Kind):
		return e, errors.New(e.Text)
	}
	return e, nil
}

// makeDir returns a new directory that the keeper will remove.
func (o *owner) makeDir(parent, pattern string) (string, error) {
	e, err := o.ask(order{Dir: &dirOrder{parent, pattern}}, made)
	if err == nil {
		o.dirs = append(o.dirs, e.Text)
	}
	return e.Text, err
}

// start returns the process id of a new server.
func (o *owner) start(s startOrder) (int, error) {
	e, err := o.ask(order{Start: &s}, started)
	return e.PID, err
}

func (o *owner) ask(what order, want ...eventKind) (event, error) {
	if err := json.NewEncoder(o.orders).Encode(what); err != nil {
		return event{}, fmt.Errorf("keeper: %w", err)
	}
	return o.answer(want...)
}

// close has the keeper stop everything and waits until it has ended, or until
// ctx is done: the keeper goes on then. The error tells what did not go well.
func (o *owner) close(ctx context.Context) error {
	o.closing()
	o.hangUp()
	select {
	case <-o.ended:
	case <-ctx.Done():
		return fmt.Errorf("servers are still being stopped: %w", context.Cause(ctx))
	}
	err := errors.Join(o.troubles...)
	if o.waitErr != nil && err == nil && o.alive.Err() == nil { // not known yet
		err = o.lost()
	}
	for _, dir := range o.dirs { // nothing to do unless the keeper was killed
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}
