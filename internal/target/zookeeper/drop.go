package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// Drop implements [target.Realm]. The znode with the mark goes last, so that what
// an interrupted Drop leaves is still known as the suite's.
func (r *Realm) Drop(ctx context.Context) error {
	return r.do(ctx, "remove", func(conn *zk.Conn) error {
		if _, err := conn.Sync(r.config.namespace()); err != nil {
			return err
		}
		there, err := marked(conn, &r.config)
		if !there || err != nil {
			return err
		}
		made, _, err := conn.Get(r.config.notes())
		if err != nil && !errors.Is(err, zk.ErrNoNode) {
			return lacking(err, mayRead, r.config.notes())
		}
		if err := r.emptyNamespace(conn); err != nil {
			return err
		}
		if string(made) != target.Mark { // it was made for the suite, not by it
			return clearBelow(conn, r.config.namespace())
		}
		_, err = conn.Multi(&zk.DeleteRequest{Path: r.config.notes(), Version: -1}, &zk.DeleteRequest{Path: r.config.namespace(), Version: -1})
		return lacking(err, mayDelete, "/")
	})
}

// emptyNamespace deletes everything in the namespace but the znode of the notes.
func (r *Realm) emptyNamespace(conn *zk.Conn) error {
	names, _, err := conn.Children(r.config.namespace())
	if err != nil {
		return lacking(err, mayRead, r.config.namespace())
	}
	for _, name := range names {
		path := r.config.namespace() + "/" + name
		if err := clearBelow(conn, path); err != nil {
			return err
		}
		if name == notesName {
			continue
		}
		if err := conn.Delete(path, -1); err != nil {
			return fmt.Errorf("delete %q: %w", path, lacking(err, mayDelete, r.config.namespace()))
		}
	}
	return nil
}

// clearBelow deletes all that is below a znode. What has children is found out by
// trying: of rows, which are most, there is then no need to ask.
func clearBelow(conn *zk.Conn, path string) error {
	err := empty(conn, path)
	if !errors.Is(err, zk.ErrNotEmpty) {
		return err
	}
	names, _, err := conn.Children(path)
	if err != nil {
		return fmt.Errorf("list %q: %w", path, lacking(err, mayRead, path))
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = path + "/" + name
	}
	if err := each(paths, func(path string) error { return clearBelow(conn, path) }); err != nil {
		return err
	}
	return empty(conn, path)
}
