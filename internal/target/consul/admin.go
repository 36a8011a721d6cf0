package consul

import (
	"context"
	"fmt"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// Count asks the servers for the list of the store's keys and counts them;
// Consul has no other way. It takes the memory of all keys.
//
// Consul leaves out what the token may not read. It says so, unless there is no
// token: but then, too, who may write a key may read it.
func (s *Store) Count(ctx context.Context) (int64, error) {
	keys, meta, err := s.admin.api.KV().Keys(s.config.prefix(), "", s.config.query(ctx, api.QueryOptions{RequireConsistent: true}))
	if err == nil && meta.ResultsFilteredByACLs { // a count of some would be taken for lost rows
		err = fmt.Errorf("%w: the token may not see all keys", target.ErrDenied)
	}
	if err != nil {
		return 0, fmt.Errorf("consul: count %q: %w", s.config.prefix(), s.config.wrap(ctx, err))
	}
	return int64(len(keys)), nil
}

// Clear deletes the store's keys, in one request.
func (s *Store) Clear(ctx context.Context) error {
	if _, err := s.admin.api.KV().DeleteTree(s.config.prefix(), s.config.write(ctx)); err != nil {
		return fmt.Errorf("consul: clear %q: %w", s.config.prefix(), s.config.wrap(ctx, err))
	}
	return nil
}
