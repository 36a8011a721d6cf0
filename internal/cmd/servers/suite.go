package main

import (
	"context"
	"os/exec"
	"strings"
)

// suite returns the commit of the suite that runs, "" if that isn't known.
func suite(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
