package suite

import (
	"os/exec"
	"strings"
)

// Commit returns the suite's own commit, with "-dirty" if files differ from it,
// or "unknown" outside a checkout of the suite. Test binaries don't carry it.
func Commit() string {
	if out, err := exec.Command("go", "list", "-m").Output(); err != nil || strings.TrimSpace(string(out)) != "kvbench" {
		return "unknown"
	}
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
