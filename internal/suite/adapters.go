package suite

import (
	"context"
	"fmt"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/target"
	"kvbench/internal/target/consul"
	"kvbench/internal/target/cql"
	"kvbench/internal/target/etcd"
	"kvbench/internal/target/zookeeper"
)

// A Table names the store that a benchmark works on, and says what shape it has
// where the system has a choice.
type Table struct {
	Name   string
	Schema cql.Schema // of a CQL table
	Batch  string     // of a CQL table: "logged" or "unlogged"
}

// place is where a store is to be opened, and for whom.
type place struct {
	endpoints []string
	nodes     int
	owned     bool
	translate map[string]string
	table     Table
	columns   int
	clients   int
	bytes     int // of the largest request's keys and values
}

// An adapter is what the suite needs of a target package, with the settings
// filled in.
type adapter struct {
	settings func() []target.Setting
	open     func(ctx context.Context, p place) (target.Store, error)
	version  func(ctx context.Context, endpoints []string) (string, error)
	ready    func(ctx context.Context, endpoints []string) error
}

// adapterOf returns the adapter of a system.
func adapterOf(sys cluster.System, s *setting.Settings) adapter {
	switch sys {
	case cluster.Cassandra:
		return cqlAdapter(cql.Cassandra(), s)
	case cluster.Yugabyte:
		return cqlAdapter(cql.Yugabyte(), s)
	case cluster.Scylla:
		return cqlAdapter(cql.Scylla(), s)
	case cluster.Etcd:
		return etcdAdapter(s)
	case cluster.ZooKeeper:
		return zookeeperAdapter(s)
	case cluster.Consul:
		return consulAdapter(s)
	}
	panic(fmt.Sprintf("suite: no adapter for %q", sys))
}

// probe is the table that readiness and version are asked with.
const probe = "probe"

// adapt makes an adapter of a target package's functions. config fills in a
// place; at returns a place of which only the endpoints matter.
func adapt[C any, S target.Store](
	config func(place) C,
	settings func(C) []target.Setting,
	open func(context.Context, C) (S, error),
	version func(context.Context, C) (string, error),
	ready func(context.Context, C) error,
) adapter {
	at := func(endpoints []string) C {
		return config(place{endpoints: endpoints, table: Table{Name: probe}})
	}
	return adapter{
		settings: func() []target.Setting { return settings(at(nil)) },
		version:  func(ctx context.Context, eps []string) (string, error) { return version(ctx, at(eps)) },
		ready:    func(ctx context.Context, eps []string) error { return ready(ctx, at(eps)) },
		open: func(ctx context.Context, p place) (target.Store, error) {
			store, err := open(ctx, config(p))
			if err != nil {
				return nil, err // not a nil S in a Store
			}
			return store, nil
		},
	}
}

func cqlAdapter(d cql.Dialect, s *setting.Settings) adapter {
	return adapt(func(p place) cql.Config {
		return cql.Config{
			Dialect: d, Endpoints: p.endpoints, Nodes: p.nodes, Owned: p.owned,
			Namespace: s.Bench.Namespace, Table: p.table.Name, Schema: p.table.Schema, Batch: p.table.Batch,
			Clients: p.clients, Conns: s.CQL.Conns, Coalesce: s.CQL.Coalesce.OrNegative(),
			Consistency: s.CQL.Consistency, Replication: s.CQL.Replication, Timeout: s.Bench.Timeout,
		}
	}, cql.Config.Settings, cql.Open, cql.Version, cql.Ready)
}

func etcdAdapter(s *setting.Settings) adapter {
	return adapt(func(p place) etcd.Config {
		return etcd.Config{
			Endpoints: p.endpoints, Namespace: s.Bench.Namespace, Table: p.table.Name, Columns: p.columns,
			Clients: p.clients, Conns: s.Etcd.Conns, Timeout: s.Bench.Timeout, Owned: p.owned,
		}
	}, etcd.Config.Settings, etcd.Open, etcd.Version, etcd.Ready)
}

func zookeeperAdapter(s *setting.Settings) adapter {
	return adapt(func(p place) zookeeper.Config {
		return zookeeper.Config{
			Endpoints: p.endpoints, Namespace: s.Bench.Namespace, Table: p.table.Name, Columns: p.columns,
			Clients: p.clients, Timeout: s.Bench.Timeout, Owned: p.owned, BufferBytes: 2*p.bytes + 16<<10,
		}
	}, zookeeper.Config.Settings, zookeeper.Open, zookeeper.Version, zookeeper.Ready)
}

func consulAdapter(s *setting.Settings) adapter {
	return adapt(func(p place) consul.Config {
		return consul.Config{
			Endpoints: p.endpoints, Namespace: s.Bench.Namespace, Table: p.table.Name, Columns: p.columns,
			Clients: p.clients, Timeout: s.Bench.Timeout, Owned: p.owned,
		}
	}, consul.Config.Settings, consul.Open, consul.Version, consul.Ready)
}
