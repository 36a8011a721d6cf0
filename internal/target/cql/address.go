package cql

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// What the endpoints, the nodes and the driver call a node: a name or an address
// that clients reach, or an address that only nodes do.

// resolve returns what the driver calls the endpoints, and notes which names they
// were found by. It would look names up without a context, and takes nodes with one
// address for one, whatever their ports: what is translated it knows as nodes do.
func (c Config) resolve(ctx context.Context, names map[string]string) ([]string, error) {
	translated := map[string]string{}
	for node, at := range c.Translate {
		translated[at] = node
	}
	var all []string
	for _, ep := range c.Endpoints {
		if node, ok := translated[ep]; ok {
			all = append(all, node)
			continue
		}
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

// lookUp returns the addresses that the host of an endpoint stands for, each with
// the port.
func lookUp(ctx context.Context, endpoint string) ([]string, error) {
	host, port, err := net.SplitHostPort(endpoint)
	if err != nil {
		return nil, err
	}
	addrs, err := net.DefaultResolver.LookupHost(ctx, host)
	for i, addr := range addrs {
		addrs[i] = net.JoinHostPort(addr, port)
	}
	return addrs, err
}

// reach returns where clients reach the node that the others, and the driver, know
// by an address. The port counts only for those that aren't translated.
func (c Config) reach(addr net.IP, port int) string {
	if at, ok := c.Translate[hostPort(addr, c.nodePort())]; ok {
		return at
	}
	return hostPort(addr, port)
}

// hostPort joins an address and a port.
func hostPort(addr net.IP, port int) string {
	return net.JoinHostPort(addr.String(), strconv.Itoa(port))
}

// known returns the nodes that are named by what nodes call them, and the setting
// that names them. Without a translation it is what clients call them, too.
func (c Config) known() (setting string, nodes []string) {
	if len(c.Translate) == 0 {
		return c.variable("ENDPOINTS"), c.Endpoints
	}
	return c.variable("TRANSLATE"), slices.Sorted(maps.Keys(c.Translate))
}

// checkKnown reports nodes that would not be found: nodes tell each other's
// addresses, not names, and not the ports at which they expect clients.
func (c Config) checkKnown() error {
	setting, nodes := c.known()
	for _, node := range nodes {
		at, err := netip.ParseAddrPort(node)
		if len(c.Translate) > 0 && (err != nil || at.String() != node) {
			return fmt.Errorf("%s: node %q: want the address and port that nodes tell, such as 172.18.0.2:9042", setting, node)
		}
		if portOf(node) != portOf(nodes[0]) {
			return fmt.Errorf("%s: %q and %q: nodes of one cluster expect clients at one port; where clients reach them at others, %s has to say so",
				setting, nodes[0], node, c.variable("TRANSLATE"))
		}
	}
	return nil
}

// nodePort returns the port at which nodes expect clients, as they know it.
func (c Config) nodePort() int {
	_, nodes := c.known()
	return portOf(nodes[0])
}

// portOf returns the port of a valid host:port.
func portOf(endpoint string) int {
	_, text, _ := net.SplitHostPort(endpoint)
	port, _ := strconv.Atoi(text)
	return port
}
