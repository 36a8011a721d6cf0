package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kvbench/internal/target"
)

// A Realm is the key prefix that holds all tables, with the key of its mark.
type Realm struct {
	config Config
	conn   *clientv3.Client
}

var _ target.Realm = (*Realm)(nil)

// OpenRealm connects to the first server that answers.
func OpenRealm(ctx context.Context, config Config) (*Realm, error) {
	if config.Table == "" {
		config.Table = ".kvbench" // of no interest
	}
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	conn, err := target.OpenAny(config.Endpoints, func(endpoint string) (*clientv3.Client, error) {
		return dial(ctx, config, newLogin(config.Login), endpoint)
	})
	if err != nil {
		return nil, err
	}
	return &Realm{config, conn}, nil
}

// prefix returns what all keys of the namespace begin with.
func (r *Realm) prefix() string { return r.config.Namespace + "/" }

// Claim implements [target.Realm].
func (r *Realm) Claim(ctx context.Context) error {
	marked, first, err := r.look(ctx)
	switch {
	case err != nil || marked:
		return err
	case first != "":
		return r.foreign(first)
	}
	// Somebody may have come between: that there is nothing still, and that the
	// mark is set, is one transaction.
	nothing := clientv3.Compare(clientv3.CreateRevision(r.prefix()), "=", 0).WithPrefix()
	set, err := r.conn.Txn(ctx).If(nothing).Then(clientv3.OpPut(r.config.mark(), target.Mark)).Commit()
	if err != nil {
		return r.wrap(ctx, "set the mark", err)
	}
	if set.Succeeded {
		return nil
	}
	if marked, first, err = r.look(ctx); err == nil && !marked {
		return r.foreign(first)
	}
	return err
}

// look reports whether the namespace is marked, and the first of its keys, ""
// if there is none. Others may have millions in it.
func (r *Realm) look(ctx context.Context) (marked bool, first string, err error) {
	resp, err := r.conn.Txn(ctx).Then(
		clientv3.OpGet(r.config.mark()),
		clientv3.OpGet(r.prefix(), clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(1)),
	).Commit()
	if err != nil {
		return false, "", r.wrap(ctx, "read the mark", err)
	}
	mark, keys := resp.Responses[0].GetResponseRange().Kvs, resp.Responses[1].GetResponseRange().Kvs
	if len(keys) == 0 {
		return false, "", nil
	}
	return isMark(mark), string(keys[0].Key), nil
}

// isMark reports whether what was found at a mark's key is one.
func isMark(kvs []*mvccpb.KeyValue) bool { return len(kvs) == 1 && string(kvs[0].Value) == target.Mark }

// foreign is the error for a namespace that has keys, the first of which is given,
// and no mark.
func (r *Realm) foreign(key string) error {
	return fmt.Errorf("etcd: namespace %q: key %q in it was %w: set BENCH_NAMESPACE to another name, or mark what is for the suite: etcdctl put %s %s",
		r.config.Namespace, key, target.ErrForeign, r.config.mark(), target.Mark)
}

func (r *Realm) wrap(ctx context.Context, what string, err error) error {
	return fmt.Errorf("etcd: namespace %q: %s: %w", r.config.Namespace, what, r.config.explain(ctx, err))
}

// Others implements [target.Realm]. Namespaces that are marked are passed over
// without being listed.
func (r *Realm) Others(ctx context.Context) (string, error) {
	for from := "\x00"; ; { // the first key that there can be
		resp, err := r.conn.Get(ctx, from, clientv3.WithFromKey(), clientv3.WithKeysOnly(), clientv3.WithLimit(1))
		if err != nil {
			return "", r.unseen(ctx, err)
		}
		if len(resp.Kvs) == 0 {
			return "", nil
		}
		key := string(resp.Kvs[0].Key)
		namespace, _, below := strings.Cut(key, "/")
		marked, err := r.conn.Get(ctx, Config{Namespace: namespace}.mark())
		if err != nil {
			return "", r.unseen(ctx, err)
		}
		if !below || !isMark(marked.Kvs) {
			return fmt.Sprintf("key %q", key), nil
		}
		from = clientv3.GetPrefixRangeEnd(namespace + "/")
	}
}

// unseen is the error of a user who may not see the keys of others.
func (r *Realm) unseen(ctx context.Context, err error) error {
	if err = wrap(ctx, err); errors.Is(err, target.ErrDenied) {
		err = fmt.Errorf("%w: the user would need: etcdctl role grant-permission <role> --prefix=true read ''", err)
	}
	return fmt.Errorf("etcd: look for keys of others: %w", err)
}

// Note implements [target.Realm].
func (r *Realm) Note(ctx context.Context, name string) (string, error) {
	resp, err := r.conn.Get(ctx, r.config.mark()+"/"+name)
	if err != nil {
		return "", r.wrap(ctx, "read a note", err)
	}
	if len(resp.Kvs) == 0 {
		return "", nil
	}
	return string(resp.Kvs[0].Value), nil
}

// SetNote implements [target.Realm].
func (r *Realm) SetNote(ctx context.Context, name, text string) (err error) {
	if text == "" {
		_, err = r.conn.Delete(ctx, r.config.mark()+"/"+name)
	} else {
		_, err = r.conn.Put(ctx, r.config.mark()+"/"+name, text)
	}
	if err != nil {
		return r.wrap(ctx, "write a note", err)
	}
	return nil
}

// Drop implements [target.Realm]. Notes go first, as they tell of the rest, and the
// mark goes last: what an interrupted Drop leaves is known as the suite's.
func (r *Realm) Drop(ctx context.Context) error {
	marked, first, err := r.look(ctx)
	switch {
	case err != nil || first == "":
		return err
	case !marked:
		return r.foreign(first)
	}
	all, mark, notes := r.prefix(), r.config.mark(), r.config.mark()+"/"
	for _, part := range [][2]string{
		{notes, clientv3.GetPrefixRangeEnd(notes)},
		{all, mark}, {mark + "\x00", clientv3.GetPrefixRangeEnd(all)},
		{mark, mark + "\x00"},
	} {
		if err := r.config.deleteRange(ctx, r.conn, part[0], part[1]); err != nil {
			return r.wrap(ctx, "remove", err)
		}
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
