#!/bin/sh
# Puts what the variables CASSANDRA_… say, and the container's address where they
# say nothing, into the configuration; then runs the command, as a user without
# privileges if it is the server.
set -eu

case ${1-} in
'' | -*) set -- cassandra -f "$@" ;;
esac

if [ "$1" = cassandra ] && [ "$(id -u)" = 0 ]; then
	chown -R cassandra:cassandra "$CASSANDRA_CONF" /var/lib/cassandra /var/log/cassandra
	exec su -p -s /bin/sh -- cassandra "$0" "$@"
fi

# address prints its argument, or the container's IPv4 address in place of "auto".
address() {
	if [ "$1" != auto ]; then
		echo "$1"
	else
		ip -4 addr show scope global | sed -n 's,^ *inet \([0-9.]*\).*,\1,p' | head -n 1
	fi
}

# put sets a line of a file, one that is commented out as well, to a key and a
# value, unless the value is empty. The file stays the same one: it may be mounted.
put() {
	[ -n "$3" ] || return 0
	sed "s|^\(# *\)\{0,1\}\( *$2\).*|\2$3|" "$1" >/tmp/edited
	cat /tmp/edited >"$1"
	rm /tmp/edited
}

if [ "$1" = cassandra ]; then
	listen=$(address "${CASSANDRA_LISTEN_ADDRESS:-auto}")
	broadcast=$(address "${CASSANDRA_BROADCAST_ADDRESS:-$listen}")
	yaml=$CASSANDRA_CONF/cassandra.yaml
	put "$yaml" '- seeds: ' "\"${CASSANDRA_SEEDS:-$broadcast}\""
	put "$yaml" 'listen_address: ' "$listen"
	put "$yaml" 'broadcast_address: ' "$broadcast"
	put "$yaml" 'rpc_address: ' "${CASSANDRA_RPC_ADDRESS:-0.0.0.0}"
	put "$yaml" 'broadcast_rpc_address: ' "${CASSANDRA_BROADCAST_RPC_ADDRESS:-$broadcast}"
	put "$yaml" 'cluster_name: ' "${CASSANDRA_CLUSTER_NAME-}"
	put "$yaml" 'num_tokens: ' "${CASSANDRA_NUM_TOKENS-}"
	put "$yaml" 'endpoint_snitch: ' "${CASSANDRA_ENDPOINT_SNITCH-}"
	put "$CASSANDRA_CONF/cassandra-rackdc.properties" dc= "${CASSANDRA_DC-}"
	put "$CASSANDRA_CONF/cassandra-rackdc.properties" rack= "${CASSANDRA_RACK-}"
fi

exec "$@"
