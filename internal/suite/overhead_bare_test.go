package suite

import (
	"context"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocql/gocql"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kvbench/internal/target/etcd"
	"kvbench/internal/workload"
)

// A bareLoop returns the operation of one client: what a program does that only
// calls the driver, with keys and random values that are ready.
type bareLoop func(client int) func(n int64) error

// run lets clients perform operations for a time. There is no recording, no
// deadline and no check.
func (l bareLoop) run(clients int, d time.Duration) (side, error) {
	var next atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	counts, errs := make([]int64, clients), make([]error, clients)
	before, start := cpuTime(), time.Now()
	timer := time.AfterFunc(d, func() { stop.Store(true) })
	defer timer.Stop()
	for i := range clients {
		wg.Go(func() {
			op, done := l(i), int64(0)
			for !stop.Load() && errs[i] == nil {
				errs[i] = op(next.Add(1) - 1)
				done++
			}
			counts[i] = done
		})
	}
	wg.Wait()
	wall, cpu := time.Since(start), cpuTime()-before
	var ops int64
	for i, n := range counts {
		if errs[i] != nil {
			return side{}, errs[i]
		}
		ops += n
	}
	return sideOf(ops, wall, cpu), nil
}

// randomValues returns values to choose from by number.
func randomValues(size int) [1000][]byte {
	var values [1000][]byte
	r := workload.Rand(1, "bare", 0)
	for i := range values {
		values[i] = make([]byte, size)
		for j := range values[i] {
			values[i][j] = byte(r.Uint32())
		}
	}
	return values
}

// bareEtcd puts keys on as many connections as the suite makes.
func bareEtcd(b *testing.B, r *run) bareLoop {
	n, err := strconv.Atoi(etcd.Config{Clients: r.job.clients()}.Settings()[0].Value)
	if err != nil {
		b.Fatal(err)
	}
	conns := make([]*clientv3.Client, n)
	for i := range conns {
		conns[i], err = clientv3.New(clientv3.Config{Endpoints: r.cluster.Endpoints(), Logger: zap.NewNop(), MaxUnaryRetries: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conns[i].Close() })
	}
	var values [1000]string
	for i, v := range randomValues(1024) {
		values[i] = string(v)
	}
	prefix := r.suite.settings.Bench.Namespace + "/" + r.job.Table.Name + "/"
	return func(client int) func(int64) error {
		conn, key, ctx := conns[client%n], []byte(prefix), context.Background()
		return func(n int64) error {
			key = r.job.Rows.Keys.Append(key[:len(prefix)], n)
			_, err := conn.Put(ctx, string(key), values[n%1000])
			return err
		}
	}
}

// bareCassandra writes or reads rows by queries on a session like the suite's.
func bareCassandra(b *testing.B, r *run) bareLoop {
	host, port, err := net.SplitHostPort(r.cluster.Endpoints()[0])
	if err != nil {
		b.Fatal(err)
	}
	c := gocql.NewCluster(host)
	if c.Port, err = strconv.Atoi(port); err != nil {
		b.Fatal(err)
	}
	c.ProtoVersion, c.NumConns, c.Consistency = 4, r.suite.settings.CQL.Conns, gocql.LocalQuorum
	c.WriteCoalesceWaitTime = 200 * time.Microsecond
	c.PoolConfig.HostSelectionPolicy = gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy(), gocql.ShuffleReplicas())
	c.Timeout = 0 // no timer for each request
	c.Keyspace = r.suite.settings.Bench.Namespace
	session, err := c.CreateSession()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(session.Close)
	table := r.job.Table.Name
	// Both sides leave the same work undone.
	if err := session.Query("ALTER TABLE " + table + " WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}").Exec(); err != nil {
		b.Fatal(err)
	}
	if r.job.inserts() {
		return bareWrites(session, "INSERT INTO "+table+" (k, v) VALUES (?, ?)", r)
	}
	return bareReads(session, "SELECT k, v FROM "+table+" WHERE k = ?", r)
}

func bareWrites(session *gocql.Session, stmt string, r *run) bareLoop {
	values := randomValues(256)
	return func(int) func(int64) error {
		var key []byte
		return func(n int64) error {
			key = r.job.Rows.Keys.Append(key[:0], n)
			return session.Query(stmt, string(key), values[n%1000]).Exec()
		}
	}
}

func bareReads(session *gocql.Session, stmt string, r *run) bareLoop {
	return func(client int) func(int64) error {
		var key, value []byte
		rng := workload.Rand(1, "bare", client)
		return func(int64) error {
			key = r.job.Rows.Keys.Append(key[:0], rng.Int64N(r.job.Preload))
			return session.Query(stmt, string(key)).Scan(nil, &value)
		}
	}
}
