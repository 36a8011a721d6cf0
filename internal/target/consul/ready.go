package consul

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// Version asks the first server for its version, such as "1.14.11". It is "" if
// the token may not be told.
func Version(ctx context.Context, config Config) (string, error) {
	config, err := config.withDefaults()
	if err != nil {
		return "", err
	}
	ep := config.Endpoints[0]
	l, err := newLink(config, ep)
	if err != nil {
		return "", err
	}
	defer l.close()
	var self struct{ Config struct{ Version string } }
	_, err = l.api.Raw().Query("/v1/agent/self", &self, new(api.QueryOptions).WithContext(ctx))
	if err = wrap(ctx, err); errors.Is(err, target.ErrDenied) && !unknownToken(err) {
		err = l.check(ctx, config) // who may not be told the version may be let in all the same
	}
	if err != nil {
		return "", fmt.Errorf("consul at %s: %w", ep, explain(config, err))
	}
	version, _, _ := strings.Cut(self.Config.Version, "+") // without the name of the edition
	return version, nil
}

// Ready claims the namespace, writes, reads and deletes a key below the namespace, through each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	for _, ep := range config.Endpoints {
		l, err := newLink(config, ep)
		if err != nil {
			return err
		}
		if err = claim(ctx, config, l); err == nil {
			err = ready(ctx, config, l.api.KV(), config.Namespace+"/.ready/"+ep)
		}
		l.close()
		if err != nil {
			return fmt.Errorf("consul at %s: %w", ep, err)
		}
	}
	return nil
}

func ready(ctx context.Context, config Config, kv *api.KV, key string) error {
	write := config.write(ctx)
	if _, err := kv.Put(&api.KVPair{Key: key, Value: []byte(key)}, write); err != nil {
		return fmt.Errorf("put %q: %w", key, wrap(ctx, err))
	}
	pair, _, err := kv.Get(key, config.query(ctx, api.QueryOptions{RequireConsistent: true}))
	if err != nil {
		return fmt.Errorf("get %q: %w", key, wrap(ctx, err))
	}
	if pair == nil {
		return fmt.Errorf("key %q isn't there after its put", key)
	}
	if _, err := kv.Delete(key, write); err != nil {
		return fmt.Errorf("delete %q: %w", key, wrap(ctx, err))
	}
	return nil
}
