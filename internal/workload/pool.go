package workload

import (
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

// Pool is NDBench's pool of values: random lower-case hex digits that end with
// the CRC-32 (IEEE) of what precedes, as eight hex digits. A value that is read
// can thus be checked without knowing which one was written, and by a later run
// with another pool. Sizes up to eight have no room for the checksum.
//
// NDBench replaces one value every 10 ms. That is left out: what is written
// would depend on the clock, so that no run could be repeated, and writers
// would share something that changes.
type Pool struct {
	values [][]byte
	size   int
}

// poolSum is the number of hex digits of the checksum.
const poolSum = 2 * crc32.Size

// MaxPoolSize is the largest number of bytes of all values of a pool together.
const MaxPoolSize = 1 << 30

// NewPool returns a pool of count values of size bytes.
func NewPool(count, size int, seed uint64) (*Pool, error) {
	if count < 1 || size < 1 || count > MaxPoolSize/size {
		return nil, fmt.Errorf("pool of %d values of %d bytes: want 1 value of 1 byte or more, %d bytes together at most", count, size, MaxPoolSize)
	}
	p := &Pool{values: make([][]byte, count), size: size}
	r := Rand(seed, "pool", 0)
	for i := range p.values {
		p.values[i] = poolValue(size, r)
	}
	return p, nil
}

func poolValue(size int, r *rand.Rand) []byte {
	const digits = "0123456789abcdef"
	value := make([]byte, size)
	for i := range value {
		value[i] = digits[r.IntN(len(digits))]
	}
	if size > poolSum {
		text, sum := value[:size-poolSum], value[size-poolSum:]
		putChecksum((*[poolSum]byte)(sum), text)
	}
	return value
}

// Pick returns a value of the pool at random. It must not be changed.
func (p *Pool) Pick(r *rand.Rand) []byte { return p.values[r.IntN(len(p.values))] }

// Check reports whether value can be from such a pool. If not, the error wraps
// [ErrMismatch].
func (p *Pool) Check(value []byte) error {
	if len(value) != p.size {
		return fmt.Errorf("value of %d bytes, want %d: %w", len(value), p.size, ErrMismatch)
	}
	if p.size <= poolSum {
		return checkHex(value)
	}
	text, sum := value[:p.size-poolSum], value[p.size-poolSum:]
	var want [poolSum]byte
	putChecksum(&want, text)
	if string(sum) != string(want[:]) {
		return fmt.Errorf("value with checksum %q, want %q: %w", sum, want, ErrMismatch)
	}
	return nil
}

// putChecksum writes the CRC-32 of text in hex.
func putChecksum(dst *[poolSum]byte, text []byte) {
	sum := crc32.ChecksumIEEE(text)
	hex.Encode(dst[:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
}

func checkHex(value []byte) error {
	for _, c := range value {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("value %q, want lower-case hex digits: %w", value, ErrMismatch)
		}
	}
	return nil
}
