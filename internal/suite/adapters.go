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

// place is where a store is to be opened, and for whom. Of a system rather than
// of a store, only the servers matter.
type place struct {
	endpoints []string
	nodes     int
	owned     bool
	translate map[string]string // see cluster.Cluster
	table     Table
	columns   int
	clients   int
	bytes     int // of the largest request's keys and values
}

// placeOf returns a place on running servers.
func placeOf(c *cluster.Cluster) place {
	return place{endpoints: c.Endpoints(), nodes: len(c.Servers), owned: c.Owned(), translate: c.Translate}
}

// An adapter is what the suite needs of a target package, with the settings
// filled in.
type adapter struct {
	settings func() []target.Setting
	open     func(ctx context.Context, p place) (target.Store, error)
	realm    func(ctx context.Context, p place) (target.Realm, error)
	version  func(ctx context.Context, p place) (string, error)
	ready    func(ctx context.Context, p place) error
}

// adapterOf returns the adapter of a system whose servers are reached as r says.
func adapterOf(sys cluster.System, s *setting.Settings, r reach) adapter {
	switch sys {
	case cluster.Cassandra:
		return cqlAdapter(cql.Cassandra(), s.Cassandra, s, r)
	case cluster.Yugabyte:
		return cqlAdapter(cql.Yugabyte(), s.Yugabyte, s, r)
	case cluster.Scylla:
		return cqlAdapter(cql.Scylla(), s.Scylla, s, r)
	case cluster.Etcd:
		return etcdAdapter(s, r)
	case cluster.ZooKeeper:
		return zookeeperAdapter(s, r)
	case cluster.Consul:
		return consulAdapter(s, r)
	}
	panic(fmt.Sprintf("suite: no adapter for %q", sys))
}

// probe is the table that systems are asked with.
const probe = "probe"

// adapt makes an adapter of a target package's functions. config fills in a place.
func adapt[C any, S target.Store, R target.Realm](
	config func(place) C,
	settings func(C) []target.Setting,
	open func(context.Context, C) (S, error),
	realm func(context.Context, C) (R, error),
	version func(context.Context, C) (string, error),
	ready func(context.Context, C) error,
) adapter {
	asked := func(p place) C {
		p.table.Name = probe
		return config(p)
	}
	return adapter{
		settings: func() []target.Setting { return settings(asked(place{})) },
		version:  func(ctx context.Context, p place) (string, error) { return version(ctx, asked(p)) },
		ready:    func(ctx context.Context, p place) error { return ready(ctx, asked(p)) },
		open: func(ctx context.Context, p place) (target.Store, error) {
			store, err := open(ctx, config(p))
			if err != nil {
				return nil, err // not a nil S in a Store
			}
			return store, nil
		},
		realm: func(ctx context.Context, p place) (target.Realm, error) {
			r, err := realm(ctx, asked(p))
			if err != nil {
				return nil, err
			}
			return r, nil
		},
	}
}

func cqlAdapter(d cql.Dialect, own setting.CQLSystem, s *setting.Settings, r reach) adapter {
	return adapt(func(p place) cql.Config {
		if p.translate == nil { // nor would the suite know, of clusters of others
			p.translate = own.Translate
		}
		return cql.Config{
			Dialect: d, Endpoints: p.endpoints, Nodes: p.nodes, Owned: p.owned,
			TLS: r.tls, Login: r.login, DataCenter: own.DataCenter, Translate: p.translate,
			Namespace: s.Bench.Namespace, Table: p.table.Name, Schema: p.table.Schema, Batch: p.table.Batch,
			Clients: p.clients, Conns: s.CQL.Conns, Coalesce: s.CQL.Coalesce.OrNegative(),
			Consistency: s.CQL.Consistency, Serial: s.CQL.Serial, Replication: s.CQL.Replication, Timeout: s.Bench.Timeout,
		}
	}, cql.Config.Settings, cql.Open, cql.OpenRealm, cql.Version, cql.Ready)
}

func etcdAdapter(s *setting.Settings, r reach) adapter {
	return adapt(func(p place) etcd.Config {
		return etcd.Config{
			Endpoints: p.endpoints, Namespace: s.Bench.Namespace, Table: p.table.Name, Columns: p.columns,
			TLS: r.tls, Login: r.login,
			Clients: p.clients, Conns: s.Etcd.Conns, Timeout: s.Bench.Timeout, Owned: p.owned,
		}
	}, etcd.Config.Settings, etcd.Open, etcd.OpenRealm, etcd.Version, etcd.Ready)
}

func zookeeperAdapter(s *setting.Settings, r reach) adapter {
	return adapt(func(p place) zookeeper.Config {
		return zookeeper.Config{
			Endpoints: p.endpoints, Namespace: s.Bench.Namespace, Table: p.table.Name, Columns: p.columns,
			TLS: r.tls, Login: r.login,
			Clients: p.clients, Timeout: s.Bench.Timeout, Owned: p.owned, BufferBytes: 2*p.bytes + 16<<10,
		}
	}, zookeeper.Config.Settings, zookeeper.Open, zookeeper.OpenRealm, zookeeper.Version, zookeeper.Ready)
}

func consulAdapter(s *setting.Settings, r reach) adapter {
	return adapt(func(p place) consul.Config {
		return consul.Config{
			Endpoints: p.endpoints, Namespace: s.Bench.Namespace, Table: p.table.Name, Columns: p.columns,
			TLS: r.tls, Login: r.login, Token: r.token, DataCenter: s.Consul.DataCenter, Partition: s.Consul.Partition,
			Clients: p.clients, Timeout: s.Bench.Timeout, Owned: p.owned,
		}
	}, consul.Config.Settings, consul.Open, consul.OpenRealm, consul.Version, consul.Ready)
}
