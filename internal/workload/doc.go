// Package workload says what is written and read: the spelling of keys, the
// distributions that keys are drawn from, which keys may be read, and values
// that prove themselves when they are read back.
//
// Keys are numbered 0, 1, … n-1; everything here works on numbers, and [Keys]
// spells one as bytes. A client draws numbers from a [Distribution] with a
// random source of its own (see [Rand]); readers draw them through [Acked],
// which knows the rows whose write was acknowledged. [Values] and [Pool] make
// values and check them.
//
// The package is pure: no I/O, no clock, no random source but the caller's.
// The same seed gives the same operations. Nothing that is called for an
// operation allocates, once the buffers passed in are large enough.
package workload
