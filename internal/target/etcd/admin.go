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
		return 0, fmt.Errorf("etcd: count %q: %w", s.config.prefix(), wrap(ctx, err))
	}
	return resp.Count, nil
}

// clearPage is how many keys Clear deletes in a request: a million at once
// would outlast the servers' own deadline.
const clearPage = 5000

// Clear deletes the store's keys. On servers of ours it also removes their
// history, and the room that it took in the file.
func (s *Store) Clear(ctx context.Context) error {
	prefix, c := s.config.prefix(), s.conns[0]
	for {
		page, err := c.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(clearPage))
		if err != nil {
			return fmt.Errorf("etcd: clear %q: list: %w", prefix, wrap(ctx, err))
		}
		if len(page.Kvs) == 0 {
			return s.compact(ctx, page.Header.Revision)
		}
		end := string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
		if _, err := c.Delete(ctx, prefix, clientv3.WithRange(end)); err != nil {
			return fmt.Errorf("etcd: clear %q: delete %d keys: %w", prefix, len(page.Kvs), wrap(ctx, err))
		}
	}
}

// compact removes the history up to revision, if the servers are ours.
func (s *Store) compact(ctx context.Context, revision int64) error {
	if !s.config.Owned {
		return nil
	}
	c := s.conns[0]
	_, err := c.Compact(ctx, revision, clientv3.WithCompactPhysical())
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

// Version asks the first server for its version, such as "3.6.4".
func Version(ctx context.Context, config Config) (string, error) {
	config, err := config.withDefaults()
	if err != nil {
		return "", err
	}
	ep := config.Endpoints[0]
	c, err := dial(ctx, config, []string{ep})
	if err != nil {
		return "", err
	}
	defer c.Close()
	resp, err := c.Status(ctx, ep)
	if err != nil {
		return "", fmt.Errorf("etcd at %s: version: %w", ep, wrap(ctx, err))
	}
	return resp.Version, nil
}

// Ready writes, reads and deletes a key below the namespace, through each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	for _, ep := range config.Endpoints {
		if err := ready(ctx, config, ep); err != nil {
			return err
		}
	}
	return nil
}

func ready(ctx context.Context, config Config, endpoint string) error {
	c, err := dial(ctx, config, []string{endpoint})
	if err != nil {
		return err
	}
	defer c.Close()
	key := config.Namespace + "/.ready/" + endpoint
	if _, err := c.Put(ctx, key, endpoint); err != nil {
		return fmt.Errorf("etcd at %s: put %q: %w", endpoint, key, wrap(ctx, err))
	}
	resp, err := c.Get(ctx, key)
	if err != nil {
		return fmt.Errorf("etcd at %s: get %q: %w", endpoint, key, wrap(ctx, err))
	}
	if len(resp.Kvs) != 1 {
		return fmt.Errorf("etcd at %s: key %q isn't there after its put", endpoint, key)
	}
	if _, err := c.Delete(ctx, key); err != nil {
		return fmt.Errorf("etcd at %s: delete %q: %w", endpoint, key, wrap(ctx, err))
	}
	return nil
}
