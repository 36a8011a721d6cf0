package cluster

import (
	"context"
	"net"
	"strconv"
)

// A recipe is how the process source gets and runs one system's servers. It is
// data and pure functions; process.go does the work.
type recipe struct {
	version string // default server version
	tools   []tool // programs that must be in PATH
	takes   string // how long a first install takes, for people: "about 40 s"
	inputs  string // all text besides the version that decides what install makes (go.mod, pom.xml, …); part of the cache's key

	ports    int   // ports of a node
	hosts    hosts // addresses of the nodes
	parallel bool  // all nodes start at once; else one after the other, each accepting connections before the next

	// settings are Source.Settings for a cluster of so many nodes.
	settings func(nodes int) [][2]string

	// install puts the servers of version into a directory, which exists and is
	// empty. The caller makes the result visible atomically, and only on success.
	// What is in it may be moved before it is used: no absolute paths into it.
	install func(ctx context.Context, version string, at site) error

	// commands returns the command line of each node. It may write files such
	// as configurations below each node's dir.
	commands func(in installation) ([]command, error)
}

// hosts is the policy by which nodes get addresses.
type hosts int

const (
	oneHost  hosts = iota // every node on 127.0.0.1, with ports of its own
	hostEach              // node i on 127.0.0.(i+1), the same ports on each
)

// A tool is a program that a recipe needs, and what to say if it is missing.
type tool struct {
	name    string // e.g. "mvn"
	hint    string // e.g. "install Maven 3 (Debian: apt-get install maven)"
	install bool   // needed to install only: an installed version runs without it

	// unfit returns why the tool that is there can't be used; nil if any will do.
	unfit func() error
}

// An installation is an installed version and the nodes that are to run it.
type installation struct {
	dir     string // as filled by install; read-only
	version string
	nodes   []node
}

// A node is the place of one server: an empty directory and free loopback ports.
type node struct {
	dir   string // exists, empty; the server's data, configuration and logs go below it
	host  string // loopback address
	ports []int  // free at the time of asking, recipe.ports of them
}

// addr returns the host:port of the node's port with the given index.
func (n node) addr(port int) string {
	return net.JoinHostPort(n.host, strconv.Itoa(n.ports[port]))
}

// A command starts one server. Its standard output and error go to a log file
// of the node; its working directory is the node's.
type command struct {
	argv     []string
	env      []string // the whole environment, beside PATH, HOME and TMPDIR
	endpoint string   // host:port for clients
}
