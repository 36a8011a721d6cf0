package etcd

import (
	"context"
	"fmt"
	"unsafe"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/target"
)

// A client translates operations into etcd's.
type client struct {
	kv     clientv3.KV
	config *Config
	key    []byte // the store's prefix, then room for the key of the operation under way
	prefix int    // length of the prefix
	ops    []clientv3.Op
	stale  []clientv3.OpOption
}

var (
	_ target.Batcher     = (*client)(nil)
	_ target.StaleGetter = (*client)(nil)
)

// text views b as a string without a copy. The client library takes strings and
// copies them into bytes at once, so b may change when its functions have returned.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// path returns the etcd key of a row's key, valid until the next call.
func (c *client) path(key []byte) string {
	c.key = append(c.key[:c.prefix], key...)
	return text(c.key)
}

// value returns the one value of row.
func value(row target.Row) ([]byte, error) {
	if len(row.Values) != 1 {
		return nil, fmt.Errorf("etcd: row %q has %d values, want 1", row.Key, len(row.Values))
	}
	return row.Values[0], nil
}

func (c *client) Put(ctx context.Context, row target.Row) error {
	v, err := value(row)
	if err != nil {
		return err
	}
	if err := c.checkSize(c.rowBytes(row)); err != nil {
		return err
	}
	if _, err := c.kv.Put(ctx, c.path(row.Key), text(v)); err != nil {
		return fmt.Errorf("etcd: put: %w", wrap(ctx, err))
	}
	return nil
}

func (c *client) Get(ctx context.Context, row target.Row) error { return c.get(ctx, row, nil) }

func (c *client) GetStale(ctx context.Context, row target.Row) error {
	return c.get(ctx, row, c.stale)
}

func (c *client) get(ctx context.Context, row target.Row, opts []clientv3.OpOption) error {
	if _, err := value(row); err != nil {
		return err
	}
	resp, err := c.kv.Get(ctx, c.path(row.Key), opts...)
	if err != nil {
		return fmt.Errorf("etcd: get: %w", wrap(ctx, err))
	}
	if len(resp.Kvs) == 0 {
		return fmt.Errorf("etcd: key %q: %w", row.Key, target.ErrNotFound)
	}
	row.Values[0] = append(row.Values[0][:0], resp.Kvs[0].Value...)
	return nil
}

// opBytes is more than the encoding adds to a key and a value, in a transaction too.
const opBytes = 32

// rowBytes returns the size of a row in a request, or a little more.
func (c *client) rowBytes(row target.Row) int {
	return c.prefix + len(row.Key) + len(row.Values[0]) + opBytes
}

// checkSize returns an error if the servers would refuse a request of size bytes.
func (c *client) checkSize(size int) error {
	if limit := c.config.RequestBytes; size > limit {
		return fmt.Errorf("etcd: request of %d bytes, limit %d (max-request-bytes): %w", size, limit, target.ErrTooLarge)
	}
	return nil
}

func (c *client) CheckBatch(rows []target.Row) error {
	if limit := c.config.TxnOps; len(rows) > limit {
		return fmt.Errorf("etcd: batch of %d rows, limit %d (max-txn-ops): %w", len(rows), limit, target.ErrTooLarge)
	}
	size := 0
	for _, row := range rows {
		if _, err := value(row); err != nil {
			return err
		}
		size += c.rowBytes(row)
	}
	return c.checkSize(size)
}

// PutBatch is a transaction of puts without a condition.
func (c *client) PutBatch(ctx context.Context, rows []target.Row) error {
	if err := c.CheckBatch(rows); err != nil {
		return err
	}
	c.ops = c.ops[:0]
	for _, row := range rows {
		c.ops = append(c.ops, clientv3.OpPut(c.path(row.Key), text(row.Values[0])))
	}
	if _, err := c.kv.Txn(ctx).Then(c.ops...).Commit(); err != nil {
		return fmt.Errorf("etcd: batch of %d rows: %w", len(rows), wrap(ctx, err))
	}
	return nil
}

// Close does nothing: the connection is the store's.
func (c *client) Close() error { return nil }
