# Configuration of one Consul server, a text/template. What isn't set here is
# Consul's default, above all that a write is synced to the logs of a quorum
# before it is acknowledged.

server           = true
node_name        = "{{.Name}}"
data_dir         = "{{.Data}}"
bootstrap_expect = {{len .Peers}}

# Loopback only, and only what a client of the key-value store needs.
bind_addr   = "{{.Host}}"
client_addr = "{{.Host}}"
ports {
  http     = {{.HTTP}}
  server   = {{.RPC}}
  serf_lan = {{.Serf}}
  serf_wan = -1
  https    = -1
  grpc     = -1
  grpc_tls = -1
  dns      = -1
}

# Servers that start together try again soon, not after the default 30 s.
retry_join     = [{{range $i, $peer := .Peers}}{{if $i}}, {{end}}"{{$peer}}"{{end}}]
retry_interval = "250ms"

# The timing that Consul's documentation advises for production; 5 is for
# machines of the smallest kind.
performance {
  raft_multiplier = 1
}

# No limit: by default an address may open 200 connections, and all clients of
# a benchmark have one address.
limits {
  http_max_conns_per_client = 0
}

# Nothing goes out.
disable_update_check = true
