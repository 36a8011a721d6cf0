package cluster

import (
	"path/filepath"
	"strconv"

	"kvbench/testdata/servers"
)

// Indices into the ports of a ZooKeeper server.
const (
	zooClient   = iota
	zooPeer     // changes, from the leader
	zooElection // of the leader
	zooPorts
)

// zooHeap returns the size of each server's heap. All data are in it: the
// distribution's 1000m are full of half a million keys of 256 B with 1 KiB values,
// and the published workload writes a million.
func zooHeap(nodes int, limit limits) string {
	if nodes > 1 {
		return limit.heap(3 << 10)
	}
	return limit.heap(4 << 10)
}

// zookeeperRecipe gets Apache ZooKeeper 3.8 or later from Maven and runs it
// with the exceptions from its defaults that zoo.cfg explains.
func zookeeperRecipe() recipe {
	pom := servers.Text("zookeeper/pom.xml")
	return recipe{
		version:  "3.9.5",
		tools:    []tool{javaTool(0), mavenTool},
		takes:    "about 10 s",
		inputs:   pom,
		ports:    zooPorts,
		parallel: true, // a server alone has no quorum, so it takes no clients
		settings: func(nodes int) [][2]string { return append(javaSetting(), zookeeperSettings(nodes, limits{})...) },
		install:  mavenInstall(ZooKeeper, line{3, 8}, pom, "zookeeper.version"),
		commands: zookeeperCommands,
	}
}

func zookeeperSettings(nodes int, limit limits) [][2]string {
	return [][2]string{
		{"heap", zooHeap(nodes, limit)},
		{"gc", "G1"},
		{"force-sync", "yes"},
		{"snap-count", "100000"},
		{"max-client-cnxns", "unlimited"},
		{"jute-maxbuffer", "1MiB"},
	}
}

// zookeeperCommands writes the configuration of each server below its directory.
func zookeeperCommands(in installation) ([]command, error) {
	j, err := findJava()
	if err != nil {
		return nil, err
	}
	heap := zooHeap(len(in.nodes), limits{})
	var cmds []command
	for i, n := range in.nodes {
		if err := writeZooKeeperConfig(in.nodes, i); err != nil {
			return nil, err
		}
		argv := append(j.command(n.dir),
			"-Xms"+heap, "-Xmx"+heap,
			"-XX:+UseG1GC", // the default, unless the machine has one processor or little memory
			"-XX:+ExitOnOutOfMemoryError",
			"-Djava.net.preferIPv4Stack=true",
			"-Dlogback.configurationFile="+fileURL(n.dir, "conf", "logback.xml"),
			"-cp", filepath.Join(in.dir, "lib", "*"),
			"org.apache.zookeeper.server.quorum.QuorumPeerMain",
			filepath.Join(n.dir, "conf", "zoo.cfg"))
		cmds = append(cmds, command{argv: argv, env: j.env(n.dir), endpoint: n.addr(zooClient)})
	}
	return cmds, nil
}

// writeZooKeeperConfig writes what server i reads when it starts.
func writeZooKeeperConfig(nodes []node, i int) error {
	cfg, err := zooCfg(nodes, i)
	if err != nil {
		return err
	}
	return writeFiles(nodes[i].dir, map[string]string{
		"conf/zoo.cfg":     cfg,
		"conf/logback.xml": servers.Text("zookeeper/logback.xml"),
		"data/myid":        zooID(i) + "\n", // of no interest to a single server
	})
}

func zooCfg(nodes []node, i int) (string, error) {
	var peers []map[string]any
	if len(nodes) > 1 {
		for i, n := range nodes {
			peers = append(peers, map[string]any{
				"ID":           zooID(i),
				"Host":         n.host,
				"PeerPort":     n.ports[zooPeer],
				"ElectionPort": n.ports[zooElection],
			})
		}
	}
	return fillIn(servers.Text("zookeeper/zoo.cfg"), map[string]any{
		"Host":       nodes[i].host,
		"ClientPort": nodes[i].ports[zooClient],
		"Peers":      peers,
	})
}

// zooID returns the name by which the servers know server i: 1 to 255.
func zooID(i int) string { return strconv.Itoa(i + 1) }
