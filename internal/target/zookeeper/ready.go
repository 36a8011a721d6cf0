package zookeeper

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"

	"kvbench/internal/target"
)

// Version asks the first server for its version, such as "3.9.5", by the one
// administrative command ("srvr") that servers allow by default.
func Version(ctx context.Context, config Config) (string, error) {
	config, err := config.withDefaults()
	if err != nil {
		return "", err
	}
	ep := config.Endpoints[0]
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", ep)
	if err != nil {
		return "", fmt.Errorf("zookeeper at %s: version: %w", ep, target.Wrap(ctx, target.ErrUnavailable, err))
	}
	defer socket.Close()
	defer context.AfterFunc(ctx, func() { socket.Close() })()
	if _, err := socket.Write([]byte("srvr")); err != nil {
		return "", fmt.Errorf("zookeeper at %s: version: %w", ep, target.Wrap(ctx, target.ErrUnavailable, err))
	}
	line, err := bufio.NewReader(socket).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("zookeeper at %s: version: %w", ep, target.Wrap(ctx, target.ErrUnavailable, err))
	}
	return parseVersion(ep, line)
}

// parseVersion reads a line like "Zookeeper version: 3.9.5-0000, built on …".
func parseVersion(endpoint, line string) (string, error) {
	_, version, ok := strings.Cut(line, "version: ")
	version, _, _ = strings.Cut(version, "-")
	if !ok || version == "" {
		return "", fmt.Errorf("zookeeper at %s: version: unexpected reply %q to srvr", endpoint, strings.TrimSpace(line))
	}
	return version, nil
}

// Ready writes, reads and deletes a znode below the namespace, through each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	for _, ep := range config.Endpoints {
		one := config
		one.Endpoints = []string{ep}
		if err := ready(ctx, &one); err != nil {
			return fmt.Errorf("zookeeper at %s: %w", ep, err)
		}
	}
	return nil
}

func ready(ctx context.Context, config *Config) error {
	l := newLink(config, 0)
	defer l.close()
	conn, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	parent := "/" + strings.Trim(config.Namespace, "/")
	path := parent + "/.ready-" + config.Endpoints[0]
	if err := makePath(conn, parent); err != nil {
		return wrap(ctx, err)
	}
	if err := create(conn, path); err != nil {
		return wrap(ctx, err)
	}
	if _, _, err := conn.Get(path); err != nil {
		return fmt.Errorf("get %q: %w", path, wrap(ctx, err))
	}
	if err := conn.Delete(path, -1); err != nil {
		return fmt.Errorf("delete %q: %w", path, wrap(ctx, err))
	}
	return nil
}
