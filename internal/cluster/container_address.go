package cluster

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
)

// A vantage is from where this process sees the ports of containers.
type vantage struct {
	override    string       // host that the user says, of TESTCONTAINERS_HOST_OVERRIDE; "" if none
	engine      string       // URL of the engine
	inContainer bool         // whether this machine looks like a container
	own         []netip.Addr // addresses of this machine
	gateway     netip.Addr   // of the containers' network, an address of the engine's host
}

// published returns the host by which clients reach the ports of containers, and
// the address of the engine's host at which the engine is to publish them.
//
// That is loopback wherever the engine is on this machine: the servers have no
// passwords. A machine that looks like a container may be the engine's host all
// the same, and is if the gateway's address is its own; else it is a container
// beside ours, which reaches the engine's host by that address. Ports of a remote
// engine are published at all its addresses, as it is not known which of them
// ours is.
func (v vantage) published() (host string, at netip.Addr, err error) {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	u, err := url.Parse(v.engine)
	if err != nil {
		return "", at, err
	}
	switch {
	case v.override != "":
		host = v.override
	case u.Scheme == "tcp" || u.Scheme == "http" || u.Scheme == "https":
		host = u.Hostname()
	case u.Scheme != "unix" && u.Scheme != "npipe":
		return "", at, fmt.Errorf("engine %q: it isn't known where it publishes ports: set TESTCONTAINERS_HOST_OVERRIDE", v.engine)
	case v.inContainer && !slices.Contains(v.own, v.gateway):
		return v.gateway.String(), v.gateway, nil
	default:
		host = loopback.String()
	}
	if addr, err := netip.ParseAddr(host); host == "localhost" || err == nil && addr.IsLoopback() {
		return loopback.String(), loopback, nil
	}
	return host, netip.IPv4Unspecified(), nil
}

// lookAround returns the vantage of this process, without the gateway.
func lookAround(engine string) (vantage, error) {
	_, err := os.Stat("/.dockerenv")
	v := vantage{override: os.Getenv("TESTCONTAINERS_HOST_OVERRIDE"), engine: engine, inContainer: err == nil}
	addrs, err := net.InterfaceAddrs()
	for _, a := range addrs {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			v.own = append(v.own, prefix.Addr())
		}
	}
	return v, err
}
