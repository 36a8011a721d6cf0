package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// javaTool is the tool of recipes that run a server in a Java virtual machine.
// If the server runs in one version of Java only, major names it; 0 is any.
func javaTool(major int) tool {
	return tool{
		name: javaLauncher(),
		hint: "install a JDK 17 (Debian: openjdk-17-jre-headless), or set JAVA_HOME to one",
		unfit: func() error {
			j, err := findJava()
			if err == nil && major != 0 && j.major != major {
				err = fmt.Errorf("%s is of Java %s, where Java %d is needed", j.path, j.version, major)
			}
			return err
		},
	}
}

// javaLauncher returns JAVA_HOME's launcher if that is set, else PATH's.
func javaLauncher() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return filepath.Join(home, "bin", "java")
	}
	return "java"
}

// A java is a Java virtual machine.
type java struct {
	path    string // of the launcher
	version string // as it says, e.g. "17.0.15"
	major   int    // e.g. 17
}

var javaVersion = regexp.MustCompile(`version "(([0-9]+)[^"]*)"`)

// findJava returns the launcher's virtual machine, after asking for its version.
func findJava() (java, error) {
	path, err := exec.LookPath(javaLauncher())
	if err != nil {
		return java{}, err
	}
	out, err := exec.Command(path, "-version").CombinedOutput()
	if err != nil {
		return java{}, fmt.Errorf("%s -version: %w\n%s", path, err, out)
	}
	m := javaVersion.FindSubmatch(out)
	if m == nil {
		return java{}, fmt.Errorf("%s -version: no version in %q", path, out)
	}
	major, err := strconv.Atoi(string(m[2]))
	return java{path: path, version: string(m[1]), major: major}, err
}

// javaSetting tells which virtual machine the servers run in. Without one there
// is nothing to tell: no server will start, and its error says why.
func javaSetting() [][2]string {
	j, err := findJava()
	if err != nil {
		return nil
	}
	return [][2]string{{"java", j.version}}
}

// env is the environment of a server in dir: libraries that don't know of Java's
// temporary directory (libffi) use this one.
func (j java) env(dir string) []string { return []string{"TMPDIR=" + dir} }

// command begins the command line of a server in dir, an existing directory.
// What a virtual machine and its libraries leave in shared places stays there:
// native code that they unpack, performance counters, crash reports.
func (j java) command(dir string) []string {
	return []string{
		j.path,
		"-Djava.io.tmpdir=" + dir,
		"-Djna.tmpdir=" + dir,       // else ~/.cache/JNA
		"-XX:+PerfDisableSharedMem", // no /tmp/hsperfdata_*
		"-XX:ErrorFile=" + filepath.Join(dir, "hs_err_pid%p.log"),
	}
}
