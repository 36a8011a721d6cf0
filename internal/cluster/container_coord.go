package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Containers of the coordination stores. What isn't set has the server's
// default, and what is set is what the process source sets, for the same reason:
// see etcd.go, and the definitions in testdata/servers.

// etcdBoxing follows etcd's guide to running it in a container.
func etcdBoxing() boxing {
	const data = "/etcd-data"
	return boxing{
		port:     2379,
		data:     data,
		parallel: true,
		settings: func(nodes int, _ limits) [][2]string { return etcdRecipe().settings(nodes) },
		boxes: func(nodes int, _ limits) ([]box, error) {
			var members []string
			for _, host := range nodeHosts(nodes) {
				members = append(members, fmt.Sprintf("%s=http://%s:2380", host, host))
			}
			var boxes []box
			for _, host := range nodeHosts(nodes) {
				boxes = append(boxes, box{cmd: append([]string{
					"/usr/local/bin/etcd",
					"--listen-client-urls", "http://0.0.0.0:2379", "--advertise-client-urls", fmt.Sprintf("http://%s:2379", host),
					"--listen-peer-urls", "http://0.0.0.0:2380", "--initial-advertise-peer-urls", fmt.Sprintf("http://%s:2380", host),
				}, etcdFlags(host, data, members)...)})
			}
			return boxes, nil
		},
	}
}

// zookeeperBoxing has the image's entry point write the configuration that
// zookeeper/zoo.cfg is for processes.
func zookeeperBoxing() boxing {
	return boxing{
		port:     2181,
		data:     "/data",
		parallel: true, // a server alone has no quorum, so it takes no clients
		settings: zookeeperSettings,
		boxes: func(nodes int, limit limits) ([]box, error) {
			var peers []string
			for i, host := range nodeHosts(nodes) {
				peers = append(peers, fmt.Sprintf("server.%s=%s:2888:3888;2181", zooID(i), host))
			}
			var boxes []box
			for i := range nodes {
				boxes = append(boxes, zookeeperBox(i, peers, zooHeap(nodes, limit)))
			}
			return boxes, nil
		},
	}
}

func zookeeperBox(i int, peers []string, heap string) box {
	env := []string{
		"ZOO_TICK_TIME=2000",
		"ZOO_INIT_LIMIT=10",
		"ZOO_SYNC_LIMIT=5",
		"ZOO_MAX_CLIENT_CNXNS=0",
		"ZOO_AUTOPURGE_PURGEINTERVAL=1",
		"ZOO_AUTOPURGE_SNAPRETAINCOUNT=3",
		"ZOO_ADMINSERVER_ENABLED=false",
		"ZOO_4LW_COMMANDS_WHITELIST=srvr",
		// The scripts put a heap of 1000m before these, and the last one counts.
		fmt.Sprintf("JVMFLAGS=-Xms%s -Xmx%s -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Djava.net.preferIPv4Stack=true", heap, heap),
	}
	if len(peers) > 1 {
		env = append(env, "ZOO_MY_ID="+zooID(i), "ZOO_SERVERS="+strings.Join(peers, " "))
	}
	return box{env: env}
}

// consulBoxing hands the agent the configuration that consul/server.hcl is for
// processes, in the variable that the image's entry point reads.
func consulBoxing() boxing {
	return boxing{
		port:     8500,
		data:     "/consul/data",
		parallel: true,
		settings: func(nodes int, _ limits) [][2]string { return consulRecipe().settings(nodes) },
		boxes: func(nodes int, _ limits) ([]box, error) {
			var boxes []box
			for _, host := range nodeHosts(nodes) {
				config, err := json.Marshal(map[string]any{
					"server":               true,
					"node_name":            host,
					"bootstrap_expect":     nodes,
					"client_addr":          "0.0.0.0",
					"retry_join":           nodeHosts(nodes),
					"retry_interval":       "250ms",
					"performance":          map[string]any{"raft_multiplier": 1},
					"limits":               map[string]any{"http_max_conns_per_client": 0},
					"disable_update_check": true,
				})
				if err != nil {
					return nil, err
				}
				boxes = append(boxes, box{env: []string{"CONSUL_LOCAL_CONFIG=" + string(config)}, cmd: []string{"agent"}})
			}
			return boxes, nil
		},
	}
}
