package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// A dock is what a keeper has on the Docker engine: the containers of a cluster
// and their network. All of it has the cluster's label, which the keeper claims
// before it makes anything; at the end it removes whatever has the label. So it
// doesn't matter at which moment the owner, or the engine's answer, was lost.
type dock struct {
	provider *testcontainers.DockerProvider
	deaths   chan<- event

	claim   *claim // nil as long as nothing is to be removed
	system  System
	network string
	place   vantage

	running  []boxed // started
	watch    context.Context
	unwatch  context.CancelFunc
	watchers sync.WaitGroup
}

// A boxed is a container that was started.
type boxed struct {
	containerOrder
	id string
}

func (b boxed) String() string { return fmt.Sprintf("%s (container %.12s)", b.Name, b.id) }

const (
	engineLimit   = 10 * time.Second // of an engine's first answer
	callLimit     = 2 * time.Minute  // of one call of it, on a slow disk
	registryLimit = 30 * time.Second // of a registry's answer whether it has an image
)

// Labels of containers and networks, for people and for the keeper.
const (
	labelCluster = "kvbench" // a claim
	labelSystem  = "kvbench.system"
	labelHost    = "kvbench.host"
	labelKeeper  = "kvbench.keeper" // process id
)

// newDock returns the keeper's side of the engine, if one answers.
func newDock(ctx context.Context, deaths chan<- event) (*dock, error) {
	type result struct {
		*testcontainers.DockerProvider
		error
	}
	log.SetDefault(log.NewNoopLogger()) // standard error is for what a keeper dies of
	found := make(chan result, 1)
	go func() { // it can't be given up, but it ends with this process
		p, err := testcontainers.NewDockerProvider()
		found <- result{p, err}
	}()
	select {
	case r := <-found:
		if r.error != nil { // a line for each place that was looked at
			return nil, errors.New(strings.ReplaceAll(r.Error(), "\n", "; "))
		}
		if err := asNamed(r.DockerProvider); err != nil {
			return nil, err
		}
		d := &dock{provider: r.DockerProvider, deaths: deaths}
		d.watch, d.unwatch = context.WithCancel(context.Background())
		return d, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(engineLimit):
		return nil, fmt.Errorf("nothing heard of it within %v", engineLimit)
	}
}

// asNamed returns an error if testcontainers has found another engine than the
// named one, as it does if that is not there.
func asNamed(p *testcontainers.DockerProvider) error {
	named, is := os.Getenv("DOCKER_HOST"), p.Client().DaemonHost()
	if named == "" || named == is || p.Config().Config.TestcontainersHost == is {
		return nil
	}
	return fmt.Errorf("DOCKER_HOST %q: no answer, though there is one at %q", named, is)
}

func (d *dock) engine() client.APIClient { return d.provider.Client() }

// begin claims a label for a new cluster, removes what keepers have left that are
// gone, and makes the network.
func (d *dock) begin(ctx context.Context, o networkOrder) (leftovers error, err error) {
	dir, engine, err := d.claims(ctx)
	if err != nil {
		return nil, err
	}
	leftovers = d.sweep(ctx, dir, engine)
	if d.claim, err = newClaim(dir, engine); err != nil {
		return leftovers, err
	}
	d.system = o.System
	return leftovers, d.makeNetwork(ctx)
}

// cpus returns the number of the engine's processors.
func (d *dock) cpus(ctx context.Context) (int, error) {
	info, err := d.engine().Info(ctx, client.InfoOptions{})
	return info.Info.NCPU, err
}

// claims returns the directory of claims, and what the engine is called in them.
func (d *dock) claims(ctx context.Context) (dir, engine string, err error) {
	info, err := d.engine().Info(ctx, client.InfoOptions{})
	if err != nil {
		return "", "", err
	}
	dir, err = claimsDir()
	return dir, info.Info.ID, err
}

func (d *dock) makeNetwork(ctx context.Context) error {
	d.network = fmt.Sprintf("kvbench-%s-%s", d.system, d.claim.label())
	_, err := d.engine().NetworkCreate(ctx, d.network, client.NetworkCreateOptions{Driver: "bridge", Labels: d.labels()})
	if err != nil {
		return err
	}
	made, err := d.engine().NetworkInspect(ctx, d.network, client.NetworkInspectOptions{})
	if err != nil {
		return err
	}
	d.place, err = lookAround(d.engine().DaemonHost())
	for _, c := range made.Network.IPAM.Config {
		d.place.gateway = c.Gateway
	}
	return err
}

func (d *dock) labels() map[string]string {
	host, _ := os.Hostname() // for people only
	return map[string]string{
		labelCluster: d.claim.label(), labelSystem: string(d.system),
		labelHost: host, labelKeeper: fmt.Sprint(os.Getpid()),
	}
}

// stop ends the containers: TERM to all at once, KILL to those that don't end.
// What is left of them is removed. It returns what did not go well.
func (d *dock) stop() error {
	defer d.watchers.Wait()
	defer d.unwatch()
	if d.claim == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace+callLimit)
	defer cancel()
	errs := make([]error, len(d.running))
	var stopping sync.WaitGroup
	for i, b := range d.running {
		stopping.Go(func() { errs[i] = d.stopOne(ctx, b) })
	}
	stopping.Wait()
	if err := d.remove(ctx, d.claim.label()); err != nil {
		return errors.Join(errors.Join(errs...), fmt.Errorf("containers of %s are left, which the next start of any removes: %w", d.system, err))
	}
	return errors.Join(errors.Join(errs...), d.claim.drop())
}

// killed is the exit status of a container that was killed.
const killed = 137

func (d *dock) stopOne(ctx context.Context, b boxed) error {
	before, err := d.engine().ContainerInspect(ctx, b.id, client.ContainerInspectOptions{})
	if err != nil || !before.Container.State.Running {
		return nil // its death was told, or remove tells why the engine doesn't answer
	}
	grace := int(stopGrace.Seconds())
	if _, err := d.engine().ContainerStop(ctx, b.id, client.ContainerStopOptions{Timeout: &grace}); err != nil {
		return fmt.Errorf("%v: stop: %w", b, err)
	}
	after, err := d.engine().ContainerInspect(ctx, b.id, client.ContainerInspectOptions{})
	if err == nil && after.Container.State.ExitCode == killed {
		return fmt.Errorf("%v was killed: it did not end within %v of TERM", b, stopGrace)
	}
	return nil
}

// dockOrder follows an order about containers.
func (k *keeper) dockOrder(o order) error {
	if o == (order{}) {
		return errors.New("an order without content")
	}
	if k.dock == nil {
		var err error
		if k.dock, err = newDock(k.wanted, k.deaths); err != nil {
			return err
		}
	}
	done := event{Kind: connected}
	var err error
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	switch {
	case o.Engine != nil:
		done.CPUs, err = k.dock.cpus(ctx)
	case o.Image != nil:
		done.Kind, err = k.dock.findImage(k.wanted, *o.Image)
	case o.Network != nil:
		done.Kind = made
		var leftovers error
		if leftovers, err = k.dock.begin(ctx, *o.Network); leftovers != nil {
			k.tell(event{Kind: trouble, Text: leftovers.Error()})
		}
	case o.Sweep != nil:
		done.Kind = swept
		var dir, engine string
		if dir, engine, err = k.dock.claims(ctx); err == nil {
			err = k.dock.sweep(ctx, dir, engine)
		}
	case o.Container != nil:
		done.Kind = started
		done.Container, err = k.dock.start(ctx, *o.Container)
	}
	if err == nil {
		k.tell(done)
	}
	return err
}
