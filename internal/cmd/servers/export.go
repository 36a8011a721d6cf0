package main

import (
	"fmt"
	"regexp"
	"strings"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
)

// exports returns the lines that tell a shell how to run benchmarks on a cluster.
// Nothing that an earlier cluster has left is to count: nodes that speak CQL know
// each other by addresses that may have to be translated. Nor is what the systems'
// own tools are set up for, which are other clusters.
func exports(k *cluster.Kept) string {
	prefix := setting.Prefix(string(k.System))
	text := assign(prefix+"_ENDPOINTS", strings.Join(k.Endpoints(), ","))
	switch k.System {
	case cluster.Cassandra, cluster.Yugabyte, cluster.Scylla:
		text += assign(prefix+"_TRANSLATE", setting.Translation(k.Translate).String())
	}
	return text + assign("BENCH_BORROW", "false")
}

// plain is a text that a shell takes as it stands.
var plain = regexp.MustCompile(`^[0-9A-Za-z.,:=_/-]*$`)

func assign(name, value string) string {
	if !plain.MatchString(value) {
		value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return fmt.Sprintf("export %s=%s\n", name, value)
}
