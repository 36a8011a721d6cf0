package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// process is the source of servers that the suite installs and runs itself, on
// loopback, in processes that a keeper owns.
type process struct {
	spec   Spec
	recipe recipe
	entry  string // of the cache
	notice string // see Source.Notice
}

const (
	starts     = 3               // attempts to start, if a port is taken in the moment between finding it free and the server's use of it
	readyLimit = 3 * time.Minute // from the first start to readiness of all servers; a Cassandra of three nodes takes half a minute alone on two cores
	closeLimit = time.Minute     // of stopping servers that did not become ready
)

// findProcess returns the process source, or an error that says what it lacks.
func findProcess(spec Spec) (*process, error) {
	r, ok := recipeOf(spec.System)
	if !ok {
		return nil, spec.System.none(spec.System.aim())
	}
	if spec.Version == "" {
		spec.Version = r.version
	}
	spec.Nodes = max(spec.Nodes, 1)
	entry, err := cacheEntry(spec.System, spec.Version, r)
	if err != nil {
		return nil, err
	}
	if err := missingTool(r.tools, cached(entry)); err != nil {
		return nil, spec.System.none(fmt.Sprintf("%v, or %s", err, spec.System.aim()))
	}
	return &process{spec: spec, recipe: r, entry: entry}, nil
}

// recipeOf returns the recipe of a system, if there is one.
func recipeOf(s System) (recipe, bool) {
	switch s {
	case Cassandra:
		return cassandraRecipe(), true
	case Consul:
		return consulRecipe(), true
	case Etcd:
		return etcdRecipe(), true
	case ZooKeeper:
		return zookeeperRecipe(), true
	}
	return recipe{}, false
}

func (p *process) Kind() string          { return "process" }
func (p *process) Version() string       { return p.spec.Version }
func (p *process) Nodes() int            { return p.spec.Nodes }
func (p *process) Settings() [][2]string { return p.recipe.settings(p.spec.Nodes) }

// Notice says why there are no containers, and which settings have no effect.
func (p *process) Notice() string {
	var notices []string
	if p.notice != "" {
		notices = append(notices, p.notice)
	}
	if p.spec.CPUs > 0 || p.spec.Memory > 0 {
		notices = append(notices, "BENCH_CPUS and BENCH_MEMORY are for containers: processes may use all there is")
	}
	return strings.Join(notices, "; ")
}

// Start installs the servers, unless they are in the cache, and starts them.
// The installation takes as long as ctx allows.
func (p *process) Start(ctx context.Context) (*Cluster, error) {
	if err := p.install(ctx); err != nil {
		return nil, fmt.Errorf("%s %s: install: %w", p.spec.System, p.spec.Version, err)
	}
	ctx, cancel := readyContext(ctx)
	defer cancel()
	for attempt := 1; ; attempt++ {
		c := &Cluster{System: p.spec.System, Kind: p.Kind(), Version: p.spec.Version}
		err := launch(ctx, c, p.run)
		if err == nil {
			return c, nil
		}
		if attempt == starts || !portTaken.MatchString(err.Error()) {
			return nil, fmt.Errorf("%s %s: start: %w", p.spec.System, p.spec.Version, err)
		}
	}
}

// install makes sure that the cache has the servers, and tells a person if that
// takes long.
func (p *process) install(ctx context.Context) error {
	announce := func(format string, args ...any) {
		if p.spec.Announce != nil {
			p.spec.Announce(fmt.Sprintf("%s %s: ", p.spec.System, p.spec.Version) + fmt.Sprintf(format, args...))
		}
	}
	waiting := func() { announce("waiting for another process that is installing it") }
	return fill(ctx, p.entry, waiting, func(at site) error {
		announce("installing the server for the first time, which takes %s", p.recipe.takes)
		return p.recipe.install(ctx, p.spec.Version, at)
	})
}

// readyContext limits what servers that are installed need to become ready.
func readyContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, readyLimit, fmt.Errorf("not ready within %v", readyLimit))
}

// launch gives c a keeper and has run start its servers. If that fails, nothing
// is left of them, and the error has the last lines of their logs, unless it was the
// caller who didn't want them any more.
func launch(ctx context.Context, c *Cluster, run func(context.Context, *Cluster) error) error {
	exe, err := self()
	if err != nil {
		return err
	}
	if c.owner, err = newOwner(exe); err != nil {
		return err
	}
	if err = run(ctx, c); err == nil {
		return nil
	}
	wanted := !errors.Is(ctx.Err(), context.Canceled)
	if logs := c.Logs(failureLines); wanted && c.Err() == nil && logs != "" { // else the error has the log that matters
		err = fmt.Errorf("%w\n%s", err, strings.TrimRight(logs, "\n"))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	return errors.Join(err, c.owner.close(ctx))
}

// run makes c a running cluster, on ports that were free a moment ago.
func (p *process) run(ctx context.Context, c *Cluster) error {
	parent, err := p.spec.dataParent()
	if err != nil {
		return err
	}
	base, err := c.owner.makeDir(parent, "kvbench-"+string(p.spec.System)+"-")
	if err != nil {
		return err
	}
	if err := c.owner.use(p.entry); err != nil {
		return err
	}
	ports, err := reserve(p.recipe.hosts, p.spec.Nodes, p.recipe.ports)
	if err != nil {
		return err
	}
	cmds, err := p.prepare(base, ports)
	if err := errors.Join(err, ports.release()); err != nil {
		return err
	}
	for i, cmd := range cmds {
		if err := c.startServer(base, i, cmd); err != nil {
			return err
		}
		if p.recipe.parallel {
			continue
		}
		if err := c.awaitAccept(ctx, cmd.endpoint); err != nil {
			return err
		}
	}
	for _, ep := range c.Endpoints() { // cheaper to wait for than a driver's connections
		if err := c.awaitAccept(ctx, ep); err != nil {
			return err
		}
	}
	return c.awaitReady(ctx, p.spec.Ready)
}

// prepare makes the nodes' directories and returns their commands.
func (p *process) prepare(base string, ports *reservation) ([]command, error) {
	in := installation{dir: p.entry, version: p.spec.Version}
	for i := range p.spec.Nodes {
		dir := filepath.Join(base, nodeHost(i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		in.nodes = append(in.nodes, node{dir: dir, host: ports.hosts[i], ports: ports.ports[i]})
	}
	cmds, err := p.recipe.commands(in)
	if err != nil || p.spec.Customize == nil {
		return cmds, err
	}
	for i := range cmds {
		if cmds[i].argv, err = p.spec.Customize(i, in.nodes[i].dir, cmds[i].argv); err != nil {
			return nil, fmt.Errorf("customize node %d: %w", i+1, err)
		}
	}
	return cmds, nil
}

// startServer starts the server with index i and adds it to c.
func (c *Cluster) startServer(base string, i int, cmd command) error {
	o := startOrder{
		Name:    c.nodeName(i),
		Argv:    cmd.argv,
		Env:     append(basicEnv(), cmd.env...),
		Dir:     filepath.Join(base, nodeHost(i)),
		LogFile: logFile(base, i),
	}
	pid, err := c.owner.start(o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	c.Servers = append(c.Servers, Server{Endpoint: cmd.endpoint, PID: pid, LogFile: o.LogFile})
	return nil
}
