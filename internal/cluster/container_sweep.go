package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// How a dock removes what has a cluster's label.

// sweep removes what is left under claims whose keepers are gone.
func (d *dock) sweep(ctx context.Context, dir, engine string) error {
	claims, err := abandoned(dir, engine)
	for _, c := range claims {
		if e := d.remove(ctx, c.label()); e != nil {
			err = errors.Join(err, fmt.Errorf("what an earlier run left is still there, label %s=%s: %w", labelCluster, c.label(), e), c.file.Close())
			continue
		}
		err = errors.Join(err, c.drop())
	}
	return err
}

// remove removes all containers with the label, their volumes, and the network.
// It looks again until there is none: the engine may still be at something that
// it was asked for.
func (d *dock) remove(ctx context.Context, label string) error {
	filters := make(client.Filters).Add("label", labelCluster+"="+label)
	for {
		found, err := d.engine().ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
		if err != nil {
			return err
		}
		if len(found.Items) == 0 {
			return d.removeNetworks(ctx, filters)
		}
		if err := d.removeAll(ctx, found.Items); err != nil {
			return err
		}
	}
}

func (d *dock) removeAll(ctx context.Context, found []container.Summary) error {
	var err error
	for _, c := range found {
		_, e := d.engine().ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{RemoveVolumes: true, Force: true})
		if !isGone(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

func (d *dock) removeNetworks(ctx context.Context, filters client.Filters) error {
	found, err := d.engine().NetworkList(ctx, client.NetworkListOptions{Filters: filters})
	for _, n := range found.Items {
		_, e := d.engine().NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
		if !isGone(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// isGone reports whether nothing is wrong, or that something isn't there.
func isGone(err error) bool { return err == nil || errdefs.IsNotFound(err) }
