package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/target"
	"kvbench/internal/target/fake"
	"kvbench/internal/workload"
)

// The tests run this test binary as a benchmark of a fake system, which
// misbehaves as the variable says, or with "real" of real servers.
const misbehaviour = "KVBENCH_FAKE"

var bench = New("suite", "etcd", "consul")

func TestMain(m *testing.M) {
	switch fake := os.Getenv(misbehaviour); {
	case cluster.IsKeeper():
		os.Exit(cluster.Keep())
	case fake == "" && os.Getenv(overheadVariable) != "":
		os.Exit(overhead.Main(m))
	case fake == "":
		os.Exit(m.Run())
	case fake != "real":
		bench.adapters, bench.sources = fakeAdapter, fakeSource
	}
	code := bench.Main(m)
	if err := saveWitness(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// each is bench.Each, for benchmarks that the tests of this package run.
func each(b *testing.B, f func(b *testing.B, sys *System)) {
	if os.Getenv(misbehaviour) == "" {
		b.Skip("it is run by a test")
	}
	bench.Each(b, f)
}

// tables are the rows of all tables, as if servers kept them.
var tables struct {
	sync.Mutex
	data map[string]*fake.Data
}

// dataOf returns the rows of a table.
func dataOf(table string) *fake.Data {
	tables.Lock()
	defer tables.Unlock()
	if tables.data == nil {
		tables.data = map[string]*fake.Data{}
	}
	if tables.data[table] == nil {
		tables.data[table] = &fake.Data{}
	}
	return tables.data[table]
}

func fakeAdapter(cluster.System, *setting.Settings, reach) adapter {
	return adapter{
		settings: func() []target.Setting { return []target.Setting{{Key: "fake", Value: "yes"}} },
		open: func(_ context.Context, p place) (target.Store, error) {
			c := programs[os.Getenv(misbehaviour)]
			c.Data, c.Columns = dataOf(p.table.Name), p.columns
			return newWitness(p.table.Name, fake.Open(c)), nil
		},
		realm:   func(context.Context, place) (target.Realm, error) { return fakeRealm{}, nil },
		version: fakeVersion,
		ready:   func(context.Context, place) error { return nil },
	}
}

func fakeSource(_ context.Context, spec cluster.Spec) (cluster.Source, error) {
	if spec.System == "consul" {
		return nil, fmt.Errorf("consul: %w: install\na fake", cluster.ErrNone)
	}
	return source{max(1, len(spec.Endpoints))}, nil
}

type source struct{ nodes int }

func (source) Kind() string          { return "process" }
func (source) Version() string       { return "1.2.3" }
func (s source) Nodes() int          { return s.nodes }
func (source) Notice() string        { return "" }
func (source) Settings() [][2]string { return [][2]string{{"heap", "none"}} }
func (source) Start(context.Context) (*cluster.Cluster, error) {
	if bench.Settings().Bench.Namespace == "unready" {
		return nil, errors.New("not ready")
	}
	return &cluster.Cluster{System: "etcd", Servers: []cluster.Server{{Endpoint: "127.0.0.1:1"}}}, nil
}

var errBoom = errors.New("boom")

const quick = 100 * time.Microsecond

// programs are the ways in which the fake misbehaves.
var programs = map[string]fake.Config{
	"none":    {Latency: fake.Fixed(quick)},
	"instant": {},
	"fail":    {Latency: fake.Fixed(quick), Fail: fake.With(errBoom, fake.Every(50))},
	"dead":    {Latency: fake.Fixed(quick), Fail: fake.With(target.ErrUnavailable, from(1))}, // but for the probe
	"refuse":  {Latency: fake.Fixed(quick), Fail: fake.With(target.ErrTooLarge, from(0))},
	"drop":    {Latency: fake.Fixed(quick), Lose: from(1001)}, // what follows Mixed's preload and its probe
	"lose":    {Latency: fake.Fixed(quick), Lose: fake.Every(50)},
	"corrupt": {Latency: fake.Fixed(quick), Corrupt: fake.Every(500)},
	"small":   {Latency: fake.Fixed(quick), BatchBytes: 100},
	"slow":    {Latency: slowReads},
	"SIGINT":  {Latency: interruptAt(100, os.Interrupt)},
	"SIGTERM": {Latency: interruptAt(100, sigterm)},
	"SIGHUP":  {Latency: interruptAt(100, sighup)},
}

// from says yes to all operations of each kind from the n-th on.
func from(n int64) func(fake.Op) bool { return func(op fake.Op) bool { return op.N >= n } }

func slowReads(op fake.Op) time.Duration {
	if op.Kind == fake.Put {
		return quick
	}
	return 20 * time.Millisecond
}

func values(b *testing.B) Rows {
	rows, err := KeyValues(64, 0, bench.Settings().Bench.Seed)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

func BenchmarkInsert(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		for _, clients := range []int{1, 4} {
			sys.Run(b, Job{Table: Table{Name: "insert"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: clients, Op: Insert{}}}})
		}
	})
}

func BenchmarkGet(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		for _, clients := range []int{1, 4} {
			sys.Run(b, Job{Table: Table{Name: "get"}, Rows: values(b), Preload: 1000,
				Loads: []Load{{Kind: "read", Clients: clients, Op: Get{Keys: workload.Uniform{}, Stale: true}}}})
		}
	})
}

func BenchmarkBatch(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		sys.Run(b, Job{Table: Table{Name: "batch"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: 4, Op: PutBatch{Rows: 25}}}})
	})
}

func BenchmarkMixed(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		sys.Run(b, Job{Table: Table{Name: "mixed"}, Rows: values(b), Preload: 1000, Loads: []Load{
			{Kind: "read", Clients: 4, Op: Get{Keys: new(workload.Sequential)}, Rate: 800},
			{Kind: "write", Clients: 2, Op: Update{Keys: workload.Uniform{}}, Rate: 200},
		}})
	})
}

func BenchmarkGrowing(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		latest, err := workload.Parse("latest")
		if err != nil {
			b.Fatal(err)
		}
		sys.Run(b, Job{Table: Table{Name: "growing"}, Rows: values(b), Preload: 100, Loads: []Load{
			{Kind: "read", Clients: 4, Op: Get{Keys: latest}},
			{Kind: "write", Clients: 4, Op: Insert{}},
		}})
	})
}

// repetitions counts the calls of BenchmarkThird's leaf.
var repetitions int

// BenchmarkThird fails in its third repetition.
func BenchmarkThird(b *testing.B) {
	each(b, func(b *testing.B, sys *System) {
		b.Run("leaf=x", func(b *testing.B) {
			if repetitions++; repetitions == 3 {
				b.Setenv(misbehaviour, "fail")
			}
			r := &run{sys: sys, suite: sys.suite, name: b.Name(),
				job: Job{Table: Table{Name: "insert"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: 1, Op: Insert{}}}}}
			r.repeat(b)
		})
	})
}
