// Package cluster finds the servers that a benchmark runs against: a cluster
// named by endpoints, containers, or server processes that it gets, builds and
// starts.
//
// [Find] decides where a system's servers would come from, without starting
// anything; [Source.Start] starts them. What this package started it stops,
// whatever happens to the process that asked for it: a keeper owns the servers
// (see keeper.go), for which TestMain begins with [IsKeeper] and [Keep].
package cluster

import (
	"context"
	"errors"
)

// A System is a kind of server.
type System string

// The systems that the suite knows.
const (
	Cassandra System = "cassandra"
	Yugabyte  System = "yugabyte"
	Scylla    System = "scylla"
	Etcd      System = "etcd"
	ZooKeeper System = "zookeeper"
	Consul    System = "consul"
)

// Systems returns all systems, in the order in which they are told.
func Systems() []System {
	return []System{Cassandra, Yugabyte, Scylla, Etcd, ZooKeeper, Consul}
}

// A Spec says which servers are wanted.
type Spec struct {
	System    System
	Endpoints []string // host:port of a running cluster; empty: start one
	Force     string   // "container" or "process": the only source to consider besides Endpoints; "" is automatic
	Version   string   // server version: of the processes, or the tag of the official image; "" is the default of the suite
	Image     string   // for the container source, whatever Version is; "" is the official one
	CPUs      float64  // that a container may use; 0 is all
	Memory    int64    // bytes that a container may use; 0 is all
	Nodes     int      // 1 or 3; 0 is 1
	DataDir   string   // parent of the data directories; "" is the system's temporary directory

	// Customize, if not nil, may change how the process source starts a server:
	// the configuration files below its directory, and its command line. It is for
	// tests on servers that are configured otherwise than the suite's own.
	Customize func(node int, dir string, argv []string) ([]string, error) `json:"-"`

	// Ready performs one real operation against the servers and returns nil if
	// the system did it. Start calls it until it succeeds or ctx is done, with a
	// cluster of which Endpoints and Translate are complete.
	Ready func(ctx context.Context, c *Cluster) error `json:"-"`

	// Announce tells a person about something that takes long, such as a first
	// build: one line without a newline. It may be nil.
	Announce func(line string) `json:"-"`
}

// A Source is a decided origin of servers, not yet started.
type Source interface {
	Kind() string    // "endpoints", "container" or "process": the value of a configuration line
	Version() string // server version, "" if only the servers know it
	Nodes() int      // number of servers, or of endpoints
	// Notice is a sentence about what is not as it was asked for, or as it usually
	// is: why there are no containers, a setting without effect. It is "" if there
	// is nothing of that kind.
	Notice() string
	// Settings are the server settings that decide results, as benchfmt keys
	// and values without the system's name: "heap" "2G", "fsync" "every commit".
	Settings() [][2]string
	// Start returns running servers. On error nothing is left running.
	Start(ctx context.Context) (*Cluster, error)
}

// ErrNone is wrapped by Find's error when no source can serve a system here.
// The error's text says what to install or set.
var ErrNone = errors.New("no servers")

// A Cluster is a set of running servers.
type Cluster struct {
	System  System
	Kind    string // see Source
	Version string // "" if only the servers know it
	Servers []Server

	// Translate maps the addresses by which servers know each other to those
	// for clients, host:port each. It is nil if they are the same.
	Translate map[string]string

	owner *owner // nil if the servers aren't ours
}

// A Server is one server of a cluster.
type Server struct {
	Endpoint  string // host:port for clients
	PID       int    // of the server process; 0 if it isn't ours, or in a container
	Container string // id of the server's container; "" if it is in none of ours
	LogFile   string // "" if it isn't ours
}

// Endpoints returns the client addresses of all servers, as host:port.
func (c *Cluster) Endpoints() []string {
	eps := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		eps[i] = s.Endpoint
	}
	return eps
}

// Owned reports whether this package started the servers.
func (c *Cluster) Owned() bool { return c.owner != nil }

// Died returns a channel that is closed when a server of ours ends by itself,
// which makes what was measured meanwhile worthless; [Cluster.Err] says which
// one. If the servers aren't ours the channel is nil.
func (c *Cluster) Died() <-chan struct{} {
	if c.owner == nil {
		return nil
	}
	return c.owner.alive.Done()
}

// Err returns nil as long as no server of ours has ended by itself. Otherwise it
// names the first that has, how it ended, and the last lines of its log.
func (c *Cluster) Err() error {
	if c.owner == nil {
		return nil
	}
	return context.Cause(c.owner.alive)
}

// Close stops the servers if they are ours, waits for their end and removes
// their directories. Its error says what did not go well: a server that had
// ended before, one that had to be killed, a directory that could not be
// removed. If ctx ends first the servers are still stopped, unattended.
func (c *Cluster) Close(ctx context.Context) error {
	if c.owner == nil {
		return nil
	}
	died := c.Err()
	return errors.Join(died, c.owner.close(ctx))
}
