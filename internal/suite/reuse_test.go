package suite

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kvbench/internal/cluster"
)

// A named cluster is taken as it was left: a complete preload is used again if that
// is wanted, and what isn't ours is there after the run as it was before.
func TestReuseOnRealEtcd(t *testing.T) {
	kv, endpoint := realEtcd(t)
	ctx := t.Context()
	reads := func(env ...string) outcome {
		return invocation{fake: "real", bench: "Get/system=etcd/clients=4", args: []string{"-test.benchtime=100x"},
			env: append([]string{"BENCH_WARMUP=0s", "ETCD_ENDPOINTS=" + endpoint}, env...)}.run(t)
	}
	created := func() int64 { // revision of a preloaded row; 0 if there is none
		resp, err := kv.Get(ctx, "kvbench/get/key:7")
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Kvs) == 0 {
			return 0
		}
		return resp.Kvs[0].CreateRevision
	}

	first := reads("BENCH_KEEP=true")
	first.ends(t, 0)
	written := created()
	if written == 0 {
		t.Fatal("BENCH_KEEP has kept nothing")
	}
	again := reads("BENCH_KEEP=true", "BENCH_REUSE=true")
	again.ends(t, 0)
	if got := created(); got != written {
		t.Errorf("the rows are of revision %d, want those of %d, as they were reused", got, written)
	}
	other := reads("BENCH_KEEP=true", "BENCH_REUSE=true", "BENCH_SEED=2")
	other.ends(t, 0)
	rewritten := created()
	if rewritten == written {
		t.Error("rows of another seed were reused")
	}
	if _, err := kv.Delete(ctx, "kvbench/get/key:7"); err != nil {
		t.Fatal(err)
	}
	damaged := reads("BENCH_REUSE=true", "BENCH_KEEP=true", "BENCH_SEED=2")
	damaged.ends(t, 1)
	damaged.says(t, "BENCH_REUSE=true: the store holds 999 rows, and was left with 1000")

	if _, err := kv.Put(ctx, "theirs", "data"); err != nil {
		t.Fatal(err)
	}
	refused := reads()
	refused.ends(t, 1)
	refused.says(t, "others use this cluster, it holds ", `"theirs"`, "BENCH_SHARED=true")
	shared := reads("BENCH_SHARED=true")
	shared.ends(t, 0)
	left, err := kv.Get(ctx, "", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		t.Fatal(err)
	}
	if len(left.Kvs) != 1 || string(left.Kvs[0].Key) != "theirs" {
		t.Errorf("after the run there are the keys %v, want theirs alone", left.Kvs)
	}
}

// An interrupted run removes what it wrote, and a namespace that isn't the suite's
// stops a run before it writes anything.
func TestNamespaceOfOthersOnRealEtcd(t *testing.T) {
	kv, endpoint := realEtcd(t)
	if _, err := kv.Put(t.Context(), "mine/data", "1"); err != nil {
		t.Fatal(err)
	}
	o := invocation{fake: "real", bench: "Get/system=etcd/clients=4", args: []string{"-test.benchtime=100x"},
		env: []string{"BENCH_WARMUP=0s", "BENCH_NAMESPACE=mine", "BENCH_SHARED=true", "ETCD_ENDPOINTS=" + endpoint}}.run(t)
	o.ends(t, 1)
	o.says(t, `"mine"`, "not made by the suite")
	resp, err := kv.Get(t.Context(), "", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Kvs) != 1 || string(resp.Kvs[0].Value) != "1" || resp.Header.Revision != 2 {
		t.Errorf("something was written: %v at revision %d", resp.Kvs, resp.Header.Revision)
	}
}

// realEtcd starts an etcd that knows nothing of the suite, and returns a client.
func realEtcd(t *testing.T) (*clientv3.Client, string) {
	t.Helper()
	c := startEtcd(t, nil)
	return etcdClient(t, clientv3.Config{Endpoints: c.Endpoints()}), strings.Join(c.Endpoints(), ",")
}

// startEtcd starts an etcd that customize has changed, if it isn't nil.
func startEtcd(t *testing.T, customize func(node int, dir string, argv []string) ([]string, error)) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real servers; run without -short")
	}
	ctx, cancel := context.WithTimeout(t.Context(), installLimit)
	defer cancel()
	source, err := cluster.Find(ctx, cluster.Spec{
		System: cluster.Etcd, Force: "process", Customize: customize,
		Ready: func(context.Context, *cluster.Cluster) error { return nil },
	})
	if errors.Is(err, cluster.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := source.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func etcdClient(t *testing.T, config clientv3.Config) *clientv3.Client {
	t.Helper()
	config.Logger, config.DialTimeout = zap.NewNop(), time.Minute
	kv, err := clientv3.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kv.Close() })
	return kv
}
