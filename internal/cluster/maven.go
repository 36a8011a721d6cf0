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
// Versions below oldest are refused: their definitions would be others.
func mavenInstall(system System, oldest line, pom, property string) func(ctx context.Context, version string, at site) error {
	return func(ctx context.Context, version string, at site) error {
		if lineOf(version).before(oldest) {
			return fmt.Errorf("%s %q: want %d.%d or later", system.variable("VERSION"), version, oldest.major, oldest.minor)
		}
		if err := os.WriteFile(filepath.Join(at.dir, "pom.xml"), []byte(pom), 0o644); err != nil {
			return err
		}
		err := at.run(ctx, nil, "mvn",
			"--batch-mode", "--quiet", "-Dstyle.color=never",
			"--strict-checksums",
			"--update-snapshots", // look again for what was missing yesterday: it may be released today
			"-D"+property+"="+version,
			"-DincludeScope=runtime",
			"-DoutputDirectory="+filepath.Join(at.dir, "lib"),
			"dependency:copy-dependencies")
		if err != nil && strings.Contains(err.Error(), "Could not find artifact") && strings.Contains(err.Error(), ":"+version+" ") {
			return fmt.Errorf("%s %q: Maven has no such version", system.variable("VERSION"), version)
		}
		return err
	}
}

// A line is a series of versions, such as 4.1.
type line struct{ major, minor int }

// lineOf returns the line of a version such as 4.1.10.
func lineOf(version string) line {
	var l line
	_, _ = fmt.Sscanf(version, "%d.%d", &l.major, &l.minor) // versionForm has been checked; else 0.0
	return l
}

func (l line) before(m line) bool {
	return l.major < m.major || l.major == m.major && l.minor < m.minor
}
