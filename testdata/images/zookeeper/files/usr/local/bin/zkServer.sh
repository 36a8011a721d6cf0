#!/bin/sh
# Replaces itself by the server. As with the distribution's script of this name
# JVMFLAGS come last, and win.
set -eu

if [ "${1-}" != start-foreground ]; then
	echo "zkServer.sh: \"${1-}\": this image knows start-foreground only" >&2
	exit 2
fi

exec java -Xmx"${ZK_SERVER_HEAP:-1000}"m \
	-XX:+PerfDisableSharedMem \
	-Dlogback.configurationFile="$ZOO_CONF_DIR/logback.xml" \
	${SERVER_JVMFLAGS-} ${JVMFLAGS-} \
	-cp "$ZOO_CONF_DIR:/opt/zookeeper/lib/*" \
	org.apache.zookeeper.server.quorum.QuorumPeerMain "$ZOO_CONF_DIR/zoo.cfg"
