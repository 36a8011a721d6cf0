package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"
)

// administer performs a task on the store's own session, one at a time, until
// ctx is done.
func (s *Store) administer(ctx context.Context, task func(*zk.Conn) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	conn, err := s.admin.begin(ctx)
	if err != nil {
		return err
	}
	defer s.admin.end()
	return s.config.wrap(ctx, task(conn))
}

// pipeline is how many requests of a task are under way at a time.
const pipeline = 16

// eachBucket calls do for all buckets, several at a time, until one fails.
func (s *Store) eachBucket(do func(path string) error) error {
	paths := make([]string, buckets)
	for n := range paths {
		paths[n] = string(appendBucket(nil, s.config.root(), uint32(n)))
	}
	return each(paths, do)
}

// each calls do for all paths, several at a time, until one fails.
func each(paths []string, do func(path string) error) error {
	group, failed := errgroup.WithContext(context.Background())
	group.SetLimit(pipeline)
	for _, path := range paths {
		if failed.Err() != nil {
			break
		}
		group.Go(func() error { return do(path) })
	}
	return group.Wait()
}

// claimAndMake claims the namespace and makes the store's znode and its buckets,
// unless they are there.
func (s *Store) claimAndMake(conn *zk.Conn) error {
	if err := claim(conn, &s.config); err != nil {
		return err
	}
	if err := create(conn, s.config.root(), s.config.acl()); err != nil {
		return err
	}
	if _, err := conn.Sync(s.config.root()); err != nil {
		return err
	}
	_, stat, err := conn.Exists(s.config.root())
	if err != nil || stat.NumChildren == buckets {
		return err
	}
	return s.eachBucket(func(path string) error { return create(conn, path, s.config.acl()) })
}

// create creates a znode without a value, unless it is there.
func create(conn *zk.Conn, path string, acl []zk.ACL) error {
	_, err := conn.Create(path, nil, 0, acl)
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return fmt.Errorf("create %q: %w", path, lacking(err, mayCreate, parent(path)))
	}
	return nil
}

// Count adds up the numbers of the buckets' children, after a sync.
func (s *Store) Count(ctx context.Context) (int64, error) {
	var total atomic.Int64
	err := s.administer(ctx, func(conn *zk.Conn) error {
		if _, err := conn.Sync(s.config.root()); err != nil {
			return err
		}
		return s.eachBucket(func(path string) error {
			n, err := children(conn, path)
			total.Add(n)
			return err
		})
	})
	if err != nil {
		return 0, fmt.Errorf("zookeeper: count %q: %w", s.config.root(), err)
	}
	return total.Load(), nil
}

// children returns the number of children of a znode.
func children(conn *zk.Conn, path string) (int64, error) {
	_, stat, err := conn.Exists(path)
	if err != nil { // then there may be no stat
		return 0, fmt.Errorf("children of %q: %w", path, err)
	}
	return int64(stat.NumChildren), nil
}

// Clear deletes all rows, a bucket after the other, and leaves the buckets.
func (s *Store) Clear(ctx context.Context) error {
	err := s.administer(ctx, func(conn *zk.Conn) error {
		if _, err := conn.Sync(s.config.root()); err != nil {
			return err
		}
		return s.eachBucket(func(path string) error { return empty(conn, path) })
	})
	if err != nil {
		return fmt.Errorf("zookeeper: clear %q: %w", s.config.root(), err)
	}
	return nil
}

// deleteBytes bounds a request of Clear: well below jute.maxbuffer, and not so
// large that one request keeps the servers busy for long.
const deleteBytes = 256 << 10

// empty deletes the children of a znode.
func empty(conn *zk.Conn, path string) error {
	names, _, err := conn.Children(path)
	if err != nil {
		return fmt.Errorf("list %q: %w", path, lacking(err, mayRead, path))
	}
	var ops []any
	size := 0
	for i, child := range names {
		ops = append(ops, &zk.DeleteRequest{Path: path + "/" + child, Version: -1})
		size += len(path) + len(child) + opBytes
		if size < deleteBytes && i < len(names)-1 {
			continue
		}
		if _, err := conn.Multi(ops...); err != nil {
			return fmt.Errorf("delete %d children of %q: %w", len(ops), path, lacking(err, mayDelete, path))
		}
		ops, size = ops[:0], 0
	}
	return nil
}
