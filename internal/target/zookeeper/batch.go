package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// CheckBatch compares with the servers' jute.maxbuffer. They close the
// connection to a client that sends more.
func (c *client) CheckBatch(rows []target.Row) error {
	size := packetBytes
	for _, row := range rows {
		if _, err := value(row); err != nil {
			return err
		}
		size += c.rowBytes(row)
	}
	return c.checkSize(size)
}

// checkSize returns an error if a request of size bytes can't be sent.
func (c *client) checkSize(size int) error {
	switch {
	case size > c.config.RequestBytes:
		return fmt.Errorf("zookeeper: request of %d bytes, limit %d (jute.maxbuffer): %w", size, c.config.RequestBytes, target.ErrTooLarge)
	case size > c.config.BufferBytes:
		return fmt.Errorf("zookeeper: request of %d bytes, the client's buffer is %d: %w", size, c.config.BufferBytes, target.ErrTooLarge)
	}
	return nil
}

// PutBatch is a multi that creates all rows, in one request, as long as none of
// them exists. If all exist, a second one sets their values. If some do, it
// first has to be found out which, with a request a row.
func (c *client) PutBatch(ctx context.Context, rows []target.Row) error {
	if err := c.CheckBatch(rows); err != nil {
		return err
	}
	conn, err := c.link.begin(ctx)
	if err != nil {
		return fmt.Errorf("zookeeper: batch: %w", err)
	}
	defer c.link.end()
	none := func(string) (bool, error) { return false, nil }
	all := func(string) (bool, error) { return true, nil }
	some := func(path string) (bool, error) {
		exists, _, err := conn.Exists(path)
		return exists, err
	}
	err = c.multi(conn, rows, none)
	if errors.Is(err, zk.ErrNodeExists) {
		err = c.multi(conn, rows, all)
	}
	if errors.Is(err, zk.ErrNoNode) {
		err = c.multi(conn, rows, some)
	}
	if err != nil {
		err = lacking(err, mayCreate+" or "+mayWrite, c.root+"/…")
		return fmt.Errorf("zookeeper: batch of %d rows: %w", len(rows), c.config.wrap(ctx, err))
	}
	return nil
}

// multi sends one request that sets the rows that exist and creates the others.
func (c *client) multi(conn *zk.Conn, rows []target.Row, exists func(path string) (bool, error)) error {
	c.path, c.ops = c.path[:0], c.ops[:0]
	// Pointers into them are in ops, so they must not move any more.
	c.create = sized(c.create, len(rows))
	c.set = sized(c.set, len(rows))
	for i, row := range rows {
		start := len(c.path)
		c.path = appendPath(c.path, c.root, row.Key)
		path := text(c.path[start:]) // stays valid if c.path moves
		old, err := exists(path)
		if err != nil {
			return err
		}
		if old {
			c.set[i] = zk.SetDataRequest{Path: path, Data: row.Values[0], Version: -1}
			c.ops = append(c.ops, &c.set[i])
		} else {
			c.create[i] = zk.CreateRequest{Path: path, Data: row.Values[0], Acl: c.acl}
			c.ops = append(c.ops, &c.create[i])
		}
	}
	_, err := conn.Multi(c.ops...)
	return err
}

// sized returns s with n elements, in the same memory if there is room.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
