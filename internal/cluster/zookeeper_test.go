package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

func TestZooKeeper(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			if nodes > 1 {
				skipShort(t)
			}
			testZooKeeper(t, Spec{Nodes: nodes})
		})
	}
}

// TestZooKeeperLines runs the line before, with the older of its two loggers
// and with the newer one.
func TestZooKeeperLines(t *testing.T) {
	for _, version := range []string{"3.8.3", "3.8.6"} {
		t.Run(version, func(t *testing.T) {
			skipShort(t)
			testZooKeeper(t, Spec{Version: version})
		})
	}
}

func testZooKeeper(t *testing.T, spec Spec) {
	spec.System, spec.DataDir, spec.Ready, spec.Announce = ZooKeeper, t.TempDir(), at(zooReady), announceTo(t)
	c := start(t, spec)
	defer func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
		assertGone(t, pids(c), spec.DataDir)
	}()

	if err := createNode(c.Servers[0].Endpoint, "/kvbench"); err != nil {
		t.Error(err)
	}
	for i, s := range c.Servers {
		// What one server took, all servers have: they form one ensemble.
		if err := syncNode(s.Endpoint, "/kvbench"); err != nil {
			t.Errorf("node %d: %v", i+1, err)
		}
	}
	// By default a server allows one address 60.
	if err := manyClients(c.Servers[0].Endpoint, 100); err != nil {
		t.Error(err)
	}
	assertFootprint(t, c, spec.DataDir)
	assertNoErrors(t, c)
}

// zooReady is one real operation on each server.
func zooReady(ctx context.Context, endpoints []string) error {
	for _, ep := range endpoints {
		if err := syncNode(ep, "/"); err != nil {
			return err
		}
	}
	return nil
}

func createNode(endpoint, path string) error {
	return withZoo(endpoint, func(c *zk.Conn) error {
		_, err := c.Create(path, []byte("value"), 0, zk.WorldACL(zk.PermAll))
		return err
	})
}

// syncNode reads the node at path after everything acknowledged before.
func syncNode(endpoint, path string) error {
	return withZoo(endpoint, func(c *zk.Conn) error {
		if _, err := c.Sync(path); err != nil {
			return err
		}
		_, _, err := c.Get(path)
		return err
	})
}

// manyClients has n sessions at once, each inside of the one before.
func manyClients(endpoint string, n int) error {
	if n == 0 {
		return nil
	}
	return withZoo(endpoint, func(c *zk.Conn) error {
		if _, _, err := c.Get("/"); err != nil {
			return err
		}
		return manyClients(endpoint, n-1)
	})
}

// withZoo calls do with a session with the server at endpoint, if there is one
// within ten seconds.
func withZoo(endpoint string, do func(*zk.Conn) error) error {
	c, events, err := zk.Connect([]string{endpoint}, 10*time.Second, zk.WithLogger(silent{}), zk.WithLogInfo(false))
	if err != nil {
		return err
	}
	defer c.Close()
	limit := time.After(10 * time.Second)
	for {
		select {
		case e := <-events:
			if e.State == zk.StateHasSession {
				return do(c)
			}
		case <-limit:
			return fmt.Errorf("%s: no session", endpoint)
		}
	}
}

type silent struct{}

func (silent) Printf(string, ...any) {}
