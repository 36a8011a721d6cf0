package consul

import (
	"context"
	"fmt"

	"github.com/hashicorp/consul/api"
)

// Count asks the servers for the list of the store's keys and counts them;
// Consul has no other way. It takes the memory of all keys.
func (s *Store) Count(ctx context.Context) (int64, error) {
	opts := (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx)
	keys, _, err := s.admin.api.KV().Keys(s.config.prefix(), "", opts)
	if err != nil {
		return 0, fmt.Errorf("consul: count %q: %w", s.config.prefix(), wrap(ctx, err))
	}
	return int64(len(keys)), nil
}

// Clear deletes the store's keys, in one request.
func (s *Store) Clear(ctx context.Context) error {
	opts := new(api.WriteOptions).WithContext(ctx)
	if _, err := s.admin.api.KV().DeleteTree(s.config.prefix(), opts); err != nil {
		return fmt.Errorf("consul: clear %q: %w", s.config.prefix(), wrap(ctx, err))
	}
	return nil
}

// Ready writes, reads and deletes a key below the namespace, through each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	for _, ep := range config.Endpoints {
		l, err := newLink(config, ep)
		if err != nil {
			return err
		}
		err = ready(ctx, l.api.KV(), config.Namespace+"/.ready/"+ep)
		l.close()
		if err != nil {
			return fmt.Errorf("consul at %s: %w", ep, err)
		}
	}
	return nil
}

func ready(ctx context.Context, kv *api.KV, key string) error {
	write := new(api.WriteOptions).WithContext(ctx)
	if _, err := kv.Put(&api.KVPair{Key: key, Value: []byte(key)}, write); err != nil {
		return fmt.Errorf("put %q: %w", key, wrap(ctx, err))
	}
	pair, _, err := kv.Get(key, (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx))
	if err != nil {
		return fmt.Errorf("get %q: %w", key, wrap(ctx, err))
	}
	if pair == nil {
		return fmt.Errorf("key %q isn't there after its put", key)
	}
	if _, err := kv.Delete(key, write); err != nil {
		return fmt.Errorf("delete %q: %w", key, wrap(ctx, err))
	}
	return nil
}
