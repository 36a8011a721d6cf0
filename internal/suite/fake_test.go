package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/target"
	"kvbench/internal/target/fake"
	"kvbench/internal/workload"
)

// The tests run this test binary as a benchmark of a fake system, which
// misbehaves as the variable says.
const misbehaviour = "KVBENCH_FAKE"

var bench = New("suite", "etcd", "consul")

func TestMain(m *testing.M) {
	if os.Getenv(misbehaviour) != "" {
		bench.adapters, bench.sources = fakeAdapter, fakeSource
	}
	os.Exit(bench.Main(m))
}

// data are the rows of all tables, as if servers kept them.
var data = map[string]*fake.Data{}

func fakeAdapter(cluster.System, *setting.Settings) adapter {
	return adapter{
		settings: func() []target.Setting { return []target.Setting{{Key: "fake", Value: "yes"}} },
		open: func(_ context.Context, p place) (target.Store, error) {
			if data[p.table.Name] == nil {
				data[p.table.Name] = &fake.Data{}
			}
			c := programs[os.Getenv(misbehaviour)]
			c.Data, c.Columns = data[p.table.Name], p.columns
			return fake.Open(c), nil
		},
		version: func(context.Context, []string) (string, error) { return "", errors.New("not asked") },
		ready:   func(context.Context, []string) error { return nil },
	}
}

func fakeSource(spec cluster.Spec) (cluster.Source, error) {
	if spec.System == "consul" {
		return nil, fmt.Errorf("consul: %w: install a fake", cluster.ErrNone)
	}
	return source{}, nil
}

type source struct{}

func (source) Kind() string          { return "process" }
func (source) Version() string       { return "1.2.3" }
func (source) Nodes() int            { return 1 }
func (source) Settings() [][2]string { return [][2]string{{"heap", "none"}} }
func (source) Start(context.Context) (*cluster.Cluster, error) {
	return &cluster.Cluster{System: "etcd", Servers: []cluster.Server{{Endpoint: "127.0.0.1:1"}}}, nil
}

var boom = errors.New("boom")

// programs are the ways in which the fake misbehaves.
var programs = map[string]fake.Config{
	"none":    {Latency: fake.Fixed(100 * time.Microsecond)},
	"fail":    {Latency: fake.Fixed(100 * time.Microsecond), Fail: fake.With(boom, fake.Every(50))},
	"lose":    {Latency: fake.Fixed(100 * time.Microsecond), Lose: fake.Every(50)},
	"corrupt": {Latency: fake.Fixed(100 * time.Microsecond), Corrupt: fake.Every(500)},
	"slow":    {Latency: fake.Fixed(20 * time.Millisecond)},
	// The third store that is opened, that of repetition 3, fails everything.
	"third": {Latency: fake.Fixed(100 * time.Microsecond)},
}

func values(b *testing.B) Rows {
	rows, err := KeyValues(64, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

func BenchmarkInsert(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *System) {
		for _, clients := range []int{1, 4} {
			sys.Run(b, Job{Table: Table{Name: "insert"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: clients, Op: Insert{}}}})
		}
	})
}

func BenchmarkGet(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *System) {
		sys.Run(b, Job{Table: Table{Name: "get"}, Rows: values(b), Preload: 1000,
			Loads: []Load{{Kind: "read", Clients: 4, Op: Get{Keys: workload.Uniform{}, Stale: true}}}})
	})
}

func BenchmarkBatch(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *System) {
		sys.Run(b, Job{Table: Table{Name: "batch"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: 4, Op: PutBatch{Rows: 25}}}})
	})
}

func BenchmarkMixed(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *System) {
		sys.Run(b, Job{Table: Table{Name: "mixed"}, Rows: values(b), Preload: 1000, Loads: []Load{
			{Kind: "read", Clients: 4, Op: Get{Keys: new(workload.Sequential)}, Rate: 800},
			{Kind: "write", Clients: 2, Op: Update{Keys: workload.Uniform{}}, Rate: 200},
		}})
	})
}

func BenchmarkGrowing(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *System) {
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

func BenchmarkThird(b *testing.B) {
	bench.Each(b, func(b *testing.B, sys *System) {
		b.Run("leaf=x", func(b *testing.B) {
			if repetitions++; repetitions == 3 {
				data["insert"] = nil
				b.Setenv(misbehaviour, "fail")
			}
			r := &run{sys: sys, suite: sys.suite, name: b.Name(),
				job: Job{Table: Table{Name: "insert"}, Rows: values(b), Loads: []Load{{Kind: "write", Clients: 1, Op: Insert{}}}}}
			r.repeat(b)
		})
	})
}
