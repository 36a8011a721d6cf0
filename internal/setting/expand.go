package setting

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// A Place is one server of a cluster.
type Place struct {
	Endpoint string // host:port
	Host     string // the name that the endpoint's address was found under; "" if the endpoint is as it was set
}

// Expand returns the servers that endpoints, each a host:port, stand for: a name
// with several addresses is one server for each. A name with an IPv4 and an IPv6
// address is one server that speaks both, and a name with several of both counts
// by its IPv4 addresses.
//
// lookup returns the addresses of a name. A name that it can't find stays: whoever
// connects to it says so, and a server that is down may have lost its name.
func Expand(ctx context.Context, endpoints []string, lookup func(ctx context.Context, host string) ([]netip.Addr, error)) ([]Place, error) {
	var all []Place
	for _, endpoint := range endpoints {
		places, err := expand(ctx, endpoint, lookup)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			if i := slices.IndexFunc(all, func(q Place) bool { return q.Endpoint == p.Endpoint }); i >= 0 {
				return nil, fmt.Errorf("%q and %q are both %s", cmp.Or(all[i].Host, all[i].Endpoint), cmp.Or(p.Host, p.Endpoint), p.Endpoint)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// expand returns the servers that one endpoint stands for.
func expand(ctx context.Context, endpoint string, lookup func(ctx context.Context, host string) ([]netip.Addr, error)) ([]Place, error) {
	itself := []Place{{Endpoint: endpoint}}
	host, port, err := net.SplitHostPort(endpoint)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", endpoint, err)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return itself, nil
	}
	found, err := lookup(ctx, host)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%q: look up: %w", host, context.Cause(ctx))
	}
	servers := byKind(found)
	if err != nil || len(servers) < 2 {
		return itself, nil
	}
	var places []Place
	for _, address := range servers {
		places = append(places, Place{Endpoint: net.JoinHostPort(address.String(), port), Host: host})
	}
	return places, nil
}

// byKind returns the IPv4 addresses in found or, if there are none, the IPv6
// ones, in a fixed order: name servers shuffle them.
func byKind(found []netip.Addr) []netip.Addr {
	var four, six []netip.Addr
	for _, address := range found {
		if address = address.Unmap(); address.Is4() {
			four = append(four, address)
		} else {
			six = append(six, address)
		}
	}
	if len(four) == 0 {
		four = six
	}
	slices.SortFunc(four, netip.Addr.Compare)
	return slices.Compact(four)
}
