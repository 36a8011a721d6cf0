package cluster

import "context"

// A recipe is how the process source gets and runs one system's servers. It is
// data and pure functions; process.go does the work.
type recipe struct {
	version  string      // default server version
	tools    []tool      // programs that must be in PATH
	takes    string      // how long a first install takes, for people: "about 40 s"
	settings [][2]string // see Source.Settings
	parallel bool        // all nodes may start at once; else one after the other, each ready before the next

	// install puts the servers of version into dir, which exists and is empty.
	// The caller makes the result visible atomically, and only on success.
	install func(ctx context.Context, version, dir string) error

	// commands returns the command line of each node.
	commands func(in installation) ([]command, error)
}

// A tool is a program that a recipe needs, and what to say if it is missing.
type tool struct {
	name string // e.g. "mvn"
	hint string // e.g. "install Maven 3 (Debian: apt-get install maven)"
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
	ports []int  // free at the time of asking, as many as the recipe's ports
}

// A command starts one server.
type command struct {
	argv     []string
	env      []string // the whole environment, beside PATH, HOME and TMPDIR
	endpoint string   // host:port for clients
}
