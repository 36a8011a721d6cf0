package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// A keeper owns servers on behalf of another process, and outlives it just long
// enough to stop them.
//
// A process that is killed can't clean up after itself, so none of ours has to:
// servers and their directories belong to a keeper, the same program run again
// in a session of its own, out of reach of the terminal's signals. Its standard
// input is a pipe that only its owner holds open. Close, os.Exit, a panic,
// ctrl-C and SIGKILL all close that pipe, and the keeper does the same for each:
// TERM, wait, KILL, remove the directories, end. On Linux a keeper that is
// killed itself takes the servers along, by their parent death signal.
//
// One that is told to stay does so when it is asked to: see kept_keeper.go.
type keeper struct {
	events  *json.Encoder
	servers map[int]server // running, by process id
	exits   chan exit
	dirs    []string
	held    []*os.File // locks
	post    post       // of a keeper that stays

	wanted context.Context // done when there will be no more orders
	dock   *dock           // nil unless containers were asked for
	deaths chan event      // of containers
}

type server struct {
	startOrder
	process *os.Process
}

func (s server) String() string { return fmt.Sprintf("%s (pid %d)", s.Name, s.process.Pid) }

type exit struct {
	pid   int
	state string
}

const (
	keeperVariable = "KVBENCH_KEEPER"
	stopGrace      = 20 * time.Second // from TERM to KILL
	killGrace      = 5 * time.Second  // from KILL to giving up on a process that the kernel doesn't let go
)

// IsKeeper reports whether this process was started to be a keeper of servers
// (see keeper.go). Every TestMain begins with
//
//	if cluster.IsKeeper() {
//		os.Exit(cluster.Keep())
//	}
func IsKeeper() bool { return os.Getenv(keeperVariable) == protocol }

// Keep follows the orders on standard input until it ends, stops the servers
// and returns the exit status for this process.
func Keep() int {
	// The death signal of a server goes off when the thread that started it
	// ends: start them all from one that ends with the process.
	runtime.LockOSThread()
	// Caught and dropped rather than ignored, because a server would inherit
	// an ignored signal, and a JVM would then not end on TERM.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)

	k := &keeper{
		events:  json.NewEncoder(os.Stdout),
		servers: make(map[int]server),
		exits:   make(chan exit),
		deaths:  make(chan event),
	}
	os.Stdout = os.Stderr // a library that prints something would be taken for an event
	k.tell(event{Kind: hello, Text: protocol})
	var last context.CancelFunc
	k.wanted, last = context.WithCancel(context.Background())
	err := k.follow(readOrders(os.Stdin, last))
	k.post.end()
	k.stop()
	if err := errors.Join(err, k.clean()); err != nil {
		k.tell(event{Kind: trouble, Text: err.Error()})
		return 1
	}
	return 0
}

// readOrders returns the orders on r. After the last one it calls last, and the
// channel yields an order with an error, or is closed if r simply ended.
func readOrders(r io.Reader, last func()) <-chan orderOrError {
	orders := make(chan orderOrError)
	go func() {
		defer close(orders)
		defer last()
		for dec := json.NewDecoder(r); ; {
			var o orderOrError
			o.err = dec.Decode(&o.order)
			if o.err == io.EOF {
				return
			}
			orders <- o
			if o.err != nil {
				return
			}
		}
	}()
	return orders
}

type orderOrError struct {
	order
	err error
}

// follow does what is ordered until there are no more orders.
func (k *keeper) follow(orders <-chan orderOrError) error {
	for {
		select {
		case o, ok := <-orders:
			switch {
			case k.post.manned() && (!ok || o.err != nil):
				orders = nil // its owner is gone, in whatever way
			case !ok || o.err != nil:
				return o.err
			default:
				k.do(o.order)
			}
		case x := <-k.exits:
			s := k.forget(x)
			k.mourn(event{Kind: exited, PID: x.pid, LogFile: s.LogFile, Text: fmt.Sprintf("%v exited: %s", s, x.state)})
		case death := <-k.deaths:
			k.mourn(death)
		case r := <-k.post.requests:
			if k.answer(r) {
				return nil
			}
		case <-k.post.term:
			return nil
		}
	}
}

// mourn tells of a death, and remembers it.
func (k *keeper) mourn(death event) {
	k.post.deaths = append(k.post.deaths, death.Text)
	k.tell(death)
}

func (k *keeper) do(o order) {
	var err error
	switch {
	case o.Dir != nil:
		err = k.makeDir(*o.Dir)
	case o.Start != nil:
		err = k.start(*o.Start)
	case o.Hold != nil:
		err = k.hold(*o.Hold)
	case o.Stay != nil:
		err = k.stay(*o.Stay)
	default:
		err = k.dockOrder(o)
	}
	if err != nil {
		k.tell(event{Kind: failed, Text: err.Error()})
	}
}

func (k *keeper) makeDir(o dirOrder) error {
	dir, err := os.MkdirTemp(o.Parent, o.Pattern)
	if err != nil {
		return err
	}
	k.dirs = append(k.dirs, dir)
	k.tell(event{Kind: made, Text: dir})
	return nil
}

func (k *keeper) start(o startOrder) error {
	log, err := os.OpenFile(o.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close() // the server has its own
	cmd := exec.Command(o.Argv[0], o.Argv[1:]...)
	cmd.Env, cmd.Dir = o.Env, o.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = serverAttr()
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	k.servers[pid] = server{o, cmd.Process}
	go func() {
		err := cmd.Wait()
		state := cmd.ProcessState.String()
		if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
			state = err.Error()
		}
		k.exits <- exit{pid, state}
	}()
	k.tell(event{Kind: started, PID: pid})
	return nil
}

// stop ends all servers: TERM to all at once, KILL to those that don't end.
func (k *keeper) stop() {
	if k.dock != nil {
		if err := k.dock.stop(); err != nil {
			k.tell(event{Kind: trouble, Text: err.Error()})
		}
	}
	for _, s := range k.servers {
		// An error means that it has ended, which Wait is about to tell.
		_ = s.process.Signal(syscall.SIGTERM)
		_ = s.process.Signal(syscall.SIGCONT) // a stopped process doesn't see TERM
	}
	k.await(stopGrace)
	for pid, s := range k.servers {
		killGroup(pid)
		k.tell(event{Kind: trouble, Text: fmt.Sprintf("%v was killed: it did not end within %v of TERM", s, stopGrace)})
	}
	k.await(killGrace)
	for _, s := range k.servers {
		k.tell(event{Kind: trouble, Text: fmt.Sprintf("%v still runs, %v after KILL", s, killGrace)})
	}
}

// await waits for the servers to end, but no longer than limit.
func (k *keeper) await(limit time.Duration) {
	timeout := time.After(limit)
	for len(k.servers) > 0 {
		select {
		case x := <-k.exits:
			k.forget(x)
		case <-timeout:
			return
		}
	}
}

// forget returns the server that has ended, after it has killed what the server
// may have left in its process group.
func (k *keeper) forget(x exit) server {
	s := k.servers[x.pid]
	delete(k.servers, x.pid)
	killGroup(x.pid)
	return s
}

// killGroup kills what is left of the process group of a server.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // fails if the group is empty, as it should be
}

// clean removes the directories.
func (k *keeper) clean() error {
	var err error
	for _, dir := range k.dirs {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// tell sends an event. Nobody may be listening any more, which changes nothing
// about what there is to do.
func (k *keeper) tell(e event) {
	_ = k.events.Encode(e)
}
