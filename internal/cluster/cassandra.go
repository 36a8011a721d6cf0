package cluster

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kvbench/testdata/servers"
)

// Indices into the ports of a Cassandra node.
const (
	cassandraNative  = iota // CQL
	cassandraStorage        // between nodes
	cassandraPorts
)

// cassandraRecipe gets Apache Cassandra 4.1 or later from Maven and runs it as
// the distribution would, with the exceptions that cassandra.yaml and
// jvm.options explain. Nodes differ by address, not by port: clients learn the
// addresses of the others from one node, and take it that the port is the same.
//
// All versions run in Java 17, so that what is compared is Cassandra: 5.0 is
// made for 11 and 17, 4.1 for 8 and 11, but it works in 17 with a few flags.
func cassandraRecipe() recipe {
	pom := servers.Text("cassandra/pom.xml")
	return recipe{
		version: "5.0.5",
		tools:   []tool{javaTool(17), mavenTool},
		takes:   "about half a minute",
		inputs:  pom,
		ports:   cassandraPorts,
		hosts:   hostEach,
		settings: func(nodes int) [][2]string {
			return append(javaSetting(), append([][2]string{{"gc", "G1"}}, cassandraSettings(nodes, limits{})...)...)
		},
		install:  cassandraInstall(mavenInstall(Cassandra, line{4, 1}, pom, "cassandra.version")),
		commands: cassandraCommands,
	}
}

func cassandraSettings(nodes int, limit limits) [][2]string {
	return [][2]string{
		{"heap", cassandraHeap(nodes, limit)},
		{"commitlog-sync", "periodic 10s"},
		{"hinted-handoff", "on"},
		{"auto-snapshot", "off"},
		{"compaction-throughput", "64MiB/s"},
		{"concurrent-reads", "32"},
		{"concurrent-writes", "32"},
		{"batch-limit", "50KiB"},
	}
}

// cassandraHeap returns the size of each node's heap. Three nodes are to fit
// into a laptop beside everything else.
func cassandraHeap(nodes int, limit limits) string {
	if nodes > 1 {
		return limit.heap(768)
	}
	return limit.heap(2 << 10)
}

// compilerHints are for the just-in-time compiler: which methods to inline. The
// distribution passes them to the virtual machine; in Maven's they are in
// Cassandra's jar, as META-INF/hotspot_compiler.
const compilerHints = "hotspot_compiler"

// cassandraInstall returns an install function that calls get and then takes
// the compiler hints out of the jar.
func cassandraInstall(get func(ctx context.Context, version string, at site) error) func(ctx context.Context, version string, at site) error {
	return func(ctx context.Context, version string, at site) error {
		if err := get(ctx, version, at); err != nil {
			return err
		}
		jar, err := zip.OpenReader(filepath.Join(at.dir, "lib", "cassandra-all-"+version+".jar"))
		if err != nil {
			return err
		}
		defer jar.Close()
		hints, err := fs.ReadFile(jar, "META-INF/"+compilerHints)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(at.dir, compilerHints), hints, 0o644)
	}
}

// cassandraCommands writes the configuration of each node below its directory.
func cassandraCommands(in installation) ([]command, error) {
	j, err := findJava()
	if err != nil {
		return nil, err
	}
	agent, err := cassandraAgent(in.dir)
	if err != nil {
		return nil, err
	}
	var cmds []command
	for i, n := range in.nodes {
		if err := writeCassandraConfig(in.nodes, i); err != nil {
			return nil, err
		}
		cmds = append(cmds, command{
			argv:     cassandraArgv(in, n, j, agent),
			env:      append(j.env(n.dir), "MALLOC_ARENA_MAX=4"), // as distributed
			endpoint: n.addr(cassandraNative),
		})
	}
	return cmds, nil
}

func cassandraArgv(in installation, n node, j java, agent string) []string {
	heap := cassandraHeap(len(in.nodes), limits{})
	argv := append(j.command(n.dir),
		"@"+filepath.Join(n.dir, "conf", "jvm.options"),
		"-Xms"+heap, "-Xmx"+heap,
		"-javaagent:"+agent,
		"-XX:CompileCommandFile="+filepath.Join(in.dir, compilerHints),
		"-Dcassandra.config="+fileURL(n.dir, "conf", "cassandra.yaml"),
		"-Dlogback.configurationFile="+fileURL(n.dir, "conf", "logback.xml"),
		"-Dcassandra.storagedir="+filepath.Join(n.dir, "data"),
		"-Dcassandra.logdir="+filepath.Join(n.dir, "logs"))
	return append(argv, "-cp", filepath.Join(in.dir, "lib", "*"), "org.apache.cassandra.service.CassandraDaemon")
}

// cassandraAgent returns the jar of the library that measures objects in
// memory. Each version of Cassandra comes with one of its own; as an agent it
// can ask the virtual machine instead of guessing.
func cassandraAgent(dir string) (string, error) {
	jars, err := filepath.Glob(filepath.Join(dir, "lib", "jamm-*.jar"))
	if err == nil && len(jars) != 1 {
		err = fmt.Errorf("%s: want one jamm-*.jar, have %q", filepath.Join(dir, "lib"), jars)
	}
	if err != nil {
		return "", err
	}
	return jars[0], nil
}
