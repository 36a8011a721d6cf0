package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

// notesName is the znode below the namespace that holds notes. If the suite made
// the namespace its data say so: what somebody else made and marked is left.
const notesName = ".kvbench"

// A Realm is the znode that holds all tables. Its data are the mark.
type Realm struct {
	config Config
	link   *link
}

var _ target.Realm = (*Realm)(nil)

// OpenRealm connects to the servers.
func OpenRealm(ctx context.Context, config Config) (*Realm, error) {
	if config.Table == "" {
		config.Table = notesName // of no interest
	}
	config.BufferBytes = 0 // whatever is right for a client: requests that remove rows are large
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Realm{config: config}
	r.link = newLink(&r.config, 0)
	if err := r.do(ctx, "connect", func(*zk.Conn) error { return nil }); err != nil {
		r.link.close()
		return nil, err
	}
	return r, nil
}

// do performs a task until ctx is done.
func (r *Realm) do(ctx context.Context, what string, task func(*zk.Conn) error) error {
	conn, err := r.link.begin(ctx)
	if err == nil {
		defer r.link.end()
		err = r.config.wrap(ctx, task(conn))
	}
	if err != nil {
		return fmt.Errorf("zookeeper at %s: namespace %q: %s: %w", strings.Join(r.config.Endpoints, ","), r.config.Namespace, what, err)
	}
	return nil
}

// notes returns the path of the znode that holds notes.
func (c *Config) notes() string { return c.namespace() + "/" + notesName }

// Claim implements [target.Realm].
func (r *Realm) Claim(ctx context.Context) error {
	return r.do(ctx, "claim", func(conn *zk.Conn) error { return claim(conn, &r.config) })
}

// claim makes the namespace's znode with the mark, or looks for the mark of one
// that is there.
func claim(conn *zk.Conn, config *Config) error {
	path := config.namespace()
	if _, err := conn.Sync(path); err != nil {
		return err
	}
	there, err := marked(conn, config)
	if there || err != nil {
		return err
	}
	_, err = conn.Multi(
		&zk.CreateRequest{Path: path, Data: []byte(target.Mark), Acl: config.acl()},
		&zk.CreateRequest{Path: config.notes(), Data: []byte(target.Mark), Acl: config.acl()},
	)
	switch {
	case errors.Is(err, zk.ErrNodeExists): // somebody else was first
		_, err = marked(conn, config)
		return err
	case errors.Is(err, zk.ErrNoAuth):
		return fmt.Errorf("make znode %q: %w (an administrator may make it, in zkCli: %s)", path, lacking(err, mayCreate, "/"), config.madeBy())
	case err != nil:
		return fmt.Errorf("make znode %q: %w", path, err)
	}
	return nil
}

// madeBy returns the zkCli commands by which an administrator makes the namespace's
// znode for this user.
func (c *Config) madeBy() string {
	if c.Login.IsZero() {
		return fmt.Sprintf("`create %s %s world:anyone:cdrw`", c.namespace(), target.Mark)
	}
	return fmt.Sprintf("`addauth digest %s:<password>` and `create %s %s auth::cdrw`", c.Login.User, c.namespace(), target.Mark)
}

// marked reports whether the namespace's znode is there. One without the mark is
// an error.
func marked(conn *zk.Conn, config *Config) (there bool, err error) {
	data, _, err := conn.Get(config.namespace())
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for the mark: %w", lacking(err, mayRead, config.namespace()))
	case string(data) != target.Mark:
		return true, fmt.Errorf("znode %q is %w: set BENCH_NAMESPACE to another name; or, if it was made for the suite, mark it in zkCli: `set %[1]s %[3]s`",
			config.namespace(), target.ErrForeign, target.Mark)
	}
	return true, nil
}

// Others implements [target.Realm].
func (r *Realm) Others(ctx context.Context) (other string, err error) {
	err = r.do(ctx, "look for znodes of others", func(conn *zk.Conn) error {
		if _, err := conn.Sync("/"); err != nil {
			return err
		}
		names, _, err := conn.Children("/")
		if err != nil {
			return fmt.Errorf("list %q: %w", "/", lacking(err, mayRead, "/"))
		}
		for _, name := range names {
			if name == "zookeeper" { // the servers' own
				continue
			}
			data, _, err := conn.Get("/" + name)
			if err != nil && !errors.Is(err, zk.ErrNoAuth) && !errors.Is(err, zk.ErrNoNode) {
				return fmt.Errorf("read znode %q: %w", "/"+name, err)
			}
			if string(data) != target.Mark && !errors.Is(err, zk.ErrNoNode) {
				other = fmt.Sprintf("znode %q", "/"+name)
				return nil
			}
		}
		return nil
	})
	return other, err
}

// Note implements [target.Realm].
func (r *Realm) Note(ctx context.Context, name string) (text string, err error) {
	err = r.do(ctx, "read a note", func(conn *zk.Conn) error {
		if _, err := conn.Sync(r.config.namespace()); err != nil {
			return err
		}
		data, _, err := conn.Get(r.config.notes() + "/" + name)
		if errors.Is(err, zk.ErrNoNode) {
			return nil
		}
		text = string(data)
		return lacking(err, mayRead, r.config.notes()+"/"+name)
	})
	return text, err
}

// SetNote implements [target.Realm].
func (r *Realm) SetNote(ctx context.Context, name, text string) error {
	return r.do(ctx, "write a note", func(conn *zk.Conn) error {
		path := r.config.notes() + "/" + name
		if text == "" {
			err := conn.Delete(path, -1)
			if errors.Is(err, zk.ErrNoNode) {
				return nil
			}
			return lacking(err, mayDelete, r.config.notes())
		}
		if err := create(conn, r.config.notes(), r.config.acl()); err != nil {
			return err
		}
		if err := create(conn, path, r.config.acl()); err != nil {
			return err
		}
		_, err := conn.Set(path, []byte(text), -1)
		return lacking(err, mayWrite, path)
	})
}

// Close implements [target.Realm].
func (r *Realm) Close() error {
	r.link.close()
	return nil
}
