#!/bin/sh
# Writes the configuration that the variables ZOO_… describe, unless there is one,
# and runs the command, as a user without privileges if it is the server.
set -eu

if [ "${1-}" = zkServer.sh ] && [ "$(id -u)" = 0 ]; then
	chown -R zookeeper:zookeeper "$ZOO_DATA_DIR" "$ZOO_DATA_LOG_DIR" "$ZOO_LOG_DIR" "$ZOO_CONF_DIR"
	exec su -p -s /bin/sh -- zookeeper "$0" "$@"
fi

configuration() {
	cat <<-END
		dataDir=$ZOO_DATA_DIR
		dataLogDir=$ZOO_DATA_LOG_DIR
		tickTime=$ZOO_TICK_TIME
		initLimit=$ZOO_INIT_LIMIT
		syncLimit=$ZOO_SYNC_LIMIT
		autopurge.purgeInterval=$ZOO_AUTOPURGE_PURGEINTERVAL
		autopurge.snapRetainCount=$ZOO_AUTOPURGE_SNAPRETAINCOUNT
		maxClientCnxns=$ZOO_MAX_CLIENT_CNXNS
		standaloneEnabled=$ZOO_STANDALONE_ENABLED
		admin.enableServer=$ZOO_ADMINSERVER_ENABLED
	END
	if [ -n "${ZOO_4LW_COMMANDS_WHITELIST-}" ]; then
		echo "4lw.commands.whitelist=$ZOO_4LW_COMMANDS_WHITELIST"
	fi
	# Lists of lines, separated by spaces. A server alone isn't asked for its others.
	for line in ${ZOO_SERVERS:-'server.1=localhost:2888:3888;2181'} ${ZOO_CFG_EXTRA-}; do
		echo "$line"
	done
}

[ -f "$ZOO_CONF_DIR/zoo.cfg" ] || configuration >"$ZOO_CONF_DIR/zoo.cfg"
[ -f "$ZOO_DATA_DIR/myid" ] || echo "${ZOO_MY_ID:-1}" >"$ZOO_DATA_DIR/myid"

exec "$@"
