package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A fake server is this test binary run again: a real process that listens on a
// real port, and misbehaves as it is told.

const (
	fakeVariable = "KVBENCH_TEST_FAKE" // holds the address to listen on
	manner       = "KVBENCH_TEST_MANNER"
)

// fakeServer is the main function of a fake server.
func fakeServer(addr string) int {
	switch os.Getenv(manner) {
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "broken":
		fmt.Println("first line")
		fmt.Println("the disk is on fire")
		return 7
	case "port taken once":
		// The directory of the entry outlives a start, the node's doesn't.
		if f, err := os.OpenFile(os.Getenv("MARK"), os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			f.Close()
			fmt.Println("listen tcp: bind: address already in use")
			return 1
		}
	case "deaf":
		time.Sleep(patience)
		return 1
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(os.Environ())
	for {
		conn, err := l.Accept()
		if err != nil {
			fmt.Println(err)
			return 1
		}
		conn.Close()
	}
}

// fakeSource is the process source with a recipe for fake servers.
func fakeSource(t *testing.T, how string, nodes int) *process {
	t.Helper()
	exe, err := self()
	if err != nil {
		t.Fatal(err)
	}
	entry := filepath.Join(t.TempDir(), "fake")
	r := recipe{
		ports:   1,
		takes:   "no time",
		install: func(context.Context, string, site) error { return nil },
		commands: func(in installation) ([]command, error) {
			var cmds []command
			for _, n := range in.nodes {
				env := []string{fakeVariable + "=" + n.addr(0), manner + "=" + how, "MARK=" + entry + ".mark"}
				cmds = append(cmds, command{argv: []string{exe}, env: env, endpoint: n.addr(0)})
			}
			return cmds, nil
		},
	}
	spec := Spec{System: "fake", Nodes: nodes, DataDir: t.TempDir(), Ready: at(dial)}
	return &process{spec: spec, recipe: r, entry: entry}
}

// at returns a Spec.Ready of an operation that endpoints do.
func at(operation func(ctx context.Context, endpoints []string) error) func(context.Context, *Cluster) error {
	return func(ctx context.Context, c *Cluster) error { return operation(ctx, c.Endpoints()) }
}

// dial is an operation that fake servers do.
func dial(ctx context.Context, endpoints []string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoints[0])
	if err != nil {
		return err
	}
	return conn.Close()
}

// startFake starts fake servers, and closes them if the test doesn't.
func startFake(t *testing.T, p *process) *Cluster {
	t.Helper()
	c, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) }) // the test looks at the error of its own Close
	return c
}
