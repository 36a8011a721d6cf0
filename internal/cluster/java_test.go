package cluster

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindJava asks launchers that say what real ones do.
func TestFindJava(t *testing.T) {
	for _, tc := range []struct {
		says    string
		version string
		major   int
	}{
		{`openjdk version "17.0.15" 2025-04-15`, "17.0.15", 17},
		{`openjdk version "25" 2025-09-16`, "25", 25},
		{`java version "21-ea" 2023-09-19`, "21-ea", 21},
		{`java version "1.8.0_442"`, "1.8.0_442", 1},
		{"Picked up JAVA_TOOL_OPTIONS: -Dx=1\nopenjdk version \"17.0.1\" 2021-10-19", "17.0.1", 17},
	} {
		home := fakeJava(t, "cat >&2 <<'EOF'\n"+tc.says+"\nEOF")
		t.Setenv("JAVA_HOME", home)
		j, err := findJava()
		if err != nil || j.version != tc.version || j.major != tc.major || !strings.HasPrefix(j.path, home) {
			t.Errorf("%q: %+v, %v; want version %s, major %d in %s", tc.says, j, err, tc.version, tc.major, home)
		}
	}
}

func TestNoJava(t *testing.T) {
	t.Setenv("JAVA_HOME", t.TempDir())
	_, err := Find(t.Context(), Spec{System: Cassandra, Force: "process", Ready: at(cqlReady)})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "openjdk-17-jre-headless") {
		t.Errorf("error %v: want ErrNone, and what to install", err)
	}
	if s := javaSetting(); s != nil {
		t.Errorf("setting %q without a Java", s)
	}
}

// TestCassandraNeedsJava17: another Java is a missing one, not a server that
// dies of a flag it doesn't know. ZooKeeper takes any.
func TestCassandraNeedsJava17(t *testing.T) {
	t.Setenv("JAVA_HOME", fakeJava(t, `echo 'openjdk version "21.0.2"' >&2`))
	_, err := Find(t.Context(), Spec{System: Cassandra, Force: "process", Ready: at(cqlReady)})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "is of Java 21.0.2, where Java 17 is needed") {
		t.Errorf("Cassandra: error %v", err)
	}
	if err := missingTool([]tool{javaTool(0)}, true); err != nil {
		t.Errorf("ZooKeeper: error %v", err)
	}
}

// TestBrokenJava: a launcher without a virtual machine behind it, such as
// macOS's own, is a missing one.
func TestBrokenJava(t *testing.T) {
	t.Setenv("JAVA_HOME", fakeJava(t, "echo no runtime present >&2; exit 1"))
	_, err := Find(t.Context(), Spec{System: ZooKeeper, Force: "process", Ready: at(zooReady)})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "no runtime present") || !strings.Contains(err.Error(), "openjdk-17") {
		t.Errorf("error %v", err)
	}
}

// fakeJava returns a JAVA_HOME whose launcher runs script.
func fakeJava(t *testing.T, script string) string {
	t.Helper()
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "java"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return home
}

func skipWithoutJava(t *testing.T) {
	t.Helper()
	if err := missingTool([]tool{javaTool(0)}, true); err != nil {
		t.Skip(err)
	}
}

func skipWithoutMaven(t *testing.T) {
	t.Helper()
	if err := missingTool([]tool{mavenTool}, false); err != nil {
		t.Skip(err)
	}
}

func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes half a minute: run without -short")
	}
}

func hostsOf(endpoints []string) []string {
	var hosts []string
	for _, ep := range endpoints {
		host, _, _ := net.SplitHostPort(ep) // they are ours
		hosts = append(hosts, host)
	}
	return hosts
}

// assertNoErrors checks that no server of c had anything worse to log than a
// warning.
func assertNoErrors(t *testing.T, c *Cluster) {
	t.Helper()
	for i, s := range c.Servers {
		text, err := os.ReadFile(s.LogFile)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "INFO ") {
			t.Errorf("node %d: nothing logged:\n%s", i+1, text)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "ERROR") || strings.Contains(line, "|-ERROR") { // the latter is of the logger itself
				t.Errorf("node %d: %s", i+1, line)
			}
		}
	}
}
