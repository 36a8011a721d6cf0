package etcd

import (
	"context"
	"errors"
	"fmt"

	"kvbench/internal/target"
)

// Version asks the first server for its version, such as "3.6.4". It is "" if the
// user may not know: etcd 3.6 tells root only.
func Version(ctx context.Context, config Config) (string, error) {
	config, err := config.withDefaults()
	if err != nil {
		return "", err
	}
	ep := config.Endpoints[0]
	c, err := dial(ctx, config, newLogin(config.Login), ep)
	if err != nil {
		return "", err
	}
	defer c.Close()
	resp, err := c.Status(ctx, ep)
	switch err = config.explain(ctx, err); {
	case errors.Is(err, target.ErrDenied):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("etcd at %s: version: %w", ep, err)
	}
	return resp.Version, nil
}

// Ready claims the namespace, and writes, reads and deletes a key below it,
// through each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	l := newLogin(config.Login)
	for _, ep := range config.Endpoints {
		if err := ready(ctx, config, l, ep); err != nil {
			return err
		}
	}
	return nil
}

func ready(ctx context.Context, config Config, l *login, endpoint string) error {
	c, err := dial(ctx, config, l, endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := claim(ctx, config, c); err != nil {
		return err
	}
	key := config.Namespace + "/.ready/" + endpoint
	if _, err := c.Put(ctx, key, endpoint); err != nil {
		return fmt.Errorf("etcd at %s: put %q: %w", endpoint, key, config.explain(ctx, err))
	}
	resp, err := c.Get(ctx, key)
	if err != nil {
		return fmt.Errorf("etcd at %s: get %q: %w", endpoint, key, config.explain(ctx, err))
	}
	if len(resp.Kvs) != 1 {
		return fmt.Errorf("etcd at %s: key %q isn't there after its put", endpoint, key)
	}
	if _, err := c.Delete(ctx, key); err != nil {
		return fmt.Errorf("etcd at %s: delete %q: %w", endpoint, key, config.explain(ctx, err))
	}
	return nil
}
