// Package target defines what the suite asks of a system under test: a [Store]
// of rows, the [Client] that reads and writes them, and the errors that count.
//
// One thin adapter per system implements the contract (cql, etcd, zookeeper,
// consul, fake); package targettest is the one test that every adapter passes.
// Adapters translate, they do not measure, retry, log or verify.
package target

import (
	"context"
)

// A Store is the part of a system that belongs to one benchmark: a CQL table,
// an etcd or Consul key prefix, a ZooKeeper znode. It exists, empty or as an
// earlier run left it, when the adapter's Open returns. A Store is safe for
// concurrent use.
type Store interface {
	// Client returns a new client with its connection or session established,
	// so that connecting is never measured. A Client belongs to one goroutine.
	Client(ctx context.Context) (Client, error)

	// Count returns the number of rows in the store, as counted by the servers.
	Count(ctx context.Context) (int64, error)

	// Clear removes every row, and whatever history of them can be removed
	// without touching what is not ours, so that two runs start from equal
	// stores. It returns when the store is empty.
	Clear(ctx context.Context) error

	// Close releases the connections. Rows stay.
	Close() error
}

// A Client issues one operation at a time. No method keeps key, values or rows
// after it has returned. Every method returns when ctx is done, at the latest,
// with an error for which [ClassOf] reports the class.
type Client interface {
	// Put writes one row, whether or not the key exists. A nil error means that
	// the system acknowledged the write with the durability it was configured for.
	Put(ctx context.Context, row Row) error

	// Get reads the row with row.Key into row.Values, which has one element for
	// each column; the elements' capacity is reused. Where the system offers a
	// choice the read is linearizable (etcd, Consul: consistent mode; ZooKeeper:
	// sync, then get) or of the configured consistency (CQL).
	// It returns ErrNotFound if there is no such row.
	Get(ctx context.Context, row Row) error

	// Close ends the client's session.
	Close() error
}

// A StaleGetter is a Client that can read without a quorum: etcd's serializable
// range, Consul's stale mode, ZooKeeper's get from the connected server.
type StaleGetter interface {
	// GetStale is Get, but may return an old value.
	GetStale(ctx context.Context, row Row) error
}

// A Batcher is a Client that can write several rows in one request.
type Batcher interface {
	// CheckBatch reports, without a request, whether a batch like rows can be
	// sent; it wraps ErrTooLarge if a limit that is known beforehand is exceeded.
	CheckBatch(rows []Row) error

	// PutBatch writes rows in one request: a CQL batch, an etcd or Consul
	// transaction, a ZooKeeper multi. The row count of a batch never changes on
	// the way. It wraps ErrTooLarge if the server refuses the batch's size.
	PutBatch(ctx context.Context, rows []Row) error
}

// A Row is a key and the values of its columns. Coordination stores have
// exactly one column. Keys are 1 to 256 of the characters that mean nothing to
// any of the systems: ASCII letters, digits and "-_:."; a key is not "." or "..".
// Values are any bytes; an empty value may be read back as nil.
type Row struct {
	Key    []byte
	Values [][]byte
}

// A Setting is one configuration line of the results: what the adapter was told
// that decides the numbers, such as the number of connections.
type Setting struct {
	Key   string // benchfmt key: lower case, no spaces, e.g. "cql-conns"
	Value string // e.g. "1"
}
