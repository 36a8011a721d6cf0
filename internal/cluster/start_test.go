package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Tests of real servers: what is started works, and is gone when it is closed.

// patience bounds what a test waits for; nothing is measured with it.
const patience = 5 * time.Minute

func TestEtcd(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			spec := Spec{System: Etcd, Nodes: nodes, DataDir: t.TempDir(), Ready: at(putEtcd), Announce: announceTo(t)}
			testCluster(t, spec)
		})
	}
}

// TestEtcdLines runs the older lines that the suite promises to compare.
func TestEtcdLines(t *testing.T) {
	for _, version := range []string{"3.5.21", "3.6.7"} {
		t.Run(version, func(t *testing.T) {
			spec := Spec{System: Etcd, Version: version, DataDir: t.TempDir(), Ready: at(putEtcd), Announce: announceTo(t)}
			testCluster(t, spec)
		})
	}
}

// testCluster starts the servers of spec, checks what the cluster says of
// itself, and that nothing of it is left when it is closed.
func testCluster(t *testing.T, spec Spec) {
	t.Helper()
	c := start(t, spec)
	if got, want := len(c.Servers), max(spec.Nodes, 1); got != want {
		t.Errorf("%d servers, want %d", got, want)
	}
	if !c.Owned() || c.Err() != nil {
		t.Errorf("Owned() = %v, Err() = %v; want true, nil", c.Owned(), c.Err())
	}
	for i, s := range c.Servers {
		if !runs(s.PID) {
			t.Errorf("node %d: process %d doesn't run", i+1, s.PID)
		}
		// Every server does the operation, not only one that answers for all.
		if err := spec.Ready(t.Context(), &Cluster{Servers: []Server{s}, Translate: c.Translate}); err != nil {
			t.Errorf("node %d: %v", i+1, err)
		}
	}
	if logs := c.Logs(3); strings.Count(logs, "last lines of its log") != len(c.Servers) {
		t.Errorf("Logs(3) doesn't show a log per server:\n%s", logs)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	select {
	case <-c.Died():
		t.Errorf("Died after an orderly Close: %v", c.Err())
	default:
	}
	assertGone(t, pids(c), spec.DataDir)
}

// start starts the servers of spec as processes.
func start(t *testing.T, spec Spec) *Cluster {
	t.Helper()
	spec.Force = "process"
	skipUnbuilt(t, spec)
	src, err := Find(t.Context(), spec)
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	c, err := src.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// skipUnbuilt skips a test under -short if it would have to install a server.
func skipUnbuilt(t *testing.T, spec Spec) {
	t.Helper()
	p, err := findProcess(spec)
	if err != nil {
		return // start says why
	}
	if testing.Short() && !cached(p.entry) {
		t.Skipf("%s %s isn't installed yet, which takes %s: run without -short", spec.System, p.Version(), p.recipe.takes)
	}
}

func announceTo(t *testing.T) func(string) {
	return func(line string) { t.Log(line) }
}

// pids returns the processes of c: its servers and their keeper.
func pids(c *Cluster) []int {
	ids := []int{c.owner.cmd.Process.Pid}
	for _, s := range c.Servers {
		ids = append(ids, s.PID)
	}
	return ids
}

// assertGone waits until none of the processes runs and parent has no data
// directory of ours.
func assertGone(t *testing.T, pids []int, parent string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		left := remains(pids, parent)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %v", left)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func remains(pids []int, parent string) []string {
	left, _ := filepath.Glob(filepath.Join(parent, "kvbench-*")) // the pattern is well-formed
	for _, pid := range pids {
		if runs(pid) {
			left = append(left, fmt.Sprintf("process %d", pid))
		}
	}
	return append(left, naming(parent)...)
}

// naming returns the processes that were started with an
// argument that has dir in it, as far as the system shows that in /proc.
func naming(dir string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well-formed
	for _, f := range files {
		line, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(line), dir) {
			found = append(found, f)
		}
	}
	return found
}

// runs reports whether a process exists and hasn't ended. One that has ended
// may still have an entry in the table, if its parent doesn't ask for it.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !hasProc()
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// putEtcd is one real operation on etcd.
func putEtcd(ctx context.Context, endpoints []string) error {
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), Context: ctx})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Put(ctx, "kvbench/ready", "1")
	return err
}
