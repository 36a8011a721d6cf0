#!/usr/bin/env bash
# Measures a version each night beside one that stays, adds the medians to a
# history file, and compares the night with those before.
#
#   SYSTEM=etcd REFERENCE=3.5.21 VERSION=3.7.3 HISTORY=history.txt testdata/ci/nightly.sh
#
# Both sides take turns, and what is compared is their ratio: a slow host, or a
# busy hour, is in both. Exit status: 0 nothing is worse, or the history is too
# short yet; 1 something is worse; 2 it can't be told, and nothing was added.
set -euo pipefail
cd "$(dirname "$0")/../.."

: "${SYSTEM:?a system, such as etcd}" "${REFERENCE:?what stays}" "${VERSION:?what is to be judged}" "${HISTORY:?a file}"
LAST=${LAST:-14} # nights that are the baseline
NIGHT=${NIGHT:-$(date -u +%Y-%m-%dT%H:%M:%SZ)}
OUT=${OUT:-results/night-${NIGHT//:/}}
# Hosts may differ from night to night, and compilers: both sides have the same.
DIFFER=${DIFFER:-*-version,*-image,suite-commit,go,cpu,client-cpus}
# Each unit more makes all of them harder to tell from chance.
UNITS=${UNITS:-ops/s,p50-ns,p99-ns,read-p50-ns,read-p99-ns,write-p50-ns,write-p99-ns}

status=0
OLD=$REFERENCE NEW=$VERSION OUT=$OUT SEED=${SEED:-$(date -u +%Y%m%d)} \
	GATE="-history $HISTORY -append -last $LAST -night $NIGHT -differ $DIFFER -unit $UNITS ${GATE:-}" \
	testdata/ci/compare.sh || status=$?
[ "$status" != 3 ] || status=0
exit "$status"
