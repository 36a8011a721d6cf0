package cluster

import (
	"fmt"
	"strconv"
)

// A boxing is how one system's servers run in containers of its official image,
// by the environment, arguments and files that the image is made for. It is data
// and pure functions; container.go and the keeper do the work.
type boxing struct {
	port     int    // for clients, in the container
	data     string // directory in the container whose files decide results; it gets a volume
	parallel bool   // all nodes start at once; else one after the other, each accepting connections before the next

	// settings are Source.Settings for a cluster of so many nodes.
	settings func(nodes int, limit limits) [][2]string

	// boxes returns the containers of a cluster of so many nodes. They know each
	// other by the names that nodeHost returns.
	boxes func(nodes int, limit limits) ([]box, error)
}

// A box is what is particular to one container.
type box struct {
	env   []string          // beside the image's
	cmd   []string          // in place of the image's; nil keeps that
	files map[string]string // by absolute path: text
}

// limits are what a container may use of its machine; 0 is all.
type limits struct {
	cpus   float64
	memory int64 // bytes
}

// boxingOf returns how a system's servers run in containers.
func boxingOf(s System) boxing {
	switch s {
	case Cassandra:
		return cassandraBoxing()
	case Yugabyte:
		return yugabyteBoxing()
	case Scylla:
		return scyllaBoxing()
	case Etcd:
		return etcdBoxing()
	case ZooKeeper:
		return zookeeperBoxing()
	case Consul:
		return consulBoxing()
	}
	return boxing{}
}

// nodeHost returns the name of node i in the network of its cluster.
func nodeHost(i int) string { return fmt.Sprintf("node%d", i+1) }

// nodeHosts returns the names of all nodes.
func nodeHosts(nodes int) []string {
	var hosts []string
	for i := range nodes {
		hosts = append(hosts, nodeHost(i))
	}
	return hosts
}

// settings are the limits as Source.Settings.
func (l limits) settings() [][2]string {
	cpus, memory := "unlimited", "unlimited"
	if l.cpus > 0 {
		cpus = strconv.FormatFloat(l.cpus, 'g', -1, 64)
	}
	if l.memory > 0 {
		memory = mebibytes(l.memory)
	}
	return [][2]string{{"cpus", cpus}, {"memory", memory}}
}

// mebibytes returns a size as people and the servers' options write it.
func mebibytes(bytes int64) string { return fmt.Sprintf("%dM", bytes>>20) }

// heap returns the size of a Java heap, usually so many MiB: no more than half
// of the memory there is, since what isn't on the heap needs its part.
func (l limits) heap(usual int64) string {
	if l.memory > 0 {
		usual = min(usual, l.memory>>21)
	}
	if usual%1024 == 0 {
		return fmt.Sprintf("%dG", usual/1024)
	}
	return fmt.Sprintf("%dM", usual)
}
