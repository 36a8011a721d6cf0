package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// A client translates operations into ZooKeeper's, each a call or two on a
// session of its own.
type client struct {
	config *Config
	root   string
	link   *link
	acl    []zk.ACL
	path   []byte // room for the path of the operation under way, or the paths
	ops    []any  // room for the operations of a batch
	create []zk.CreateRequest
	set    []zk.SetDataRequest
}

var (
	_ target.Batcher     = (*client)(nil)
	_ target.StaleGetter = (*client)(nil)
)

func newClient(config *Config, l *link) *client {
	return &client{config: config, root: config.root(), link: l, acl: config.acl()}
}

// Put creates the row's znode. If it exists, a second request sets its value.
func (c *client) Put(ctx context.Context, row target.Row) error {
	v, err := value(row)
	if err != nil {
		return err
	}
	if err := c.checkSize(packetBytes + c.rowBytes(row)); err != nil {
		return err
	}
	conn, err := c.link.begin(ctx)
	if err != nil {
		return fmt.Errorf("zookeeper: put: %w", err)
	}
	defer c.link.end()
	path := c.pathOf(row.Key)
	permission, on := mayCreate, parent(path)
	_, err = conn.Create(path, v, 0, c.acl)
	if errors.Is(err, zk.ErrNodeExists) {
		permission, on = mayWrite, path
		_, err = conn.Set(path, v, -1)
	}
	if err != nil {
		return fmt.Errorf("zookeeper: put: %w", c.config.wrap(ctx, lacking(err, permission, on)))
	}
	return nil
}

// Get is a sync and then a get: by itself a get may return what the server that
// the client is connected to knows, which may be old.
func (c *client) Get(ctx context.Context, row target.Row) error { return c.get(ctx, row, true) }

func (c *client) GetStale(ctx context.Context, row target.Row) error { return c.get(ctx, row, false) }

func (c *client) get(ctx context.Context, row target.Row, sync bool) error {
	if _, err := value(row); err != nil {
		return err
	}
	conn, err := c.link.begin(ctx)
	if err != nil {
		return fmt.Errorf("zookeeper: get: %w", err)
	}
	defer c.link.end()
	if sync {
		if _, err := conn.Sync(c.root); err != nil {
			return fmt.Errorf("zookeeper: sync: %w", c.config.wrap(ctx, err))
		}
	}
	path := c.pathOf(row.Key)
	v, _, err := conn.Get(path)
	if err != nil {
		return fmt.Errorf("zookeeper: get %q: %w", row.Key, c.config.wrap(ctx, lacking(err, mayRead, path)))
	}
	row.Values[0] = append(row.Values[0][:0], v...)
	return nil
}

// Close ends the session.
func (c *client) Close() error {
	c.link.close()
	return nil
}

// pathOf returns the path of the znode of key, valid until the next call.
func (c *client) pathOf(key []byte) string {
	c.path = appendPath(c.path[:0], c.root, key)
	return text(c.path)
}

// value returns the one value of row.
func value(row target.Row) ([]byte, error) {
	if len(row.Values) != 1 {
		return nil, fmt.Errorf("zookeeper: row %q has %d values, want 1", row.Key, len(row.Values))
	}
	return row.Values[0], nil
}

const (
	packetBytes = 64 // more than the encoding adds to a packet
	opBytes     = 96 // more than the encoding adds to a path and a value, access control list included, but for the name in it
)

// rowBytes returns the size of a row in a request, or a little more.
func (c *client) rowBytes(row target.Row) int {
	return len(c.root) + len("/000/") + len(row.Key) + len(row.Values[0]) + opBytes + len(c.config.Login.User)
}
