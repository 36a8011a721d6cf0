package cluster

import (
	"fmt"
	"path/filepath"

	"kvbench/testdata/servers"
)

// consulRecipe builds and runs Consul servers, of the last line that is free
// software. Two defaults are changed, as consul/server.hcl explains: the limit
// of 200 connections from one address, and the slow raft timing.
func consulRecipe() recipe {
	gomod := servers.Text("consul/go.mod.txt")
	return recipe{
		version:  "1.14.11",
		tools:    []tool{goTool},
		takes:    "about 6 minutes",
		inputs:   gomod,
		ports:    3, // HTTP, RPC, gossip
		parallel: true,
		settings: func(int) [][2]string {
			return [][2]string{
				{"fsync", "every commit"},
				{"raft-multiplier", "1"},
				{"http-max-conns-per-client", "unlimited"},
			}
		},
		install:  goBuild(Consul, gomod, "github.com/hashicorp/consul", "consul"),
		commands: consulCommands,
	}
}

// consulCommands writes a configuration for each server and starts it with that.
func consulCommands(in installation) ([]command, error) {
	var peers []string
	for _, n := range in.nodes {
		peers = append(peers, n.addr(2))
	}
	var cmds []command
	for i, n := range in.nodes {
		config, err := fillIn(servers.Text("consul/server.hcl"), map[string]any{
			"Name":  fmt.Sprintf("node%d", i+1),
			"Data":  filepath.Join(n.dir, "data"),
			"Host":  n.host,
			"HTTP":  n.ports[0],
			"RPC":   n.ports[1],
			"Serf":  n.ports[2],
			"Peers": peers,
		})
		if err != nil {
			return nil, err
		}
		if err := writeFiles(n.dir, map[string]string{"server.hcl": config}); err != nil {
			return nil, err
		}
		cmds = append(cmds, command{
			argv:     []string{filepath.Join(in.dir, "consul"), "agent", "-config-file", filepath.Join(n.dir, "server.hcl")},
			endpoint: n.addr(0),
		})
	}
	return cmds, nil
}
