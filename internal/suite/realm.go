package suite

import (
	"context"
	"fmt"

	"kvbench/internal/target"
)

// openRealm opens the namespace on a named cluster.
func (sys *System) openRealm(ctx context.Context) (target.Realm, error) {
	return sys.adapter.realm(ctx, place{endpoints: sys.endpoints})
}

// inRealm calls do with the realm of a named cluster.
func (sys *System) inRealm(ctx context.Context, do func(context.Context, target.Realm) error) error {
	ctx, cancel := tableLimit(ctx, clearAtLeast)
	defer cancel()
	realm, err := sys.openRealm(ctx)
	if err != nil {
		return err
	}
	defer realm.Close()
	return do(ctx, realm)
}

// enter makes the namespace on a named cluster the suite's, and this run's alone.
func (sys *System) enter(ctx context.Context) (err error) {
	ctx, cancel := tableLimit(ctx, clearAtLeast)
	defer cancel()
	realm, err := sys.openRealm(ctx)
	if err != nil {
		return err
	}
	if err = realm.Claim(ctx); err == nil {
		sys.turn, err = takeTurn(ctx, realm, sys.openRealm, func(line string) { sys.suite.progress.Announce(string(sys.Name) + ": " + line) })
	}
	if err != nil {
		realm.Close()
	}
	return err
}

// leave removes everything that the suite wrote to a named cluster, unless it is
// to be kept. A cluster that then wasn't ready has the mark at least.
func (sys *System) leave() error {
	if sys.turn == nil {
		return nil
	}
	ctx, cancel := tableLimit(context.Background(), clearAtLeast)
	defer cancel()
	if err := sys.turn.end(ctx, sys.suite.settings.Bench.Keep); err != nil {
		return fmt.Errorf("%s: what the suite wrote, below %q, could not be removed: %w", sys.Name, sys.suite.settings.Bench.Namespace, err)
	}
	return nil
}
