package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mavenTool is the tool of recipes that get a server from a Maven repository.
var mavenTool = tool{name: "mvn", hint: "install Maven 3 (Debian: maven)", install: true}

// mavenInstall returns an install function that copies a server and everything
// it needs at run time to dir/lib. pom is a project that depends on the server
// in the version given by property. It stays in dir, as a bill of materials.
func mavenInstall(system System, pom, property string) func(ctx context.Context, version, dir string) error {
	return func(ctx context.Context, version, dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom), 0o644); err != nil {
			return err
		}
		err := runTool(ctx, dir, nil, "mvn",
			"--batch-mode", "--quiet", "-Dstyle.color=never",
			"--strict-checksums",
			"--update-snapshots", // look again for what was missing yesterday: it may be released today
			"-D"+property+"="+version,
			"-DincludeScope=runtime",
			"-DoutputDirectory="+filepath.Join(dir, "lib"),
			"dependency:copy-dependencies")
		if err != nil && strings.Contains(err.Error(), "Could not find artifact") && strings.Contains(err.Error(), ":"+version+" ") {
			return fmt.Errorf("%s %q: Maven has no such version", system.variable("VERSION"), version)
		}
		return err
	}
}
