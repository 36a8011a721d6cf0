package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// goTool is the tool of recipes that build a server written in Go.
var goTool = tool{name: "go", hint: "install Go (https://go.dev/dl)", install: true}

// goBuild returns an install function that builds the server whose main package
// is also the root of a module, as dir/binary. gomod is the text of the module
// that the build happens in: the suite's own dependencies have no part in it.
// That module's go.mod and go.sum stay beside the binary, as a bill of materials.
func goBuild(sys System, gomod, pkg, binary string) func(ctx context.Context, version string, at site) error {
	env := []string{
		"GOFLAGS=-mod=mod", // and nothing of the user's: a server built with -race would be measured
		"GOWORK=off",
		"GO111MODULE=on",
		"GOOS=" + runtime.GOOS,
		"GOARCH=" + runtime.GOARCH,
		"CGO_ENABLED=0", // no C compiler needed, the same binary everywhere
	}
	return func(ctx context.Context, version string, at site) error {
		if err := os.WriteFile(filepath.Join(at.dir, "go.mod"), []byte(gomod), 0o644); err != nil {
			return err
		}
		if err := at.run(ctx, env, "go", "get", pkg+"@v"+version); err != nil {
			return fmt.Errorf("%s %q: %w", sys.variable("VERSION"), version, err)
		}
		return at.run(ctx, env, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, pkg)
	}
}
