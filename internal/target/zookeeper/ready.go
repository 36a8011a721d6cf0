package zookeeper

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-zookeeper/zk"

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
	config.Endpoints = config.Endpoints[:1]
	ep := config.Endpoints[0]
	line, err := "", visit(ctx, &config)
	if err == nil {
		line, err = ask(ctx, &config, ep, "srvr")
	}
	if err != nil {
		return "", fmt.Errorf("zookeeper at %s: version: %w", ep, err)
	}
	return parseVersion(ep, line)
}

// visit opens a session and ends it. A server that doesn't want this client says so
// to a session; to a command it may say nothing for long.
func visit(ctx context.Context, config *Config) error {
	l := newLink(config, 0)
	defer l.close()
	if _, err := l.begin(ctx); err != nil {
		return err
	}
	l.end()
	return nil
}

// ask returns the first line of the reply to an administrative command.
func ask(ctx context.Context, config *Config, endpoint, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	socket, err := config.dial(ctx, endpoint)
	if err != nil {
		return "", target.Wrap(ctx, target.ErrUnavailable, err)
	}
	defer socket.Close()
	defer context.AfterFunc(ctx, func() { socket.Close() })()
	if _, err := io.WriteString(socket, command); err != nil {
		return "", target.Wrap(ctx, target.ErrUnavailable, err)
	}
	line, err := bufio.NewReader(socket).ReadString('\n')
	if err != nil {
		return "", target.Wrap(ctx, target.ErrUnavailable, fmt.Errorf("%s: %w", command, err))
	}
	return line, nil
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
	return config.wrap(ctx, writeAndRead(conn, config))
}

// writeAndRead does the operations of [Ready].
func writeAndRead(conn *zk.Conn, config *Config) error {
	if err := claim(conn, config); err != nil {
		return err
	}
	path := config.namespace() + "/.ready-" + config.Endpoints[0]
	if err := create(conn, path, config.acl()); err != nil {
		return err
	}
	if _, _, err := conn.Get(path); err != nil {
		return fmt.Errorf("get %q: %w", path, lacking(err, mayRead, path))
	}
	if err := conn.Delete(path, -1); err != nil {
		return fmt.Errorf("delete %q: %w", path, lacking(err, mayDelete, config.namespace()))
	}
	return nil
}
