package cql

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/target"

	"github.com/gocql/gocql"
)

// A Config says which table of which cluster a [Store] is, and how the driver
// reaches it. Errors name the environment variables that the fields come from.
type Config struct {
	Dialect   Dialect
	Endpoints []string // host:port of nodes of one data center; at least one
	Nodes     int      // nodes of that data center; 0 is the number of endpoints
	Owned     bool     // the suite started the servers, all of them for itself

	TLS        *access.TLS       // nil is none
	Login      access.Login      // the zero value is nobody
	DataCenter string            // of the endpoints, the only one that is talked to; "" is the first endpoint's
	Translate  map[string]string // host:port under which clients reach a node, by the one that the nodes know; nil: the same

	Namespace string // keyspace; "" is "kvbench"
	Table     string // table in it
	Schema    Schema // shape of the table; the zero value is KeyValue

	Clients     int           // clients that will work at the same time; 0 is 1
	Conns       int           // connections to each node; 0 is 1
	Coalesce    time.Duration // wait for more requests before a write to a connection; 0 doesn't wait, negative chooses by clients per connection, and 0 over TLS
	Consistency string        // level of reads and writes; "" is LOCAL_QUORUM
	Serial      string        // serial consistency level of conditional writes; "" is LOCAL_SERIAL
	Replication int           // copies of each row; 0 is what the keyspace has, or else the smaller of 3 and Nodes
	Timeout     time.Duration // longest operation, connecting included; 0 is 10 s
	Batch       string        // "logged" or "unlogged"; "" is logged

	// alone makes the endpoints the only nodes that are talked to.
	alone bool
}

const (
	// driver is the CQL driver and its version, as go.mod has it.
	driver = "gocql 1.7.0"

	// protocol is pinned: 4 is the newest that all three systems speak.
	protocol = 4

	// coalesceFrom is the number of clients per connection from which it pays
	// to collect requests for coalesceWait before writing them to the socket. On
	// a real Cassandra and one connection: with 1 client the wait takes 82 % of
	// the throughput, with 32 it makes no difference, with 256 it adds 67 %.
	coalesceFrom = 32
	coalesceWait = 200 * time.Microsecond

	// replicationKey is the configuration line that says how often rows are stored.
	replicationKey = "cql-replication"

	// batchMax is how many statements the protocol's batch message can count.
	batchMax = 1<<16 - 1
)

// withDefaults returns c with its zero fields replaced by what they mean.
func (c Config) withDefaults() Config {
	c.Schema = c.Schema.orDefault()
	setDefault(&c.Namespace, "kvbench")
	setDefault(&c.Nodes, len(c.Endpoints))
	setDefault(&c.Clients, 1)
	setDefault(&c.Conns, 1)
	setDefault(&c.Consistency, "LOCAL_QUORUM")
	setDefault(&c.Serial, "LOCAL_SERIAL")
	setDefault(&c.Timeout, 10*time.Second)
	setDefault(&c.Batch, "logged")
	if c.Coalesce < 0 {
		c.Coalesce = 0
		// Over TLS there are no vectored writes, so that waiting saves nothing.
		if c.TLS == nil && c.Clients >= coalesceFrom*c.Conns*max(c.Nodes, 1) {
			c.Coalesce = coalesceWait
		}
	}
	return c
}

// setDefault sets *field to value if it is zero.
func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// identifier is a CQL name that needs no quotes and fits into a file name.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

// validate reports the first field, of a Config with defaults, that is wrong.
func (c Config) validate() error {
	if len(c.Endpoints) == 0 {
		return fmt.Errorf("%s: no endpoints", c.Dialect.System)
	}
	for _, ep := range c.Endpoints {
		if _, port, err := net.SplitHostPort(ep); err != nil || !isPort(port) {
			return fmt.Errorf("%s endpoint %q: want host:port", c.Dialect.System, ep)
		}
	}
	if err := c.checkKnown(); err != nil {
		return err
	}
	if !identifier.MatchString(c.Namespace) {
		return fmt.Errorf("BENCH_NAMESPACE=%q: %s wants a lower-case letter, then at most 47 letters, digits and '_'",
			c.Namespace, c.Dialect.System)
	}
	if !identifier.MatchString(c.Table) {
		return fmt.Errorf("%s table %q: want a lower-case letter, then at most 47 letters, digits and '_'", c.Dialect.System, c.Table)
	}
	if c.Conns < 0 {
		return fmt.Errorf("CQL_CONNS=%d: want at least 1", c.Conns)
	}
	if c.Replication < 0 {
		return fmt.Errorf("CQL_REPLICATION=%d: want at least 1, or 0 for the default", c.Replication)
	}
	if c.Serial != "SERIAL" && c.Serial != "LOCAL_SERIAL" {
		return fmt.Errorf("CQL_SERIAL_CONSISTENCY=%q: want SERIAL or LOCAL_SERIAL", c.Serial)
	}
	if c.Batch != "logged" && c.Batch != "unlogged" {
		return fmt.Errorf("batch kind %q: want logged or unlogged", c.Batch)
	}
	_, err := c.Dialect.level(c.Consistency)
	return err
}

// isPort reports whether s is a port number.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// level is the consistency level of a valid Config.
func (c Config) level() gocql.Consistency {
	level, _ := c.Dialect.level(c.Consistency)
	return level
}

// serial is the serial consistency level of a valid Config.
func (c Config) serial() gocql.SerialConsistency {
	if c.Serial == "SERIAL" {
		return gocql.Serial
	}
	return gocql.LocalSerial
}

// limit returns a context that ends when an operation has taken too long.
func (c Config) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("not done within BENCH_TIMEOUT=%v: %w", c.Timeout, context.DeadlineExceeded))
}

// variable returns the name of one of the system's settings.
func (c Config) variable(name string) string {
	return strings.ToUpper(c.Dialect.System) + "_" + name
}

// replication is the replication factor of a keyspace that the suite makes.
func (c Config) replication() int {
	if c.Replication > 0 {
		return c.Replication
	}
	return max(1, min(3, c.Nodes))
}

// Settings returns the driver settings that decide results, for the results'
// configuration lines. A coalescing time that depends on clients whose number
// isn't set is shown as the rule that chooses it.
func (c Config) Settings() []target.Setting {
	full := c.withDefaults()
	coalesce := full.Coalesce.String()
	if c.Coalesce < 0 && c.Clients == 0 && c.TLS == nil {
		coalesce = fmt.Sprintf("0s, %v from %d clients per connection", coalesceWait, coalesceFrom)
	}
	consistency := full.Consistency
	if level, err := c.Dialect.level(full.Consistency); err == nil {
		consistency = level.String()
	}
	routing, replication := "round-robin", "universe"
	if c.Dialect.tokenAware {
		routing = "token-aware, shuffled replicas"
	}
	if c.Dialect.replicated {
		replication = strconv.Itoa(full.replication())
		if c.Replication == 0 && c.Nodes == 0 {
			replication = "3, or as many as nodes"
		}
	}
	return []target.Setting{
		{Key: "cql-driver", Value: driver},
		{Key: "cql-protocol", Value: strconv.Itoa(protocol)},
		{Key: "cql-conns", Value: strconv.Itoa(full.Conns)},
		{Key: "cql-coalesce", Value: coalesce},
		{Key: "cql-consistency", Value: consistency},
		{Key: replicationKey, Value: replication},
		{Key: "cql-routing", Value: routing},
		{Key: "cql-retries", Value: "none"},
	}
}
