package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/target"
)

// markKey is the key of a namespace's mark, below the namespace. Notes are below it.
const markKey = ".kvbench"

// A Realm is the key prefix that holds all tables, with the key of its mark.
type Realm struct {
	config Config
	conn   *clientv3.Client
}

var _ target.Realm = (*Realm)(nil)

// OpenRealm connects to the first server.
func OpenRealm(ctx context.Context, config Config) (*Realm, error) {
	if config.Table == "" {
		config.Table = markKey // of no interest
	}
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, config, config.Endpoints[0])
	if err != nil {
		return nil, err
	}
	return &Realm{config, conn}, nil
}

// prefix returns what all keys of the namespace begin with.
func (r *Realm) prefix() string { return r.config.Namespace + "/" }

// mark returns the key of the namespace's mark.
func (r *Realm) mark() string { return r.prefix() + markKey }

// Claim implements [target.Realm]. That there is nothing and that the mark is set
// is one transaction.
func (r *Realm) Claim(ctx context.Context) error {
	none := clientv3.Compare(clientv3.CreateRevision(r.prefix()), "=", 0).WithPrefix()
	resp, err := r.conn.Txn(ctx).If(none).
		Then(clientv3.OpPut(r.mark(), target.Mark)).
		Else(clientv3.OpGet(r.mark())).Commit()
	if err != nil {
		return r.errorf("claim", wrap(ctx, err))
	}
	if resp.Succeeded {
		return nil
	}
	if kvs := resp.Responses[0].GetResponseRange().Kvs; len(kvs) == 0 || string(kvs[0].Value) != target.Mark {
		return r.foreign()
	}
	return nil
}

// foreign is the error for a namespace without the mark.
func (r *Realm) foreign() error {
	return fmt.Errorf("etcd: there are keys below %q, %w: set BENCH_NAMESPACE to another name; or, if they were made for the suite, mark them: etcdctl put %s %s",
		r.config.Namespace, target.ErrForeign, r.mark(), target.Mark)
}

func (r *Realm) errorf(what string, err error) error {
	return fmt.Errorf("etcd: namespace %q: %s: %w", r.config.Namespace, what, explain(r.config, err))
}

// Others implements [target.Realm]. Keys below prefixes that the suite has marked
// are passed over without being listed.
func (r *Realm) Others(ctx context.Context) (string, error) {
	for from := "\x00"; ; { // the first key that there can be
		resp, err := r.conn.Get(ctx, from, clientv3.WithFromKey(), clientv3.WithKeysOnly(), clientv3.WithLimit(1))
		if err != nil {
			return "", r.errorf("look for keys of others", wrap(ctx, err))
		}
		if len(resp.Kvs) == 0 {
			return "", nil
		}
		key := string(resp.Kvs[0].Key)
		first, _, _ := strings.Cut(key, "/")
		marked, err := r.conn.Get(ctx, first+"/"+markKey)
		if err != nil {
			return "", r.errorf("look for keys of others", wrap(ctx, err))
		}
		if len(marked.Kvs) == 0 || string(marked.Kvs[0].Value) != target.Mark {
			return fmt.Sprintf("key %q", key), nil
		}
		from = clientv3.GetPrefixRangeEnd(first + "/")
	}
}

// Note implements [target.Realm].
func (r *Realm) Note(ctx context.Context, name string) (string, error) {
	resp, err := r.conn.Get(ctx, r.mark()+"/"+name)
	if err != nil {
		return "", r.errorf("read a note", wrap(ctx, err))
	}
	if len(resp.Kvs) == 0 {
		return "", nil
	}
	return string(resp.Kvs[0].Value), nil
}

// SetNote implements [target.Realm].
func (r *Realm) SetNote(ctx context.Context, name, text string) (err error) {
	if text == "" {
		_, err = r.conn.Delete(ctx, r.mark()+"/"+name)
	} else {
		_, err = r.conn.Put(ctx, r.mark()+"/"+name, text)
	}
	if err != nil {
		return r.errorf("write a note", wrap(ctx, err))
	}
	return nil
}

// Drop implements [target.Realm]. The mark goes last, so that what an interrupted
// Drop leaves is still known as the suite's.
func (r *Realm) Drop(ctx context.Context) error {
	resp, err := r.conn.Get(ctx, r.mark())
	if err != nil {
		return r.errorf("read the mark", wrap(ctx, err))
	}
	if len(resp.Kvs) == 0 || string(resp.Kvs[0].Value) != target.Mark {
		return r.dropUnmarked(ctx)
	}
	end := clientv3.GetPrefixRangeEnd(r.prefix())
	for _, part := range []struct{ from, to string }{{r.prefix(), r.mark()}, {r.mark() + "\x00", end}, {r.mark(), end}} {
		if err := deleteRange(ctx, r.conn, part.from, part.to); err != nil {
			return r.errorf("remove", err)
		}
	}
	return nil
}

// dropUnmarked is Drop without a mark: all is well if there is nothing.
func (r *Realm) dropUnmarked(ctx context.Context) error {
	resp, err := r.conn.Get(ctx, r.prefix(), clientv3.WithPrefix(), clientv3.WithCountOnly())
	switch {
	case err != nil:
		return r.errorf("count keys", wrap(ctx, err))
	case resp.Count > 0:
		return r.foreign()
	}
	return nil
}

// Close implements [target.Realm].
func (r *Realm) Close() error {
	if err := r.conn.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("etcd: close: %w", err)
	}
	return nil
}

// claim claims the namespace of config on a connection.
func claim(ctx context.Context, config Config, conn *clientv3.Client) error {
	return (&Realm{config, conn}).Claim(ctx)
}
