package zookeeper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// Version asks the first server for its version, such as "3.9.5", by the one
// administrative command ("srvr") that servers allow by default. It is "" if they
// don't.
func Version(ctx context.Context, config Config) (string, error) {
	config, err := config.withDefaults()
	if err != nil {
		return "", err
	}
	ep := config.Endpoints[0]
	line, err := ask(ctx, &config, ep, "srvr")
	if err != nil {
		class := target.ErrUnavailable
		if access.Certain(err) {
			class = target.ErrDenied
		}
		return "", fmt.Errorf("zookeeper at %s: version: %w", ep, target.Wrap(ctx, class, access.Explain("ZOOKEEPER", config.TLS, err)))
	}
	return parseVersion(ep, line)
}

// ask returns the first line of the reply to an administrative command.
func ask(ctx context.Context, config *Config, endpoint, command string) (string, error) {
	socket, err := config.dial(ctx, endpoint)
	if err != nil {
		return "", err
	}
	defer socket.Close()
	defer context.AfterFunc(ctx, func() { socket.Close() })()
	if _, err := io.WriteString(socket, command); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(socket).ReadString('\n')
	if err != nil && ctx.Err() != nil && config.TLS == nil {
		// A server that waits for a handshake waits longer than clients do.
		err = errors.New("the server accepts the connection, but doesn't answer: does it want TLS? Set ZOOKEEPER_TLS to true")
	}
	return line, err
}

// parseVersion reads a line like "Zookeeper version: 3.9.5-0000, built on …".
func parseVersion(endpoint, line string) (string, error) {
	if strings.Contains(line, "not in the whitelist") {
		return "", nil
	}
	_, version, ok := strings.Cut(line, "version: ")
	version, _, _ = strings.Cut(version, "-")
	if !ok || version == "" {
		return "", fmt.Errorf("zookeeper at %s: version: unexpected reply %q to srvr", endpoint, strings.TrimSpace(line))
	}
	return version, nil
}

// Ready claims the namespace, writes, reads and deletes a znode below the namespace, through each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	for _, ep := range config.Endpoints {
		one := config
		one.Endpoints = []string{ep}
		if err := explain(&one, ready(ctx, &one)); err != nil {
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
	if err := claim(conn, config); err != nil {
		return wrap(ctx, err)
	}
	path := config.namespace() + "/.ready-" + config.Endpoints[0]
	if err := create(conn, path, config.acl()); err != nil {
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
