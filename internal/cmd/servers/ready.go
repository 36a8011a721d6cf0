package main

import (
	"context"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
	"kvbench/internal/target"
	"kvbench/internal/target/consul"
	"kvbench/internal/target/cql"
	"kvbench/internal/target/etcd"
	"kvbench/internal/target/zookeeper"
)

// known are the names of all systems.
func known() []string {
	return []string{"cassandra", "yugabyte", "scylla", "etcd", "zookeeper", "consul"}
}

// readiness returns what shows that a system's servers do what they are for, and
// leaves them as empty as they were. It is nil for a system that isn't known.
func readiness(system cluster.System, s setting.Bench) func(context.Context, *cluster.Cluster) error {
	switch system {
	case cluster.Cassandra:
		return cqlReadiness(cql.Cassandra(), s)
	case cluster.Yugabyte:
		return cqlReadiness(cql.Yugabyte(), s)
	case cluster.Scylla:
		return cqlReadiness(cql.Scylla(), s)
	case cluster.Etcd:
		return ready(etcd.Ready, etcd.OpenRealm, func(c *cluster.Cluster) etcd.Config {
			return etcd.Config{Endpoints: c.Endpoints(), Owned: true, Namespace: s.Namespace, Table: probe, Timeout: s.Timeout}
		})
	case cluster.ZooKeeper:
		return ready(zookeeper.Ready, zookeeper.OpenRealm, func(c *cluster.Cluster) zookeeper.Config {
			return zookeeper.Config{Endpoints: c.Endpoints(), Owned: true, Namespace: s.Namespace, Table: probe, Timeout: s.Timeout}
		})
	case cluster.Consul:
		return ready(consul.Ready, consul.OpenRealm, func(c *cluster.Cluster) consul.Config {
			return consul.Config{Endpoints: c.Endpoints(), Owned: true, Namespace: s.Namespace, Table: probe, Timeout: s.Timeout}
		})
	}
	return nil
}

// probe is the table that systems are asked with.
const probe = "probe"

func cqlReadiness(d cql.Dialect, s setting.Bench) func(context.Context, *cluster.Cluster) error {
	return ready(cql.Ready, cql.OpenRealm, func(c *cluster.Cluster) cql.Config {
		return cql.Config{
			Dialect: d, Endpoints: c.Endpoints(), Translate: c.Translate, Owned: true,
			Namespace: s.Namespace, Table: probe, Timeout: s.Timeout,
		}
	})
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
