package policy

import (
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "kvbench/"

// benchmarks are the packages of benchmarks.
var benchmarks = map[string]bool{"kv": true, "batch": true, "coord": true}

// arrow says which packages of this module a package may import: those that
// come later. What a benchmark is made of points down to what it is made from,
// and never back.
var arrow = []struct {
	dir     string
	imports string // separated by spaces
}{
	{"kv", "suite cluster target/cql workload"},
	{"batch", "suite cluster target/cql"},
	{"coord", "suite cluster workload"},
	{"internal/suite", "access report verdict setting load target/cql target/etcd target/zookeeper target/consul target cluster record workload"},
	{"internal/report", "target record"},
	{"internal/verdict", "report record"},
	{"internal/setting", "workload access"},
	{"internal/load", "target record"},
	{"internal/target/targettest", "target cluster record"},
	{"internal/target/cql", "target access"},
	{"internal/target/etcd", "target access"},
	{"internal/target/zookeeper", "target access"},
	{"internal/target/consul", "target access"},
	{"internal/target/fake", "target"},
	{"internal/target", "record"},
	{"internal/cluster", "testdata/servers"},
	{"internal/access/accesstest", ""},
	{"internal/access", ""},
	{"internal/record", ""},
	{"internal/workload", ""},
	{"internal/policy", ""},
	{"internal/gate", "results"},
	{"internal/results", ""},
	{"internal/chart", ""},
	{"internal/benchreport", "chart results testdata/published"},
	{"internal/cmd/servers", "setting cluster suite"},
	{"internal/cmd/benchab", "gate"},
	{"internal/cmd/benchgate", "gate"},
	{"internal/cmd/benchreport", "benchreport chart results"},
	{"internal/cmd/images", "cluster setting testdata/images testdata/servers"},
	{"internal/cmd/testlog", ""},
	{"testdata/images", ""},
	{"testdata/published", ""},
	{"testdata/servers", ""},
}

func TestArrow(t *testing.T) {
	seen := imported(t, func(s *source) bool { return !s.isTest() || benchmarks[s.dir()] })
	dirs := map[string]bool{}
	for _, a := range arrow {
		dirs[a.dir] = true
		allowed := map[string]bool{}
		for _, name := range strings.Fields(a.imports) {
			allowed[path(name)] = true
		}
		for name := range seen[a.dir] {
			if strings.HasPrefix(name, module) && !allowed[name] {
				t.Errorf("%s must not import %s; what it may import is said in this test", a.dir, name)
			}
			delete(allowed, name)
		}
		for name := range allowed {
			t.Errorf("%s does not import %s, as this test says; take it out", a.dir, name)
		}
	}
	for dir := range seen {
		if !dirs[dir] {
			t.Errorf("%s: say in this test which packages it may import", dir)
		}
	}
}

// path returns the import path of a package by its short name.
func path(name string) string {
	if strings.HasPrefix(name, "testdata/") {
		return module + name
	}
	return module + "internal/" + name
}

// Only what runs inside a test may know that it does.
func TestWhoImportsTesting(t *testing.T) {
	may := map[string]bool{"internal/suite": true, "internal/target/targettest": true, "internal/access/accesstest": true}
	for dir, names := range imported(t, func(s *source) bool { return !s.isTest() }) {
		if names["testing"] && !may[dir] {
			t.Errorf("%s imports testing outside its tests", dir)
		}
	}
}

// imported returns the imports of each directory's files that are asked for.
func imported(t *testing.T, which func(*source) bool) map[string]map[string]bool {
	t.Helper()
	seen := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if !which(s) {
			continue
		}
		if seen[s.dir()] == nil {
			seen[s.dir()] = map[string]bool{}
		}
		for _, spec := range s.ast.Imports {
			seen[s.dir()][unquote(t, spec)] = true
		}
	}
	return seen
}

func unquote(t *testing.T, spec *ast.ImportSpec) string {
	t.Helper()
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// modules are the modules that this one may depend on directly, and why.
var modules = map[string]string{
	"github.com/HdrHistogram/hdrhistogram-go":     "latencies, and the log that the Java tools read",
	"github.com/aclements/go-moremath":            "comparing results: Student's and the U distribution",
	"github.com/caarlos0/env/v11":                 "settings from the environment",
	"github.com/containerd/errdefs":               "the Docker engine's errors",
	"github.com/go-zookeeper/zk":                  "ZooKeeper's driver",
	"github.com/gocql/gocql":                      "the driver of the systems that speak CQL",
	"github.com/hashicorp/consul/api":             "Consul's driver",
	"github.com/moby/moby/api":                    "the Docker engine's types",
	"github.com/moby/moby/client":                 "the Docker engine's calls that testcontainers leaves to others",
	"github.com/testcontainers/testcontainers-go": "containers: finding the engine, making containers, registries' logins",
	"go.etcd.io/etcd/api/v3":                      "etcd's errors",
	"go.etcd.io/etcd/client/v3":                   "etcd's driver",
	"go.uber.org/zap":                             "silences etcd's driver",
	"google.golang.org/grpc":                      "etcd's errors, and silence",
	"golang.org/x/sync":                           "errgroup",
	"golang.org/x/sys":                            "timerfd, and terminals",
	"github.com/google/go-cmp":                    "tests: differences for people",
	"github.com/rhysd/actionlint":                 "tests: the workflows for other people's continuous integration",
	"go.uber.org/goleak":                          "tests: what adapters leave running",
	"pgregory.net/rapid":                          "tests: properties",
	"golang.org/x/perf":                           "reading and comparing results; benchstat itself",
	"gonum.org/v1/plot":                           "charts, as SVG and PNG",
}

func TestDependencies(t *testing.T) {
	used := map[string]bool{}
	for dir, names := range imported(t, func(*source) bool { return true }) {
		for name := range names {
			first, _, _ := strings.Cut(name, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(name, module) {
				continue
			}
			of := slices.IndexFunc(slices.Sorted(maps.Keys(modules)), func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") })
			if of < 0 {
				t.Errorf("%s imports %s: this test lists the modules that may be used, and why", dir, name)
				continue
			}
			used[slices.Sorted(maps.Keys(modules))[of]] = true
		}
	}
	for m := range modules {
		if !used[m] {
			t.Errorf("%s is not imported, as this test says; take it out", m)
		}
	}
}
