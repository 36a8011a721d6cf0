package target

import (
	"context"
	"errors"
)

// A Realm is the namespace that holds everything the suite writes to a system: a
// keyspace, a key prefix, a znode. It carries a mark that says so: the suite
// writes nothing into a namespace that exists without the mark, and removes
// nothing that isn't below it. The mark is part of the realm, not of any store.
//
// Each adapter's Open and Ready claim the realm before they write anything.
type Realm interface {
	// Others names something in the system that isn't the suite's, such as
	// `keyspace "orders"`, or "" if there is nothing: then nobody else uses the
	// system. What the servers themselves keep there doesn't count. It only reads.
	// It wraps ErrDenied if the user may not see what others have.
	Others(ctx context.Context) (string, error)

	// Claim marks the namespace as the suite's if it doesn't exist, and does
	// nothing if it is marked. It wraps ErrForeign if it exists without the mark,
	// and says how to mark one that was made for the suite.
	Claim(ctx context.Context) error

	// SetNote stores a text under a short name beside the mark; "" removes it. The
	// realm is claimed.
	SetNote(ctx context.Context, name, text string) error

	// Note returns the text stored under name, "" if there is none.
	Note(ctx context.Context, name string) (string, error)

	// Drop removes the namespace with all that is in it and the mark at last. It
	// does nothing if there is none, and wraps ErrForeign if it isn't marked. A
	// namespace that somebody else made and marked for the suite stays, empty.
	Drop(ctx context.Context) error

	// Close releases the connections.
	Close() error
}

// Mark is the text by which a namespace is known as the suite's.
const Mark = "kvbench"

// Errors of a [Realm], and of connecting.
var (
	ErrForeign = errors.New("not made by the suite")
	ErrDenied  = errors.New("denied") // wrong or missing credentials, or a permission that the user doesn't have
)
