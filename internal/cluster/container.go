package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// containers is the source of servers in containers of one image, on a network of
// their own. The keeper makes and removes them: see container_keeper.go.
type containers struct {
	spec   Spec
	boxing boxing
	image  string
	local  bool // whether the engine had the image when we asked
}

// What keeps a system from running in containers here.
var (
	errNoEngine = errors.New("no Docker engine answers")
	errNoImage  = errors.New("no image")
)

// findContainers returns the container source. It asks the engine for the image,
// and the image's registry if the engine hasn't got it; nothing is pulled yet. An
// error wraps errNoEngine or errNoImage if containers are not to be had here.
func findContainers(ctx context.Context, spec Spec) (*containers, error) {
	spec.Nodes = max(spec.Nodes, 1)
	s := &containers{spec: spec, boxing: boxingOf(spec.System), image: spec.image()}
	exe, err := self()
	if err != nil {
		return nil, err
	}
	own, err := newOwner(exe)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, own.hangUp)
	defer stop()
	s.local, err = s.look(own)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return s, errors.Join(err, own.close(context.WithoutCancel(ctx)))
}

// look asks the engine for what the servers need of it.
func (s *containers) look(own *owner) (local bool, err error) {
	cpus, err := own.engine()
	if err != nil {
		return false, err
	}
	if s.spec.CPUs > float64(cpus) {
		return false, fmt.Errorf("BENCH_CPUS \"%v\": the Docker engine has only %d", s.spec.CPUs, cpus)
	}
	return own.findImage(s.image)
}

func (s *containers) Kind() string    { return "container" }
func (s *containers) Version() string { return imageVersion(s.image) }
func (s *containers) Nodes() int      { return s.spec.Nodes }

// Notice says which setting has no effect.
func (s *containers) Notice() string {
	if s.spec.DataDir == "" {
		return ""
	}
	return "BENCH_DATA_DIR is for processes: the data of containers are in volumes of the Docker engine"
}

// Settings are the servers' and the containers'.
func (s *containers) Settings() [][2]string {
	own := append([][2]string{{"image", s.image}}, s.limits().settings()...)
	return append(own, s.boxing.settings(s.spec.Nodes, s.limits())...)
}

func (s *containers) limits() limits { return limits{s.spec.CPUs, s.spec.Memory} }

// Start pulls the image, unless the engine has it, and starts the servers. The
// pull takes as long as ctx allows.
func (s *containers) Start(ctx context.Context) (*Cluster, error) {
	c := &Cluster{System: s.spec.System, Kind: s.Kind(), Version: s.Version(), Translate: map[string]string{}}
	if err := launch(ctx, c, s.run); err != nil {
		return nil, fmt.Errorf("%s in %s: start: %w", s.spec.System, s.image, err)
	}
	return c, nil
}

// run makes c a running cluster.
func (s *containers) run(ctx context.Context, c *Cluster) error {
	parent, err := s.spec.dataParent()
	if err != nil {
		return err
	}
	logs, err := c.owner.makeDir(parent, "kvbench-"+string(s.spec.System)+"-")
	if err != nil {
		return err
	}
	if err := s.pull(ctx, c.owner); err != nil {
		return err
	}
	ctx, cancel := readyContext(ctx)
	defer cancel()
	boxes, err := s.boxing.boxes(s.spec.Nodes, s.limits())
	if err != nil {
		return err
	}
	if _, err := c.owner.ask(order{Network: &networkOrder{System: s.spec.System}}, made); err != nil {
		return err
	}
	for i, b := range boxes {
		if err := c.startContainer(s.order(b, i, logs)); err != nil {
			return err
		}
		if s.boxing.parallel {
			continue
		}
		if err := c.awaitOpen(ctx, c.Servers[i].Endpoint); err != nil {
			return err
		}
	}
	for _, ep := range c.Endpoints() { // cheaper to wait for than a driver's connections
		if err := c.awaitOpen(ctx, ep); err != nil {
			return err
		}
	}
	return c.awaitReady(ctx, s.spec.Ready)
}

// pull makes sure that the engine has the image, and tells a person if that takes
// long.
func (s *containers) pull(ctx context.Context, own *owner) error {
	if s.local {
		return nil
	}
	if s.spec.Announce != nil {
		s.spec.Announce(fmt.Sprintf("%s: pulling %s, which may take minutes", s.spec.System, s.image))
	}
	stop := context.AfterFunc(ctx, own.hangUp)
	defer stop()
	_, err := own.ask(order{Image: &imageOrder{Name: s.image, Pull: true}}, imageHere)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// order returns what the keeper is to make of the container with index i.
func (s *containers) order(b box, i int, logs string) containerOrder {
	return containerOrder{
		Name:    nodeName(s.spec.System, i),
		Host:    nodeHost(i),
		Image:   s.image,
		Env:     b.env,
		Cmd:     b.cmd,
		Files:   b.files,
		Port:    s.boxing.port,
		Data:    s.boxing.data,
		CPUs:    s.spec.CPUs,
		Memory:  s.spec.Memory,
		LogFile: logFile(logs, i),
	}
}

// startContainer starts a server and adds it to c.
func (c *Cluster) startContainer(o containerOrder) error {
	e, err := c.owner.ask(order{Container: &o}, started)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	if e.Container.Endpoint == "" { // it has ended already
		<-c.Died()
		return c.Err()
	}
	c.Servers = append(c.Servers, Server{Endpoint: e.Container.Endpoint, Container: e.Container.ID, LogFile: o.LogFile})
	c.Translate[e.Container.Inside] = e.Container.Endpoint
	return nil
}

// awaitOpen waits until a server accepts connections behind a port that the
// engine has mapped. The engine accepts some for a server that doesn't listen
// yet, and closes them at once; no server that we know speaks first.
func (c *Cluster) awaitOpen(ctx context.Context, endpoint string) error {
	const silence = 200 * time.Millisecond
	return c.retry(ctx, func(ctx context.Context) error {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return err
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil && !isTimeout(err) {
			return fmt.Errorf("%s: nobody listens yet: %w", endpoint, err)
		}
		return nil
	})
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
