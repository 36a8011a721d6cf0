package cluster

import (
	"context"
	"fmt"
	"io"
	"log"
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// TestCassandra does what the suite does to a node and to a cluster: prepared
// writes, batches, reads, TRUNCATE.
func TestCassandra(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			if nodes > 1 {
				skipShort(t)
			}
			testCassandra(t, Spec{Nodes: nodes})
		})
	}
}

// TestCassandraLines runs the other versions that the suite promises to compare.
func TestCassandraLines(t *testing.T) {
	for _, version := range []string{"4.1.10", "5.0.8"} {
		t.Run(version, func(t *testing.T) {
			skipShort(t)
			testCassandra(t, Spec{Version: version})
		})
	}
}

func testCassandra(t *testing.T, spec Spec) {
	spec.System, spec.DataDir, spec.Ready, spec.Announce = Cassandra, t.TempDir(), at(cqlReady), announceTo(t)
	c := start(t, spec)
	defer func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
		assertGone(t, pids(c), spec.DataDir)
	}()

	// A write at ALL is acknowledged by every node: all of them form one cluster.
	err := useCQL(t.Context(), c.Endpoints(), len(c.Servers))
	if err != nil {
		t.Error(err)
	}
	for i, s := range c.Servers {
		version, err := cqlVersion(t.Context(), s.Endpoint)
		if err != nil || version != c.Version {
			t.Errorf("node %d: version %q, %v; want %q", i+1, version, err, c.Version)
		}
	}
	assertFootprint(t, c, spec.DataDir)
	assertNoErrors(t, c)
}

// cqlReady is the least that a server does.
func cqlReady(ctx context.Context, endpoints []string) error {
	_, err := cqlVersion(ctx, endpoints[0])
	return err
}

// cqlVersion asks the server at endpoint, and no other.
func cqlVersion(ctx context.Context, endpoint string) (version string, err error) {
	s, err := cqlSession(endpoint)
	if err != nil {
		return "", err
	}
	defer s.Close()
	err = s.Query(`SELECT release_version FROM system.local`).WithContext(ctx).Scan(&version)
	return version, err
}

func cqlSession(endpoints ...string) (*gocql.Session, error) {
	cfg := gocql.NewCluster(endpoints...)
	cfg.ProtoVersion = 4
	cfg.ConnectTimeout = 10 * time.Second
	cfg.Timeout = 60 * time.Second // a first CREATE TABLE on a cold server under load
	cfg.Logger = log.New(io.Discard, "", 0)
	cfg.HostFilter = gocql.WhiteListHostFilter(hostsOf(endpoints)...)
	return cfg.CreateSession()
}

// useCQL writes, reads and truncates a table that is replicated to so many nodes.
func useCQL(ctx context.Context, endpoints []string, replicas int) error {
	s, err := cqlSession(endpoints...)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, ddl := range []string{
		fmt.Sprintf(`CREATE KEYSPACE kvbench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}`, replicas),
		`CREATE TABLE kvbench.t (k blob PRIMARY KEY, v blob)`,
	} {
		if err := s.Query(ddl).WithContext(ctx).Exec(); err != nil {
			return fmt.Errorf("%s: %w", ddl, err)
		}
		if err := s.AwaitSchemaAgreement(ctx); err != nil {
			return fmt.Errorf("%s: schema agreement: %w", ddl, err)
		}
	}
	if err := fillCQL(ctx, s, 100); err != nil {
		return err
	}
	if err := s.Query(`TRUNCATE kvbench.t`).WithContext(ctx).Exec(); err != nil {
		return fmt.Errorf("truncate: %w", err)
	}
	return expectRows(ctx, s, 0)
}

// fillCQL writes n rows one by one and as many in one batch, and counts them.
func fillCQL(ctx context.Context, s *gocql.Session, n int) error {
	const insert = `INSERT INTO kvbench.t (k, v) VALUES (?, ?)`
	value := make([]byte, 256)
	for i := range n {
		err := s.Query(insert, fmt.Appendf(nil, "row %d", i), value).WithContext(ctx).Consistency(gocql.All).Exec()
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	batch := s.NewBatch(gocql.UnloggedBatch).WithContext(ctx)
	batch.SetConsistency(gocql.All)
	for i := range n {
		batch.Query(insert, fmt.Appendf(nil, "batch row %d", i), value)
	}
	if err := s.ExecuteBatch(batch); err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	return expectRows(ctx, s, 2*n)
}

func expectRows(ctx context.Context, s *gocql.Session, want int) error {
	var got int
	err := s.Query(`SELECT count(*) FROM kvbench.t`).WithContext(ctx).Consistency(gocql.All).Scan(&got)
	if err == nil && got != want {
		err = fmt.Errorf("%d rows, want %d", got, want)
	}
	return err
}
