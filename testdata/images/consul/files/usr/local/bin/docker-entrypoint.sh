#!/bin/sh
# What "agent" stands for: Consul with the image's directories, the text of
# CONSUL_LOCAL_CONFIG as configuration, and the addresses of the interfaces that
# CONSUL_BIND_INTERFACE and CONSUL_CLIENT_INTERFACE name. All else is run as it is.
set -eu

# address prints the IPv4 address of an interface.
address() {
	found=$(ip -4 addr show dev "$1" | sed -n 's,^ *inet \([0-9.]*\).*,\1,p' | head -n 1)
	[ -n "$found" ] || { echo "docker-entrypoint.sh: interface $1 has no address" >&2; return 1; }
	echo "$found"
}

data=${CONSUL_DATA_DIR:-/consul/data}
config=${CONSUL_CONFIG_DIR:-/consul/config}

case ${1-} in
agent)
	shift
	if [ -n "${CONSUL_CLIENT_INTERFACE-}" ]; then
		client=$(address "$CONSUL_CLIENT_INTERFACE")
		set -- -client="$client" "$@"
	fi
	if [ -n "${CONSUL_BIND_INTERFACE-}" ]; then
		bind=$(address "$CONSUL_BIND_INTERFACE")
		set -- -bind="$bind" "$@"
	fi
	if [ -n "${CONSUL_LOCAL_CONFIG-}" ]; then
		printf '%s\n' "$CONSUL_LOCAL_CONFIG" >"$config/local.json"
	fi
	set -- consul agent -data-dir="$data" -config-dir="$config" "$@"
	;;
-*)
	set -- consul "$@"
	;;
esac

# The server replaces this shell, as process 1, and so gets its signals.
if [ "${1-}" = consul ] && [ "$(id -u)" = 0 ]; then
	chown -R consul:consul "$data" "$config"
	exec su -p -s /bin/sh -- consul -c 'exec "$@"' sh "$@"
fi
exec "$@"
