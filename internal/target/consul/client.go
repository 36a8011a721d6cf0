package consul

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// A client translates operations into Consul's, each a request on a connection
// of its own.
type client struct {
	config *Config
	link   *link
	key    []byte // the store's prefix, then room for the keys of the operation under way
	prefix int    // length of the prefix
	body   []byte // a copy of the value that is being put
	sets   []api.KVTxnOp
	ops    []api.TxnOp
	txn    api.TxnOps
	opts   options
}

var (
	_ target.Batcher     = (*client)(nil)
	_ target.StaleGetter = (*client)(nil)
)

func newClient(config *Config, l *link) *client {
	prefix := config.prefix()
	return &client{config: config, link: l, key: []byte(prefix), prefix: len(prefix)}
}

// options are the library's for requests with ctx, made when it is first seen:
// the engine uses one context for many operations.
type options struct {
	ctx               context.Context
	consistent, stale *api.QueryOptions
	write             *api.WriteOptions
}

func (c *client) with(ctx context.Context) *options {
	if c.opts.ctx != ctx {
		c.opts = options{
			ctx:        ctx,
			consistent: c.config.query(ctx, api.QueryOptions{RequireConsistent: true}),
			stale:      c.config.query(ctx, api.QueryOptions{AllowStale: true}),
			write:      c.config.write(ctx),
		}
	}
	return &c.opts
}

// path returns the Consul key of a row's key, valid until the next call. The
// library makes a URL, and so a copy, of it.
func (c *client) path(key []byte) string {
	c.key = append(c.key[:c.prefix], key...)
	return unsafe.String(unsafe.SliceData(c.key), len(c.key))
}

// value returns the one value of row.
func value(row target.Row) ([]byte, error) {
	if len(row.Values) != 1 {
		return nil, fmt.Errorf("consul: row %q has %d values, want 1", row.Key, len(row.Values))
	}
	return row.Values[0], nil
}

func (c *client) Put(ctx context.Context, row target.Row) error {
	v, err := value(row)
	if err != nil {
		return err
	}
	if limit := c.config.ValueBytes; len(v) > limit {
		return fmt.Errorf("consul: value of %d bytes, limit %d (kv_max_value_size): %w", len(v), limit, target.ErrTooLarge)
	}
	c.body = append(c.body[:0], v...)
	if _, err := c.link.api.KV().Put(&api.KVPair{Key: c.path(row.Key), Value: c.body}, c.with(ctx).write); err != nil {
		c.body = nil // net/http may still be sending it
		return fmt.Errorf("consul: put: %w", c.config.wrap(ctx, err))
	}
	return nil
}

// Get reads in the consistent mode: the leader asks a quorum whether it still leads.
func (c *client) Get(ctx context.Context, row target.Row) error {
	return c.get(ctx, row, c.with(ctx).consistent)
}

func (c *client) GetStale(ctx context.Context, row target.Row) error {
	return c.get(ctx, row, c.with(ctx).stale)
}

func (c *client) get(ctx context.Context, row target.Row, opts *api.QueryOptions) error {
	if _, err := value(row); err != nil {
		return err
	}
	pair, _, err := c.link.api.KV().Get(c.path(row.Key), opts)
	if err != nil {
		return fmt.Errorf("consul: get: %w", c.config.wrap(ctx, err))
	}
	if pair == nil {
		return fmt.Errorf("consul: key %q: %w", row.Key, target.ErrNotFound)
	}
	row.Values[0] = append(row.Values[0][:0], pair.Value...)
	return nil
}

// Close closes the connection.
func (c *client) Close() error {
	c.link.close()
	return nil
}
