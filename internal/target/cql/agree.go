package cql

import (
	"context"
	"net"
	"strconv"
	"time"
)

// agree waits until all nodes that are up have the same schema. The driver would
// wait for nodes that are down, too, whose schema is the one that they had.
func (a adminSession) agree(ctx context.Context) error {
	for {
		agreed, err := a.agrees(ctx)
		if agreed || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// agrees reports whether they have it now.
func (a adminSession) agrees(ctx context.Context) (bool, error) {
	var local, version string
	if err := a.Query("SELECT schema_version FROM system.local WHERE key = 'local'").WithContext(ctx).Scan(&local); err != nil {
		return false, err
	}
	iter := a.Query("SELECT rpc_address, schema_version FROM system.peers").WithContext(ctx).Iter()
	var addr net.IP
	var others []net.IP
	for iter.Scan(&addr, &version) {
		if version != "" && version != local {
			others = append(others, addr)
		}
	}
	if err := iter.Close(); err != nil {
		return false, err
	}
	for _, addr := range others {
		if a.answers(ctx, addr) {
			return false, nil
		}
	}
	return true, nil
}

// answers reports whether a node can be connected to.
func (a adminSession) answers(ctx context.Context, addr net.IP) bool {
	addr, port := a.config.translate(addr, a.port)
	ctx, cancel := context.WithTimeout(ctx, a.config.Timeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(addr.String(), strconv.Itoa(port)))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// translate returns where clients reach the node that the others know by an
// address. It is the driver's AddressTranslator.
func (c Config) translate(addr net.IP, port int) (net.IP, int) {
	host, service, err := net.SplitHostPort(c.Translate[net.JoinHostPort(addr.String(), strconv.Itoa(port))])
	if err != nil {
		return addr, port
	}
	ip, n := net.ParseIP(host), 0
	if n, err = strconv.Atoi(service); err != nil || ip == nil {
		return addr, port
	}
	return ip, n
}

// nodePort returns the port at which nodes expect clients, as they know it.
func (c Config) nodePort(reached int) int {
	for node := range c.Translate {
		if _, port, err := net.SplitHostPort(node); err == nil {
			if n, err := strconv.Atoi(port); err == nil {
				return n
			}
		}
	}
	return reached
}
