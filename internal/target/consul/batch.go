package consul

import (
	"context"
	"encoding/base64"
	"fmt"
	"unsafe"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// opBytes is what an operation adds to the body of a transaction, beside its
// key and value: {"KV":{"Verb":"set","Key":"","Value":"","Flags":0, …},
const opBytes = 115

// CheckBatch compares with the servers' limits. They may hang up on a client
// that sends much more, before it can read their reply.
func (c *client) CheckBatch(rows []target.Row) error {
	if limit := c.config.TxnOps; len(rows) > limit {
		return fmt.Errorf("consul: batch of %d rows, limit %d operations in a transaction: %w", len(rows), limit, target.ErrTooLarge)
	}
	size := 0
	for _, row := range rows {
		v, err := value(row)
		if err != nil {
			return err
		}
		size += opBytes + c.prefix + len(row.Key) + base64.StdEncoding.EncodedLen(len(v))
	}
	if limit := c.config.TxnBytes; size > limit {
		return fmt.Errorf("consul: batch of %d bytes, limit %d (txn_max_req_len): %w", size, limit, target.ErrTooLarge)
	}
	return nil
}

// PutBatch is a transaction of sets without a condition.
func (c *client) PutBatch(ctx context.Context, rows []target.Row) error {
	if err := c.CheckBatch(rows); err != nil {
		return err
	}
	c.fill(rows)
	ok, resp, _, err := c.link.api.Txn().Txn(c.txn, c.with(ctx).consistent)
	switch {
	case err != nil:
		return fmt.Errorf("consul: batch of %d rows: %w", len(rows), c.config.wrap(ctx, err))
	case !ok && len(resp.Errors) > 0:
		return fmt.Errorf("consul: batch of %d rows: operation %d: %s: %w", len(rows), resp.Errors[0].OpIndex, resp.Errors[0].What, target.ErrConflict)
	case !ok:
		return fmt.Errorf("consul: batch of %d rows was rolled back: %w", len(rows), target.ErrConflict)
	}
	return nil
}

// fill makes the transaction that sets rows, which have one value each, in
// memory that is used again.
func (c *client) fill(rows []target.Row) {
	if cap(c.txn) < len(rows) {
		c.sets = make([]api.KVTxnOp, len(rows))
		c.ops = make([]api.TxnOp, len(rows))
		c.txn = make(api.TxnOps, len(rows))
		for i := range rows {
			c.ops[i].KV = &c.sets[i]
			c.txn[i] = &c.ops[i]
		}
	}
	c.txn = c.txn[:len(rows)]
	c.key = c.key[:c.prefix]
	for i, row := range rows {
		start := len(c.key)
		c.key = append(append(c.key, c.key[:c.prefix]...), row.Key...)
		key := c.key[start:] // stays valid if c.key moves, and until the library has encoded it
		c.sets[i] = api.KVTxnOp{Verb: api.KVSet, Key: unsafe.String(unsafe.SliceData(key), len(key)), Value: row.Values[0]}
	}
}
