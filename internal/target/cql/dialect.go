package cql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gocql/gocql"
)

// A Dialect is all that sets one CQL system apart from the others, as data.
type Dialect struct {
	// System is the system's name in errors, such as "cassandra".
	System string

	// levels are the consistency levels that the system knows, by the name that
	// a person gives, and what is sent to get them.
	levels map[string]gocql.Consistency

	// replicated is true if CQL sets how often rows are stored: per data
	// center, with NetworkTopologyStrategy.
	replicated bool

	// majority is true if a majority of replicas acknowledges every write,
	// whatever its consistency level.
	majority bool

	// tokenAware is true if the driver can tell which servers hold a row.
	tokenAware bool

	hash             string // function that maps a partition key to an integer
	hashMin, hashMax int64  // its smallest and greatest result

	version string // query for the server version; "" if it can't be asked for in CQL

	keyspaces []string // of the servers themselves, besides those called system

	uncompressed    string // table property that switches compression off; "" if there is none
	noSnapshot      string // table property that keeps TRUNCATE from leaving a copy behind; "" if there is none
	noSnapshotSince [2]int // first version with noSnapshot: major, minor
}

// Cassandra returns the dialect of Apache Cassandra, 4.0 and later.
//
// Keyspaces use NetworkTopologyStrategy with the replication factor in the data
// center of the endpoints and none in others: it works with one node, and is
// what production clusters and LOCAL_QUORUM are for.
func Cassandra() Dialect {
	return Dialect{
		System:          "cassandra",
		levels:          allLevels(),
		replicated:      true,
		tokenAware:      true,
		hash:            "token",
		hashMin:         -1 << 63,
		hashMax:         1<<63 - 1,
		version:         "SELECT release_version FROM system.local WHERE key = 'local'",
		uncompressed:    "compression = {'enabled': 'false'}",
		noSnapshot:      "allow_auto_snapshot = false",
		noSnapshotSince: [2]int{5, 0},
	}
}

// Scylla returns the dialect of ScyllaDB. NetworkTopologyStrategy is the only
// strategy that its tablets accept. Where they are the default they are used;
// the driver then guesses replicas from a ring that tablets don't follow, so a
// request usually takes one hop more than with ScyllaDB's own drivers. Nor does
// the driver know shards: more connections (CQL_CONNS) reach more of them.
func Scylla() Dialect {
	d := Cassandra()
	d.System = "scylla"
	d.version = "SELECT version FROM system.versions WHERE key = 'local'"
	d.uncompressed = "compression = {'sstable_compression': ''}"
	d.noSnapshot = ""
	d.keyspaces = []string{"audit"}
	return d
}

// Yugabyte returns the dialect of YugabyteDB's YCQL.
//
// The universe decides how often rows are stored; CQL's replication is accepted
// and ignored. QUORUM is its name for the leader's answer, ONE for a follower's;
// a majority acknowledges every write. It takes other levels for QUORUM and
// logs a warning, so LOCAL_QUORUM, the suite's default, is sent as QUORUM and
// the rest is refused. Its partitions don't follow the tokens that it shows to
// drivers, so requests go round robin, a hop more than with YugabyteDB's own
// drivers. Logged and unlogged batches are the same to it, and are transactions
// only on tables with transactions enabled, which the published workloads don't use.
func Yugabyte() Dialect {
	return Dialect{
		System: "yugabyte",
		levels: map[string]gocql.Consistency{
			"QUORUM":       gocql.Quorum,
			"LOCAL_QUORUM": gocql.Quorum,
			"LOCAL_ONE":    gocql.LocalOne,
			"ONE":          gocql.One,
		},
		majority: true,
		hash:     "partition_hash",
		hashMax:  1<<16 - 1,
	}
}

// allLevels are the levels at which rows can be both written and read.
func allLevels() map[string]gocql.Consistency {
	levels := map[string]gocql.Consistency{}
	for _, c := range []gocql.Consistency{gocql.One, gocql.Two, gocql.Three, gocql.Quorum, gocql.All,
		gocql.LocalQuorum, gocql.EachQuorum, gocql.LocalOne} {
		levels[c.String()] = c
	}
	return levels
}

// level returns what is sent for the consistency level called name.
func (d Dialect) level(name string) (gocql.Consistency, error) {
	if level, ok := d.levels[strings.ToUpper(name)]; ok {
		return level, nil
	}
	var known []string
	for name := range d.levels {
		known = append(known, name)
	}
	slices.Sort(known)
	return 0, fmt.Errorf("CQL_CONSISTENCY=%q: %s has no such consistency level for reads and writes, but %s",
		name, d.System, strings.Join(known, ", "))
}

// isSystem reports whether a keyspace is the servers' own.
func (d Dialect) isSystem(keyspace string) bool {
	return keyspace == "system" || strings.HasPrefix(keyspace, "system_") || slices.Contains(d.keyspaces, keyspace)
}

// countLevel returns the level at which all rows that were acknowledged at
// level are seen: replicas that count must overlap with those that acknowledged.
func (d Dialect) countLevel(level gocql.Consistency) gocql.Consistency {
	switch {
	case d.majority:
		return gocql.Quorum
	case level == gocql.Quorum, level == gocql.LocalQuorum, level == gocql.EachQuorum:
		return level
	case level == gocql.All:
		return gocql.LocalQuorum
	default:
		return gocql.All
	}
}
