package policy

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/target/consul"
	"kvbench/internal/target/cql"
	"kvbench/internal/target/etcd"
	"kvbench/internal/target/zookeeper"
)

func TestMain(m *testing.M) {
	if cluster.IsKeeper() {
		os.Exit(cluster.Keep())
	}
	os.Exit(m.Run())
}

// README.md's commands do what they say: each is run, on real servers, as it
// stands but for what makes it long.
func TestReadmeCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
	_, tests := commands(t, "README.md")
	servers := &running{t: t, endpoints: map[string]string{}}
	for _, c := range tests {
		t.Run(strings.Join(slices.Concat(c.environ, c.args), " "), func(t *testing.T) {
			environ := servers.reach(t, c.environ)
			out, err := c.short(t).run(environ)
			names := resultNames(out)
			if hint := c.missing(out); len(names) == 0 && hint != "" {
				t.Skip(hint)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if len(names) == 0 {
				t.Errorf("no results:\n%s", out)
			}
			for _, name := range names {
				if wrong := badName(name); wrong != "" {
					t.Errorf("%s %s", name, wrong)
				}
			}
		})
	}
}

// quick are settings under which a command of README.md takes seconds.
var quick = map[string]string{
	"KV_KEYS": "1000", "KV_MIXED_KEYS": "1000", "COORD_KEYS": "1000",
	"BENCH_MIN_RATE": "0",     // a moment is too short for a rate
	"BENCH_BORROW":   "false", // clusters of whoever runs the tests are none of theirs
}

// run runs the command and returns its output. Quick settings win.
func (c command) run(environ []string) (string, error) {
	cmd := exec.Command("go", append([]string{"test"}, c.args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), environ...)
	for name, value := range quick {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// short returns the command without what makes it long, and with YugabyteDB,
// which can't be had everywhere, replaced by Cassandra.
func (c command) short(t *testing.T) command {
	args := []string{}
	for _, arg := range c.args {
		switch name, _, _ := strings.Cut(arg, "="); name {
		case "-benchtime", "-count":
		case "-outputdir":
			args = append(args, "-outputdir="+t.TempDir())
		default:
			args = append(args, strings.ReplaceAll(arg, "system=yugabyte", "system=cassandra"))
		}
	}
	return command{c.environ, append(args, "-short", "-benchtime=100x")}
}

// missing returns what the output says of servers that the command measures and
// that can't be had here, if it does: none of the system, or no engine for
// containers, which are an error where they are demanded.
func (c command) missing(out string) string {
	if slices.Contains(c.environ, "BENCH_SERVERS=container") {
		return regexp.MustCompile(`(?m)^.*no Docker engine answers.*$`).FindString(out)
	}
	system := regexp.MustCompile(`system=(\w+)`).FindStringSubmatch(c.flag("-bench"))
	if system == nil {
		return ""
	}
	return regexp.MustCompile(`(?m)^# ` + system[1] + `: .*no servers.*$`).FindString(out)
}

// running are the servers that stand for those of README.md.
type running struct {
	t         *testing.T // the servers end with it
	endpoints map[string]string
}

// reach returns the assignments with addresses of running servers in place of
// README.md's, and fewer clients where no number is of importance.
func (r *running) reach(t *testing.T, environ []string) []string {
	t.Helper()
	found := []string{"COORD_CLIENTS=1,100"}
	for _, assignment := range environ {
		name, _, _ := strings.Cut(assignment, "=")
		if system, ok := strings.CutSuffix(name, "_ENDPOINTS"); ok {
			system = strings.Replace(system, "YUGABYTE", "CASSANDRA", 1)
			assignment = system + "_ENDPOINTS=" + r.endpoint(t, strings.ToLower(system))
		}
		found = append(found, assignment)
	}
	return found
}

// endpoint returns the address of a system's server, which it starts if nobody
// has yet.
func (r *running) endpoint(t *testing.T, system string) string {
	t.Helper()
	if r.endpoints[system] != "" {
		return r.endpoints[system]
	}
	source, err := cluster.Find(t.Context(), cluster.Spec{System: cluster.System(system), Force: "process", Ready: ready[system]})
	if errors.Is(err, cluster.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // with a first build
	defer cancel()
	c, err := source.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			r.t.Error(err)
		}
	})
	r.endpoints[system] = strings.Join(c.Endpoints(), ",")
	return r.endpoints[system]
}

// probe is the store that readiness is asked with.
const probe, patience = "probe", 10 * time.Second

var ready = map[string]func(context.Context, *cluster.Cluster) error{
	"cassandra": func(ctx context.Context, c *cluster.Cluster) error {
		return cql.Ready(ctx, cql.Config{Dialect: cql.Cassandra(), Endpoints: c.Endpoints(), Namespace: probe, Table: probe, Timeout: patience})
	},
	"etcd": func(ctx context.Context, c *cluster.Cluster) error {
		return etcd.Ready(ctx, etcd.Config{Endpoints: c.Endpoints(), Namespace: probe, Table: probe, Timeout: patience})
	},
	"zookeeper": func(ctx context.Context, c *cluster.Cluster) error {
		return zookeeper.Ready(ctx, zookeeper.Config{Endpoints: c.Endpoints(), Namespace: probe, Table: probe, Timeout: patience})
	},
	"consul": func(ctx context.Context, c *cluster.Cluster) error {
		return consul.Ready(ctx, consul.Config{Endpoints: c.Endpoints(), Namespace: probe, Table: probe, Timeout: patience})
	},
}
