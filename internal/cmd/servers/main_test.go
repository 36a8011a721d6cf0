package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kvbench/internal/cluster"
)

// The tests run this test binary as the tool.
const toolVariable = "KVBENCH_SERVERS_TOOL"

func TestMain(m *testing.M) {
	if cluster.IsKeeper() || os.Getenv(toolVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestServersStay(t *testing.T) {
	real(t)
	u := newUser(t)
	one := endpoints(t, u.must("up", "etcd"))
	if !answers(t, one...) {
		t.Fatal("the servers don't answer")
	}
	if again := endpoints(t, u.must("up", "etcd")); again[0] != one[0] {
		t.Errorf("up again: %q, want %q", again, one)
	}
	if again := endpoints(t, u.must("up", "etcd", "-source", "process")); again[0] != one[0] {
		t.Errorf("up again, by the source that it has: %q, want %q", again, one)
	}
	u.fails(1, `etcd: it is up already, with nodes 1 instead of 3: stop it ("go tool servers down etcd"), or give the other one a -name`, "up", "etcd", "-nodes", "3")
	u.fails(1, `instead of 3.6.7: stop it`, "up", "-version=3.6.7", "etcd")
	three := endpoints(t, u.must("up", "-nodes", "3", "etcd", "-name", "trio"))
	if len(three) != 3 || !answers(t, three...) {
		t.Errorf("three nodes: %q", three)
	}
	if out := u.must("ls"); !regexp.MustCompile(`(?m)^etcd +etcd +3\.\S+ +process +1 .*`+one[0]+` +up$`).MatchString(out) || !strings.Contains(out, "trio") {
		t.Errorf("ls:\n%s", out)
	}
	u.must("down", "trio")
	if answers(t, three...) || !answers(t, one...) {
		t.Error("down has stopped other servers than those that were named")
	}
	u.must("down", "-all")
	u.empty("down -all")
	if answers(t, one...) {
		t.Error("servers that are down answer")
	}
	if dirs, err := filepath.Glob(filepath.Join(u.servers(), "*", "*")); err != nil || len(dirs) > 0 {
		t.Errorf("left: %v, %v", dirs, err)
	}
}

// Two systems by one command, as a shell has it.
func TestEval(t *testing.T) {
	real(t)
	u := newUser(t)
	cmd := u.command("up", "zookeeper", "etcd")
	shell := exec.Command("sh", "-c", `eval "$("$0" up zookeeper etcd)" && echo "$ZOOKEEPER_ENDPOINTS $(printenv ETCD_ENDPOINTS)"`, cmd.Path)
	var stderr strings.Builder
	shell.Env, shell.Stderr = cmd.Env, &stderr
	out, err := shell.Output()
	if strings.Contains(stderr.String(), "no servers") {
		t.Skip(stderr.String())
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if !regexp.MustCompile(`^127\.0\.0\.1:\d+ 127\.0\.0\.1:\d+\n$`).Match(out) {
		t.Errorf("a shell has %q, want an endpoint of each", out)
	}
	// The servers' own variables don't make another request of it.
	u.env = append(u.env, "ETCD_ENDPOINTS="+strings.Fields(string(out))[1])
	u.must("up", "zookeeper", "etcd")
}

// Two users have servers of the same name at the same time.
func TestTwoUsers(t *testing.T) {
	real(t)
	a, b := newUser(t), newUser(t)
	first, second := endpoints(t, a.must("up", "etcd")), endpoints(t, b.must("up", "etcd"))
	a.must("down", "-all")
	if answers(t, first...) || !answers(t, second...) {
		t.Error("the servers of one user aren't apart from the other's")
	}
}

// Two commands at once start one cluster.
func TestTwoAtOnce(t *testing.T) {
	real(t)
	u := newUser(t)
	u.must("up", "etcd", "-name", "probe") // built, if it wasn't
	type result struct {
		status      int
		out, stderr string
	}
	results := make(chan result)
	for range 2 {
		go func() {
			var r result
			r.status, r.out, r.stderr = u.run("up", "etcd")
			results <- r
		}()
	}
	a, b := <-results, <-results
	if a.status != 0 || b.status != 0 || a.out != b.out || a.out == "" {
		t.Errorf("two at once: %+v and %+v", a, b)
	}
}

func TestWrongArguments(t *testing.T) {
	u := newUser(t)
	for _, tc := range []struct{ args, want string }{
		{"", "no command"},
		{"start", `"start": no such command; want up, down, ls, logs or clean`},
		{"up", "which system? There are cassandra, yugabyte"},
		{"up mysql", `"mysql": no such system; there are cassandra, yugabyte`},
		{"up etcd etcd", `"etcd": it is there twice`},
		{"up etcd consul -version 1.2.3", `-version "1.2.3": it is for one system, not for 2`},
		{"up etcd -source cloud", `-source: BENCH_SERVERS="cloud": want auto, container or process`},
		{"up etcd -memory lots", `-memory: BENCH_MEMORY="lots"`},
		{"up etcd -nodes 2", `-nodes: BENCH_NODES="2": want 1 or 3`},
		{"up etcd -version new", `-version: ETCD_VERSION="new"`},
		{"up etcd -version 3.7.3 -image a/b:c", "both say which servers to start"},
		{"up etcd -name Bad/Name", `-name "Bad/Name": want`},
		{"up etcd -x", "flag provided but not defined: -x"},
		{"down", "want names, or -all"},
		{"down -all etcd", "want names, or -all"},
		{"ls etcd", `ls: "etcd": no arguments`},
		{"logs -n -1", "-n -1: less than nothing"},
		{"clean all", `clean: "all": no arguments`},
	} {
		u.fails(2, tc.want, strings.Fields(tc.args)...)
	}
	for _, tc := range []struct{ args, want string }{
		{"down nobody", `"nobody": no such servers; there are none`},
		{"logs nobody", `"nobody": no such servers`},
		{"up etcd -data-dir /nowhere/at/all", `BENCH_DATA_DIR "/nowhere/at/all"`},
	} {
		u.fails(1, tc.want, strings.Fields(tc.args)...)
	}
	for _, args := range [][]string{{"-h"}, {"up", "-h"}, {"clean", "--help"}} {
		if status, out, stderr := u.run(args...); status != 0 || !strings.Contains(out, "usage: go tool servers") || stderr != "" {
			t.Errorf("%q: status %d\n%s%s", args, status, out, stderr)
		}
	}
}

// Flags go before settings of the environment, which are what counts else.
func TestSettings(t *testing.T) {
	for _, tc := range []struct{ env, args, name, want string }{
		{"", "etcd", "etcd", "  process=false nodes=1"},
		{"BENCH_NODES=3 BENCH_SERVERS=process ETCD_VERSION=3.6.7", "etcd", "etcd", "3.6.7  process=true nodes=3"},
		{"BENCH_NODES=3 ETCD_VERSION=3.6.7", "-nodes 1 etcd -version 3.5.21 -name old", "old", "3.5.21  process=false nodes=1"},
		{"ETCD_VERSION=3.6.7", "etcd -image a/b:1", "etcd", " a/b:1 process=false nodes=1"},
		{"ETCD_IMAGE=a/b:1", "etcd -version 3.6.7", "etcd", "3.6.7  process=false nodes=1"},
		{"ETCDCTL_ENDPOINTS=nonsense://x ETCD_ENDPOINTS=127.0.0.1:2379", "etcd", "etcd", "  process=false nodes=1"},
	} {
		u := &tool{environ: strings.Fields(tc.env)}
		wishes, err := u.wishes(strings.Fields(tc.args))
		if err != nil || len(wishes) != 1 {
			t.Errorf("%s up %s: %d wishes, %v", tc.env, tc.args, len(wishes), err)
			continue
		}
		w := wishes[0]
		got := strings.Join([]string{w.spec.Version, w.spec.Image, "process=" + map[bool]string{true: "true", false: "false"}[w.spec.Force == "process"], "nodes=" + string(rune('0'+w.spec.Nodes))}, " ")
		if w.name != tc.name || got != tc.want {
			t.Errorf("%s up %s: %s %q, want %s %q", tc.env, tc.args, w.name, got, tc.name, tc.want)
		}
	}
}

func TestExports(t *testing.T) {
	servers := []cluster.Server{{Endpoint: "127.0.0.1:1"}, {Endpoint: "[::1]:2"}}
	for _, tc := range []struct {
		kept cluster.Kept
		want string
	}{
		{cluster.Kept{System: cluster.Etcd, Servers: servers[:1], Translate: map[string]string{"a:1": "b:2"}}, "export ETCD_ENDPOINTS=127.0.0.1:1\n"},
		{cluster.Kept{System: cluster.ZooKeeper, Servers: servers}, "export ZOOKEEPER_ENDPOINTS='127.0.0.1:1,[::1]:2'\n"},
		{cluster.Kept{System: cluster.Cassandra, Servers: servers[:1]}, "export CASSANDRA_ENDPOINTS=127.0.0.1:1\nexport CASSANDRA_TRANSLATE=\n"},
		{cluster.Kept{System: cluster.Scylla, Servers: servers[:1], Translate: map[string]string{"172.18.0.2:9042": "127.0.0.1:1"}},
			"export SCYLLA_ENDPOINTS=127.0.0.1:1\nexport SCYLLA_TRANSLATE=172.18.0.2:9042=127.0.0.1:1\n"},
	} {
		if got, want := exports(&tc.kept), tc.want+"export BENCH_BORROW=false\n"; got != want {
			t.Errorf("%s: %q, want %q", tc.kept.System, got, want)
		}
	}
}
