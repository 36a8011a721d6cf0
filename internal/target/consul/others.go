package consul

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// Others implements [target.Realm]: keys outside marked namespaces, and services
// beside Consul's own.
func (r *Realm) Others(ctx context.Context) (string, error) {
	if err := r.seesAll(ctx); err != nil {
		return "", r.unseen(ctx, err)
	}
	other, err := r.otherKey(ctx)
	if err == nil && other == "" {
		other, err = r.otherService(ctx)
	}
	if err != nil {
		return "", r.unseen(ctx, err)
	}
	return other, nil
}

// otherKey names a key, or the first part of keys, that isn't the suite's.
func (r *Realm) otherKey(ctx context.Context) (string, error) {
	top, err := r.keys(ctx, "", "/")
	if err != nil {
		return "", err
	}
	for _, key := range top {
		mark := ""
		if strings.HasSuffix(key, "/") {
			if mark, err = r.get(ctx, key+markKey); err != nil {
				return "", err
			}
		}
		if mark != target.Mark {
			return fmt.Sprintf("key %q", key), nil
		}
	}
	return "", nil
}

// otherService names a service that isn't Consul's own.
func (r *Realm) otherService(ctx context.Context) (string, error) {
	services, meta, err := r.link.api.Catalog().Services(r.config.query(ctx, api.QueryOptions{RequireConsistent: true}))
	if err != nil {
		return "", err
	}
	if meta.ResultsFilteredByACLs {
		return "", fmt.Errorf("%w: the token may not see all services", target.ErrDenied)
	}
	delete(services, "consul")
	for name := range services {
		return fmt.Sprintf("service %q", name), nil
	}
	return "", nil
}

// anonymous is the accessor of the token that counts where there is none.
const anonymous = "00000000-0000-0000-0000-000000000002"

// seesAll returns an error if there is access control and no token, neither ours nor
// one that the agent uses by itself: that something is left out is then not said.
func (r *Realm) seesAll(ctx context.Context) error {
	if !r.config.Token.IsZero() {
		return nil
	}
	token, _, err := r.link.api.ACL().TokenReadSelf(r.config.query(ctx, api.QueryOptions{}))
	switch {
	case err != nil && strings.Contains(err.Error(), "ACL support disabled"):
		return nil
	case err == nil && token.AccessorID != anonymous:
		return nil
	case err == nil, errors.Is(classOf(err), target.ErrDenied):
		return fmt.Errorf("%w: with access control nobody sees everything without a token", target.ErrDenied)
	}
	return err
}

// unseen is the error for somebody who can't see what others have.
func (r *Realm) unseen(ctx context.Context, err error) error {
	if err = target.Wrap(ctx, classOf(err), err); errors.Is(err, target.ErrDenied) {
		err = fmt.Errorf(`%w: the policy of CONSUL_TOKEN would need: key_prefix "" { policy = "list" } service_prefix "" { policy = "read" }`, err)
	}
	return fmt.Errorf("consul at %s: look for keys and services of others: %w", r.link.endpoint, err)
}
