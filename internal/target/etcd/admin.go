package etcd

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Count asks the servers for the number of keys with the store's prefix.
func (s *Store) Count(ctx context.Context) (int64, error) {
	resp, err := s.conns[0].Get(ctx, s.config.prefix(), clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return 0, fmt.Errorf("etcd: count %q: %w", s.config.prefix(), s.config.explain(ctx, err))
	}
	return resp.Count, nil
}

// clearPage is how many keys Clear deletes in a request: a million at once
// would outlast the servers' own deadline.
const clearPage = 5000

// Clear deletes the store's keys. On servers of ours it also removes their
// history, and the room that it took in the file.
func (s *Store) Clear(ctx context.Context) error {
	prefix := s.config.prefix()
	if err := s.config.deleteRange(ctx, s.conns[0], prefix, clientv3.GetPrefixRangeEnd(prefix)); err != nil {
		return fmt.Errorf("etcd: clear %q: %w", prefix, err)
	}
	return s.compact(ctx)
}

// deleteRange deletes the keys from one to another, which isn't deleted, a page at
// a time.
func (c Config) deleteRange(ctx context.Context, conn *clientv3.Client, from, to string) error {
	for {
		page, err := conn.Get(ctx, from, clientv3.WithRange(to), clientv3.WithKeysOnly(), clientv3.WithLimit(clearPage))
		if err != nil {
			return fmt.Errorf("list: %w", c.explain(ctx, err))
		}
		if len(page.Kvs) == 0 {
			return nil
		}
		end := string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
		if _, err := conn.Delete(ctx, from, clientv3.WithRange(end)); err != nil {
			return fmt.Errorf("delete %d keys: %w", len(page.Kvs), c.explain(ctx, err))
		}
	}
}

// compact removes the history, if the servers are ours.
func (s *Store) compact(ctx context.Context) error {
	if !s.config.Owned {
		return nil
	}
	c := s.conns[0]
	now, err := c.Get(ctx, s.config.prefix(), clientv3.WithCountOnly())
	if err != nil {
		return fmt.Errorf("etcd: read the revision: %w", wrap(ctx, err))
	}
	revision := now.Header.Revision
	_, err = c.Compact(ctx, revision, clientv3.WithCompactPhysical())
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return fmt.Errorf("etcd: compact revision %d: %w", revision, wrap(ctx, err))
	}
	for _, ep := range s.config.Endpoints {
		if _, err := c.Defragment(ctx, ep); err != nil {
			return fmt.Errorf("etcd: defragment %s: %w", ep, wrap(ctx, err))
		}
	}
	return nil
}
