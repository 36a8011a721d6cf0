#!/usr/bin/env bash
# Compares two versions, images or commits by turns, for a pull request.
#
#   SYSTEM=etcd OLD=3.5.21 NEW=3.7.3 testdata/ci/compare.sh
#
# OUT, a directory, then holds comment.md for the pull request, gate.json for
# programs, results.txt and the output of each repetition. An interrupted
# comparison goes on where it was. Exit status: 0 nothing is worse, 1 something is,
# 2 it can't be told.
set -euo pipefail
cd "$(dirname "$0")/../.."

: "${SYSTEM:?a system, such as etcd}" "${OLD:?what is there}" "${NEW:?what is to be judged}"
BY=${BY:-version}           # version, image, endpoints, or commit of this suite
BENCH=${BENCH:-.}           # as -bench, without the system
BENCHTIME=${BENCHTIME:-10s} # of each benchmark and repetition
COUNT=${COUNT:-10}          # repetitions a side
SEED=${SEED:-1}             # of the order within the pairs
GATE=${GATE:-}              # flags of benchgate, such as -min 10
OUT=${OUT:-results/compare}

mkdir -p "$OUT"
status=0
go tool benchab -system "$SYSTEM" -by "$BY" -old "$OLD" -new "$NEW" -bench "$BENCH" -benchtime "$BENCHTIME" \
	-count "$COUNT" -seed "$SEED" -gate "$GATE" -dir "$OUT" || status=$?

# The comment: the verdict, and what it is the verdict of.
{
	if [ -s "$OUT/gate.md" ]; then
		cat "$OUT/gate.md"
	else
		printf '### Benchmarks: it can'\''t be told\n\nNothing could be measured: the log says why.\n'
	fi
	# shellcheck disable=SC2016 # Markdown's quotes, not the shell's
	printf '\n%s %s: `%s` against `%s`, %s repetitions of %s each, by turns on one machine.\n' "$SYSTEM" "$BY" "$NEW" "$OLD" "$COUNT" "$BENCHTIME"
	for failed in "$OUT"/*.failed; do
		[ ! -e "$failed" ] || printf '\nA repetition failed: %s.\n' "$(basename "$failed" .failed)"
	done
} >"$OUT/comment.md"
exit "$status"
