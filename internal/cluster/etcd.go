package cluster

import (
	"fmt"
	"path/filepath"
	"strings"

	"kvbench/testdata/servers"
)

// etcdRecipe builds and runs etcd. One default is changed: the backend's quota,
// 2 GiB, above which etcd refuses writes. Durability is the default: a write is
// acknowledged when the logs of a quorum have been synced to disk.
func etcdRecipe() recipe {
	gomod := servers.Text("etcd/go.mod.txt")
	return recipe{
		version:  "3.7.3",
		tools:    []tool{goTool},
		takes:    "about a minute",
		inputs:   gomod,
		ports:    2, // clients, peers
		parallel: true,
		settings: func(int) [][2]string {
			return [][2]string{
				{"fsync", "every commit"},
				{"quota", "8GiB"},
				{"max-txn-ops", "128"},
			}
		},
		install:  goBuild(Etcd, gomod, "go.etcd.io/etcd/server/v3", "etcd"),
		commands: etcdCommands,
	}
}

// etcdCommands starts members that know each other from the beginning.
func etcdCommands(in installation) ([]command, error) {
	var members []string
	for i, n := range in.nodes {
		members = append(members, fmt.Sprintf("%s=http://%s", nodeHost(i), n.addr(1)))
	}
	var cmds []command
	for i, n := range in.nodes {
		client, peer := "http://"+n.addr(0), "http://"+n.addr(1)
		cmds = append(cmds, command{
			argv: append([]string{
				filepath.Join(in.dir, "etcd"),
				"--listen-client-urls", client, "--advertise-client-urls", client,
				"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
			}, etcdFlags(nodeHost(i), filepath.Join(n.dir, "data"), members)...),
			endpoint: n.addr(0),
		})
	}
	return cmds, nil
}

// etcdFlags are the flags of a member that don't depend on where it runs.
// Members are name=peerURL.
func etcdFlags(name, data string, members []string) []string {
	return []string{
		"--name", name,
		"--data-dir", data,
		"--initial-cluster", strings.Join(members, ","),
		"--initial-cluster-state", "new",
		"--quota-backend-bytes", fmt.Sprint(8 << 30),
		"--max-txn-ops", "128",
		"--log-outputs", "stderr",
	}
}
