package cql

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/gocql/gocql"
)

// What the endpoints, the nodes and the driver call a node: a name or an address
// that clients reach, or an address that only nodes do.

// resolve returns the addresses of the endpoints, and notes which names they were
// found by. The driver would look names up without a context.
func (c Config) resolve(ctx context.Context, names map[string]string) ([]string, error) {
	var all []string
	for _, ep := range c.Endpoints {
		addrs, err := lookUp(ctx, ep)
		if err != nil {
			return nil, fmt.Errorf("%s endpoint %q: %w", c.Dialect.System, ep, err)
		}
		for _, addr := range addrs {
			names[addr] = ep
		}
		all = append(all, addrs...)
	}
	return all, nil
}

// lookUp returns the addresses that the host in a host:port stands for, each with
// the port.
func lookUp(ctx context.Context, hostPort string) ([]string, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	addrs, err := net.DefaultResolver.LookupHost(ctx, host)
	for i, addr := range addrs {
		addrs[i] = net.JoinHostPort(addr, port)
	}
	return addrs, err
}

// reach returns where clients reach the node that the others know by an address.
func (c Config) reach(addr net.IP, port int) string {
	node := net.JoinHostPort(addr.String(), strconv.Itoa(port))
	if mapped, ok := c.Translate[node]; ok {
		return mapped
	}
	return node
}

// translator is reach for the driver, which wants addresses. Nodes that aren't
// translated are left to it.
func (c Config) translator(ctx context.Context) (gocql.AddressTranslator, error) {
	found := map[string]netip.AddrPort{}
	for node, mapped := range c.Translate {
		addrs, err := lookUp(ctx, mapped)
		if err == nil {
			found[mapped], err = netip.ParseAddrPort(addrs[0])
		}
		if err != nil {
			return nil, fmt.Errorf("%s node %q, translated to %q: %w", c.Dialect.System, node, mapped, err)
		}
	}
	return gocql.AddressTranslatorFunc(func(addr net.IP, port int) (net.IP, int) {
		if mapped, ok := found[c.reach(addr, port)]; ok {
			return mapped.Addr().AsSlice(), int(mapped.Port())
		}
		return addr, port
	}), nil
}

// nodePort returns the port at which nodes expect clients, as they know it.
func (c Config) nodePort() int {
	for node := range c.Translate {
		return portOf(node)
	}
	return portOf(c.Endpoints[0])
}

// portOf returns the port of a valid host:port.
func portOf(hostPort string) int {
	_, text, _ := net.SplitHostPort(hostPort)
	port, _ := strconv.Atoi(text)
	return port
}
