package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// What a dock does to bring a container into being.

// findImage returns where the image is: imageHere or imageThere, in its registry.
func (d *dock) findImage(ctx context.Context, o imageOrder) (eventKind, error) {
	_, err := d.engine().ImageInspect(ctx, o.Name)
	if err == nil || !errdefs.IsNotFound(err) {
		return imageHere, err
	}
	login := registryLogin(ctx, o.Name)
	if !o.Pull {
		ctx, cancel := context.WithTimeout(ctx, registryLimit)
		defer cancel()
		_, err := d.engine().DistributionInspect(ctx, o.Name, client.DistributionInspectOptions{EncodedRegistryAuth: login})
		return imageThere, err
	}
	pull, err := d.engine().ImagePull(ctx, o.Name, client.ImagePullOptions{RegistryAuth: login})
	if err != nil {
		return imageHere, err
	}
	return imageHere, pull.Wait(ctx)
}

// registryLogin returns what the engine is to show the image's registry, as
// "docker login" has left it; "" is nothing.
func registryLogin(ctx context.Context, image string) string {
	_, config, err := testcontainers.DockerImageAuth(ctx, image)
	if err != nil {
		return ""
	}
	login, err := authconfig.Encode(config)
	if err != nil {
		return ""
	}
	return login
}

// start makes and starts a container, and tells where it is reached.
func (d *dock) start(ctx context.Context, o containerOrder) (*containerStarted, error) {
	if d.claim == nil {
		return nil, errors.New("a container before its network")
	}
	host, at, err := d.place.published()
	if err != nil {
		return nil, err
	}
	made, err := d.provider.CreateContainer(ctx, d.request(o, at))
	if err != nil {
		return nil, err
	}
	if err := made.Start(ctx); err != nil {
		return nil, err
	}
	b := boxed{o, made.GetContainerID()}
	d.running = append(d.running, b)
	d.watchers.Go(func() { d.attend(b) })
	is, err := made.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	port := network.MustParsePort(fmt.Sprintf("%d/tcp", o.Port))
	to := is.NetworkSettings.Ports[port]
	in := is.NetworkSettings.Networks[d.network]
	if !is.State.Running { // attend tells how it has ended
		return &containerStarted{ID: b.id}, nil
	}
	if len(to) == 0 || in == nil {
		return nil, fmt.Errorf("%v: port %v isn't mapped: the container is %s", b, port, is.State.Status)
	}
	return &containerStarted{
		ID:       b.id,
		Endpoint: net.JoinHostPort(host, to[0].HostPort),
		Inside:   net.JoinHostPort(in.IPAddress.String(), fmt.Sprint(o.Port)),
	}, nil
}

// request is the order in testcontainers' words.
func (d *dock) request(o containerOrder, at netip.Addr) testcontainers.ContainerRequest {
	env := make(map[string]string)
	for _, setting := range o.Env {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	var files []testcontainers.ContainerFile
	for path, text := range o.Files {
		files = append(files, testcontainers.ContainerFile{Reader: strings.NewReader(text), ContainerFilePath: path, FileMode: 0o644})
	}
	port := fmt.Sprintf("%d/tcp", o.Port)
	return testcontainers.ContainerRequest{
		Image:          o.Image,
		Name:           d.network + "-" + o.Host,
		Env:            env,
		Cmd:            o.Cmd,
		Files:          files,
		Labels:         d.labels(),
		ExposedPorts:   []string{port},
		Networks:       []string{d.network},
		NetworkAliases: map[string][]string{d.network: {o.Host}},
		ConfigModifier: func(c *container.Config) {
			c.Hostname = o.Host
			c.Volumes = map[string]struct{}{o.Data: {}}
		},
		HostConfigModifier: func(c *container.HostConfig) {
			c.PortBindings = network.PortMap{network.MustParsePort(port): {{HostIP: at}}}
			c.NanoCPUs = int64(o.CPUs * 1e9)
			c.Memory, c.MemorySwap = o.Memory, o.Memory // together: no swapping
		},
	}
}
