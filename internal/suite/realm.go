package suite

import (
	"context"
	"fmt"

	"kvbench/internal/target"
)

// inRealm calls do with the realm of a named cluster.
func (sys *System) inRealm(ctx context.Context, do func(context.Context, target.Realm) error) error {
	ctx, cancel := tableLimit(ctx, clearAtLeast)
	defer cancel()
	realm, err := sys.adapter.realm(ctx, place{endpoints: sys.endpoints})
	if err != nil {
		return err
	}
	defer realm.Close()
	return do(ctx, realm)
}

// claim makes the namespace on a named cluster the suite's.
func (sys *System) claim(ctx context.Context) error {
	err := sys.inRealm(ctx, func(ctx context.Context, r target.Realm) error { return r.Claim(ctx) })
	sys.claimed = err == nil
	return err
}

// leave removes everything that the suite wrote to a named cluster, unless it is
// to be kept. A cluster that then wasn't ready has the mark at least.
func (sys *System) leave() error {
	if !sys.claimed || sys.suite.settings.Bench.Keep {
		return nil
	}
	err := sys.inRealm(context.Background(), func(ctx context.Context, r target.Realm) error { return r.Drop(ctx) })
	if err != nil {
		return fmt.Errorf("%s: what the suite wrote, below %q, could not be removed: %w", sys.Name, sys.suite.settings.Bench.Namespace, err)
	}
	return nil
}
