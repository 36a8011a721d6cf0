package cluster

// The part of the language of orders.go that is about containers.

// An engineOrder asks whether a Docker engine answers, and what it has.
type engineOrder struct{}

// An imageOrder asks whether an image is to be had.
type imageOrder struct {
	Name string
	Pull bool // have the engine get it, unless it has
}

// A networkOrder asks for the network of a cluster, before its containers.
type networkOrder struct {
	System System
}

// A sweepOrder asks for the removal of what keepers have left that are gone. They
// do so before they make a network, too.
type sweepOrder struct{}

// A containerOrder asks for a server in a container.
type containerOrder struct {
	Name    string // for people: "etcd node 1"
	Host    string // in the network
	Image   string // that the engine has
	Env     []string
	Cmd     []string          // nil is the image's
	Files   map[string]string // by absolute path in the container: text
	Port    int               // for clients, in the container
	Data    string            // directory in the container that is a volume
	CPUs    float64           // 0 is all
	Memory  int64             // bytes; 0 is all
	LogFile string            // receives standard output and error
}

// A containerStarted is the answer to that.
type containerStarted struct {
	ID       string
	Endpoint string // host:port for clients; "" if the server has ended already, of which an event tells
	Inside   string // host:port in the network
}
