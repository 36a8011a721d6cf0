package cluster

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
)

// portTaken matches what servers log when a port that was free when we asked
// was taken before they listened on it.
var portTaken = regexp.MustCompile(`(?i)address already in use|in use by another process`)

// A reservation holds ports until the servers are about to take them.
type reservation struct {
	hosts []string
	ports [][]int // by node
	held  []net.Listener
}

// reserve finds free TCP ports for so many nodes.
func reserve(policy hosts, nodes, ports int) (*reservation, error) {
	r := new(reservation)
	for i := range nodes {
		host := "127.0.0.1"
		if policy == hostEach {
			host = fmt.Sprintf("127.0.0.%d", i+1)
		}
		r.hosts = append(r.hosts, host)
	}
	find := r.findEach
	if policy == hostEach {
		find = r.findSame
	}
	if err := find(ports); err != nil {
		return nil, errors.Join(err, r.release())
	}
	return r, nil
}

// findEach gives each node ports of its own.
func (r *reservation) findEach(ports int) error {
	for _, host := range r.hosts {
		var own []int
		for range ports {
			port, err := r.hold(host, 0)
			if err != nil {
				return err
			}
			own = append(own, port)
		}
		r.ports = append(r.ports, own)
	}
	return nil
}

// findSame gives all nodes the same ports.
func (r *reservation) findSame(ports int) error {
	var common []int
	for range ports {
		port, err := r.holdSame()
		if err != nil {
			return err
		}
		common = append(common, port)
	}
	for range r.hosts {
		r.ports = append(r.ports, common)
	}
	return nil
}

// holdSame holds a port that is free on all hosts. The kernel names one that is
// free on the first, which is nearly always free on the others too.
func (r *reservation) holdSame() (port int, err error) {
	const tries = 20
	for range tries {
		if port, err = r.hold(r.hosts[0], 0); err != nil {
			return 0, err
		}
		for _, host := range r.hosts[1:] {
			if _, e := r.hold(host, port); e != nil {
				err = e
			}
		}
		if err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port free on all of %v (macOS: sudo ifconfig lo0 alias 127.0.0.2 up, and 127.0.0.3): %w", r.hosts, err)
}

func (r *reservation) hold(host string, port int) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return 0, err
	}
	r.held = append(r.held, l)
	return l.Addr().(*net.TCPAddr).Port, nil
}

// release frees the ports for the servers.
func (r *reservation) release() error {
	var err error
	for _, l := range r.held {
		err = errors.Join(err, l.Close())
	}
	r.held = nil
	return err
}
