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
