package consul

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// markKey is the key of a namespace's mark, below the namespace. Notes are below it.
const markKey = ".kvbench"

// A Realm is the key prefix that holds all tables, with the key of its mark.
type Realm struct {
	config Config
	link   *link
}

var _ target.Realm = (*Realm)(nil)

// OpenRealm connects to the first server that answers.
func OpenRealm(ctx context.Context, config Config) (*Realm, error) {
	if config.Table == "" {
		config.Table = markKey // of no interest
	}
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	l, err := target.OpenAny(config.Endpoints, func(endpoint string) (*link, error) { return dial(ctx, config, endpoint) })
	if err != nil {
		return nil, err
	}
	return &Realm{config, l}, nil
}

// prefix returns what all keys of the namespace begin with.
func (r *Realm) prefix() string { return r.config.Namespace + "/" }

// mark returns the key of the namespace's mark.
func (r *Realm) mark() string { return r.prefix() + markKey }

func (r *Realm) errorf(ctx context.Context, what string, err error) error {
	return fmt.Errorf("consul at %s: namespace %q: %s: %w", r.link.endpoint, r.config.Namespace, what, r.config.wrap(ctx, err))
}

// foreign is the error for a namespace without the mark.
func (r *Realm) foreign() error {
	return fmt.Errorf("consul at %s: there are keys below %q, %w: set BENCH_NAMESPACE to another name; or, if they were made for the suite, mark them: consul kv put %s %s",
		r.link.endpoint, r.config.Namespace, target.ErrForeign, r.mark(), target.Mark)
}

// get returns the value of a key, "" if there is none.
func (r *Realm) get(ctx context.Context, key string) (string, error) {
	pair, _, err := r.link.api.KV().Get(key, r.config.query(ctx, api.QueryOptions{RequireConsistent: true}))
	if err != nil || pair == nil {
		return "", err
	}
	return string(pair.Value), nil
}

// keys lists keys with a prefix, up to a separator. Consul leaves out what the token
// may not see, and says so: that is an error.
func (r *Realm) keys(ctx context.Context, prefix, separator string) ([]string, error) {
	keys, meta, err := r.link.api.KV().Keys(prefix, separator, r.config.query(ctx, api.QueryOptions{RequireConsistent: true}))
	if err == nil && meta.ResultsFilteredByACLs {
		err = fmt.Errorf("%w: the token may not see all keys below %q", target.ErrDenied, prefix)
	}
	return keys, err
}

// Claim implements [target.Realm]. Of two that find nothing one sets the mark.
func (r *Realm) Claim(ctx context.Context) error {
	mark, err := r.get(ctx, r.mark())
	if err != nil {
		return r.errorf(ctx, "read the mark", err)
	}
	if mark == target.Mark {
		return nil
	}
	keys, err := r.keys(ctx, r.prefix(), "/") // others may have millions
	if err != nil {
		return r.errorf(ctx, "list keys", err)
	}
	if len(keys) > 0 {
		return r.foreign()
	}
	pair := &api.KVPair{Key: r.mark(), Value: []byte(target.Mark)} // only if there is none: its index is 0
	done, _, err := r.link.api.KV().CAS(pair, r.config.write(ctx))
	if err != nil {
		return r.errorf(ctx, "claim", err)
	}
	if !done {
		return r.Claim(ctx) // somebody else was first, with the mark or without
	}
	return r.alone(ctx)
}

// alone makes sure that there is nothing beside a mark that was set just now, since
// Consul can't set it on that condition. Otherwise it is taken back.
func (r *Realm) alone(ctx context.Context) error {
	keys, err := r.keys(ctx, r.prefix(), "/")
	if err != nil {
		return r.errorf(ctx, "list keys", err)
	}
	if !slices.ContainsFunc(keys, func(key string) bool { return key != r.mark() && key != r.mark()+"/" }) {
		return nil
	}
	if _, err := r.link.api.KV().Delete(r.mark(), r.config.write(ctx)); err != nil {
		return r.errorf(ctx, "take the mark back", err)
	}
	return r.foreign()
}

// Note implements [target.Realm].
func (r *Realm) Note(ctx context.Context, name string) (string, error) {
	text, err := r.get(ctx, r.mark()+"/"+name)
	if err != nil {
		return "", r.errorf(ctx, "read a note", err)
	}
	return text, nil
}

// SetNote implements [target.Realm].
func (r *Realm) SetNote(ctx context.Context, name, text string) (err error) {
	key := r.mark() + "/" + name
	if text == "" {
		_, err = r.link.api.KV().Delete(key, r.config.write(ctx))
	} else {
		_, err = r.link.api.KV().Put(&api.KVPair{Key: key, Value: []byte(text)}, r.config.write(ctx))
	}
	if err != nil {
		return r.errorf(ctx, "write a note", err)
	}
	return nil
}

// Drop implements [target.Realm], in one request.
func (r *Realm) Drop(ctx context.Context) error {
	keys, err := r.keys(ctx, r.prefix(), "/")
	if err != nil {
		return r.errorf(ctx, "list keys", err)
	}
	if len(keys) == 0 {
		return nil
	}
	mark, err := r.get(ctx, r.mark())
	if err != nil {
		return r.errorf(ctx, "read the mark", err)
	}
	if mark != target.Mark || !slices.Contains(keys, r.mark()) {
		return r.foreign()
	}
	if _, err := r.link.api.KV().DeleteTree(r.prefix(), r.config.write(ctx)); err != nil {
		return r.errorf(ctx, "remove", err)
	}
	return nil
}

// Close implements [target.Realm].
func (r *Realm) Close() error {
	r.link.close()
	return nil
}

// claim claims the namespace of config over a link.
func claim(ctx context.Context, config Config, l *link) error {
	return (&Realm{config, l}).Claim(ctx)
}
