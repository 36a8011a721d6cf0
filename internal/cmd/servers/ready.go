package main

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

var systems = []cluster.System{cluster.Cassandra, cluster.Yugabyte, cluster.Scylla, cluster.Etcd, cluster.ZooKeeper, cluster.Consul}

// readiness returns what shows that a system's servers do what they are for. It
// leaves them as empty as they were.
func readiness(system cluster.System, s *setting.Settings) (func(context.Context, *cluster.Cluster) error, error) {
	namespace, timeout := s.Bench.Namespace, s.Bench.Timeout
	switch system {
	case cluster.Cassandra, cluster.Yugabyte, cluster.Scylla:
		dialect := map[cluster.System]cql.Dialect{
			cluster.Cassandra: cql.Cassandra(), cluster.Yugabyte: cql.Yugabyte(), cluster.Scylla: cql.Scylla(),
		}[system]
		return ready(cql.Ready, cql.OpenRealm, func(c *cluster.Cluster) cql.Config {
			return cql.Config{Dialect: dialect, Endpoints: c.Endpoints(), Translate: c.Translate, Owned: true, Namespace: namespace, Timeout: timeout}
		}), nil
	case cluster.Etcd:
		return ready(etcd.Ready, etcd.OpenRealm, func(c *cluster.Cluster) etcd.Config {
			return etcd.Config{Endpoints: c.Endpoints(), Owned: true, Namespace: namespace, Table: "ready", Timeout: timeout}
		}), nil
	case cluster.ZooKeeper:
		return ready(zookeeper.Ready, zookeeper.OpenRealm, func(c *cluster.Cluster) zookeeper.Config {
			return zookeeper.Config{Endpoints: c.Endpoints(), Owned: true, Namespace: namespace, Table: "ready", Timeout: timeout}
		}), nil
	case cluster.Consul:
		return ready(consul.Ready, consul.OpenRealm, func(c *cluster.Cluster) consul.Config {
			return consul.Config{Endpoints: c.Endpoints(), Owned: true, Namespace: namespace, Table: "ready", Timeout: timeout}
		}), nil
	}
	return nil, fmt.Errorf("%q: no such system", system)
}

// ready makes readiness of a target package's functions.
func ready[C any, R target.Realm](
	ask func(context.Context, C) error,
	open func(context.Context, C) (R, error),
	config func(*cluster.Cluster) C,
) func(context.Context, *cluster.Cluster) error {
	return func(ctx context.Context, c *cluster.Cluster) error {
		if err := ask(ctx, config(c)); err != nil {
			return err
		}
		realm, err := open(ctx, config(c))
		if err != nil {
			return err
		}
		defer realm.Close()
		return realm.Drop(ctx)
	}
}
