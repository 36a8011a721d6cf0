package consul

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// Version asks the first server for its version, such as "1.14.11", or for those of
// the servers in the configured data center, if it isn't in that. It is "" if the
// token may be told neither, but may be let in.
func Version(ctx context.Context, config Config) (string, error) {
	config, err := config.withDefaults()
	if err != nil {
		return "", err
	}
	l, err := dial(ctx, config, config.Endpoints[0])
	if err != nil {
		return "", err
	}
	defer l.close()
	version, err := l.version(ctx, config)
	if err != nil {
		return "", fmt.Errorf("consul at %s: version: %w", l.endpoint, config.wrap(ctx, err))
	}
	return version, nil
}

func (l *link) version(ctx context.Context, config Config) (string, error) {
	var self struct {
		Config struct{ Version, Datacenter string }
	}
	_, err := l.api.Raw().Query("/v1/agent/self", &self, new(api.QueryOptions).WithContext(ctx))
	denied := err != nil && errors.Is(classOf(err), target.ErrDenied)
	if err != nil && !denied {
		return "", err
	}
	if !denied && (config.DataCenter == "" || config.DataCenter == self.Config.Datacenter) {
		version, _, _ := strings.Cut(self.Config.Version, "+") // without the name of the edition
		return version, nil
	}
	servers, _, err := l.api.Catalog().Service("consul", "", config.query(ctx, api.QueryOptions{})) // those that the token may see
	if err != nil && !errors.Is(classOf(err), target.ErrDenied) {
		return "", err
	}
	var versions []string
	for _, s := range servers {
		versions = append(versions, s.ServiceMeta["version"])
	}
	slices.Sort(versions)
	return strings.Join(slices.Compact(versions), "/"), nil
}

// Ready claims the namespace, and writes, reads and deletes a key below it, through
// each server.
func Ready(ctx context.Context, config Config) error {
	config, err := config.withDefaults()
	if err != nil {
		return err
	}
	for _, ep := range config.Endpoints {
		l, err := dial(ctx, config, ep)
		if err != nil {
			return err
		}
		if err = claim(ctx, config, l); err == nil {
			err = l.ready(ctx, config, config.Namespace+"/.ready/"+ep)
		}
		l.close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *link) ready(ctx context.Context, config Config, key string) error {
	kv, write := l.api.KV(), config.write(ctx)
	if _, err := kv.Put(&api.KVPair{Key: key, Value: []byte(key)}, write); err != nil {
		return fmt.Errorf("consul at %s: put %q: %w", l.endpoint, key, config.wrap(ctx, err))
	}
	pair, _, err := kv.Get(key, config.query(ctx, api.QueryOptions{RequireConsistent: true}))
	if err != nil {
		return fmt.Errorf("consul at %s: get %q: %w", l.endpoint, key, config.wrap(ctx, err))
	}
	if pair == nil {
		return fmt.Errorf("consul at %s: key %q isn't there after its put", l.endpoint, key)
	}
	if _, err := kv.Delete(key, write); err != nil {
		return fmt.Errorf("consul at %s: delete %q: %w", l.endpoint, key, config.wrap(ctx, err))
	}
	return nil
}
