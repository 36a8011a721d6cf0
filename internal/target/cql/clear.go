package cql

import (
	"context"
	"errors"
	"fmt"

	"github.com/gocql/gocql"

	"kvbench/internal/target"
)

// truncations is how often Clear truncates at the most. A replica may be about to
// apply writes that the others have acknowledged, and then holds them afterwards.
const truncations = 5

// Clear removes all rows: TRUNCATE, then a look that none is left. Cassandra since
// 5.0 is told to leave no snapshot behind; where the servers make one, it is theirs
// to remove.
func (s *Store) Clear(ctx context.Context) error {
	for range truncations {
		if err := s.truncate(ctx); err != nil {
			return s.errorf("truncate: %w", s.config.grant(err))
		}
		empty, err := s.isEmpty(ctx)
		if err != nil {
			return s.errorf("look after truncate: %w", s.config.grant(err))
		}
		if empty {
			return nil
		}
	}
	return s.errorf("there are rows after %d truncates: does anybody else write to it?", truncations)
}

// isEmpty reports whether no row is seen, at the level at which rows are counted.
func (s *Store) isEmpty(ctx context.Context) (bool, error) {
	look := "SELECT " + s.config.Schema.key[0].name + " FROM " + s.config.Table + " LIMIT 1"
	iter := s.session.Query(look).Consistency(s.countLevel).WithContext(ctx).Iter()
	rows := iter.NumRows()
	return rows == 0, wrap(ctx, iter.Close())
}

// truncate truncates the table. Servers do it only if all nodes are up, and say so;
// then the table is made anew.
func (s *Store) truncate(ctx context.Context) error {
	err := wrap(ctx, s.session.Query("TRUNCATE "+s.config.Table).WithContext(ctx).Exec())
	var reply gocql.RequestError
	if errors.As(err, &reply) && errors.Is(err, target.ErrUnavailable) {
		return s.remake(ctx, err)
	}
	return err
}

// remake drops the table, which can't be truncated, and creates it again, if it is
// sure to be the suite's: a keyspace that somebody else has made may have tables
// that somebody else has made, too.
func (s *Store) remake(ctx context.Context, truncate error) error {
	a, err := administer(ctx, s.config)
	if err != nil {
		return err
	}
	defer a.Close()
	own, err := Realm{adminSession: a}.Note(ctx, made)
	if err != nil {
		return err
	}
	if own == "" {
		return fmt.Errorf("%w: it needs all nodes (BENCH_MAX_DOWN), unless the suite has made the keyspace itself", truncate)
	}
	// Who may drop the table may not be allowed to create it. The servers look at
	// that first, even if there is nothing to create.
	if err := a.create(ctx, s.config.Table, s.config.Schema); err != nil {
		return err
	}
	if err := a.exec(ctx, "DROP TABLE "+s.config.Namespace+"."+s.config.Table); err != nil {
		return err
	}
	return a.createTable(ctx, s.config.Table, s.config.Schema)
}
