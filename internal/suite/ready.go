package suite

import (
	"context"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
)

// Ready returns what shows that servers of a system do what they are for, for a
// cluster.Spec whose servers are started and not measured. It leaves them as empty
// as they were.
func Ready(system cluster.System, s *setting.Settings) func(context.Context, *cluster.Cluster) error {
	a := adapterOf(system, s, reach{})
	return func(ctx context.Context, c *cluster.Cluster) error {
		if err := a.ready(ctx, placeOf(c)); err != nil {
			return err
		}
		realm, err := a.realm(ctx, placeOf(c))
		if err != nil {
			return err
		}
		defer realm.Close()
		return realm.Drop(ctx)
	}
}
