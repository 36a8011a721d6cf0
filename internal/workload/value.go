package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// ErrMismatch is wrapped by the error for a value that isn't what was written.
var ErrMismatch = errors.New("not what was written")

// MaxValueSize is the largest size of a value, in bytes: about what Cassandra
// accepts in a request by default.
const MaxValueSize = 16 << 20

// Values makes the self-checking values of yb-sample-apps (binary mode):
//
//	size 0         the text val:<n> for key number n, whatever its length
//	size 1 to 5    the marker 'B', then fill
//	size 6 to 16   marker, fill, checksum
//	size from 17   marker, as much of val:<n> as fits, fill, checksum
//
// The checksum is the Adler-32 of all that precedes it, in the last four bytes,
// little endian. Thus damage is found from 6 bytes up, and a row that was
// swapped with another from 17 bytes up (to the digits that fit: key numbers
// below 10^8 at 17 bytes).
//
// Values differ even for one key: the fill is random. It is a stretch of a
// random block, xored with a random word, which costs about a hundredth of an
// operation's client CPU; the word keeps a server's compression from finding in
// one value what it has seen in another. A Values is safe for concurrent use.
type Values struct {
	size  int
	dense float64 // share of the fill that is random; the rest is zero
	block []byte
}

const (
	valueMarker  = 'B'
	checksumSize = 4
	minChecked   = 6  // smallest size with a checksum
	minNamed     = 17 // smallest size with the key's number
	blockSize    = 64 << 10
)

// NewValues returns values of size bytes, of whose fill the share compressible,
// from 0 to 1, compresses to next to nothing.
func NewValues(size int, compressible float64, seed uint64) (*Values, error) {
	if size < 0 || size > MaxValueSize {
		return nil, fmt.Errorf("value of %d bytes: want 0 to %d", size, MaxValueSize)
	}
	if !(compressible >= 0 && compressible <= 1) {
		return nil, fmt.Errorf("compressible share %v: want 0 to 1", compressible)
	}
	v := &Values{size: size, dense: 1 - compressible, block: make([]byte, blockSize)}
	r := Rand(seed, "value/block", 0)
	for i := 0; i < blockSize; i += 8 {
		binary.LittleEndian.PutUint64(v.block[i:], r.Uint64())
	}
	return v, nil
}

// Append appends a value for key number n to dst.
func (v *Values) Append(dst []byte, n int64, r *rand.Rand) []byte {
	if v.size == 0 {
		return appendName(dst, n)
	}
	start := len(dst)
	dst = append(dst, valueMarker)
	if v.size >= minNamed {
		dst = appendName(dst, n)
		dst = dst[:min(len(dst), start+v.size-checksumSize)]
	}
	fill := v.size - (len(dst) - start)
	if v.size >= minChecked {
		fill -= checksumSize
	}
	dst = v.appendFill(dst, fill, r)
	if v.size >= minChecked {
		dst = binary.LittleEndian.AppendUint32(dst, adler32.Checksum(dst[start:]))
	}
	return dst
}

// Check reports whether value can be what Append made for key number n. If not,
// the error wraps [ErrMismatch].
func (v *Values) Check(n int64, value []byte) error {
	nameSize := len("val:") + digits(n)
	switch {
	case v.size == 0:
		if len(value) != nameSize {
			return fmt.Errorf("value %q, want val:%d: %w", value, n, ErrMismatch)
		}
		return checkName(n, value)
	case len(value) != v.size:
		return fmt.Errorf("value of %d bytes, want %d: %w", len(value), v.size, ErrMismatch)
	case value[0] != valueMarker:
		return fmt.Errorf("value begins with %q, want %q: %w", value[0], valueMarker, ErrMismatch)
	case v.size < minChecked:
		return nil
	}
	text, sum := value[:v.size-checksumSize], binary.LittleEndian.Uint32(value[v.size-checksumSize:])
	if want := adler32.Checksum(text); sum != want {
		return fmt.Errorf("value with checksum %08x, want %08x: %w", sum, want, ErrMismatch)
	}
	if v.size < minNamed {
		return nil
	}
	return checkName(n, text[1:min(len(text), 1+nameSize)])
}

// checkName reports whether text is val:<n>, or its beginning.
func checkName(n int64, text []byte) error {
	var buf [32]byte
	if name := appendName(buf[:0], n); string(text) != string(name[:len(text)]) {
		return fmt.Errorf("value of %q, want val:%d: %w", text, n, ErrMismatch)
	}
	return nil
}

// appendFill appends size bytes: random ones, then the zeros that compress.
func (v *Values) appendFill(dst []byte, size int, r *rand.Rand) []byte {
	zeros := size - int(math.Round(v.dense*float64(size)))
	for left := size - zeros; left > 0; {
		word, offset := r.Uint64(), r.IntN(blockSize)
		stretch := v.block[offset:min(offset+left, blockSize)]
		start := len(dst)
		dst = append(dst, stretch...)
		xor(dst[start:], word)
		left -= len(stretch)
	}
	dense := len(dst)
	dst = slices.Grow(dst, zeros)[:dense+zeros]
	clear(dst[dense:])
	return dst
}

// xor combines b with the bytes of word, over and over.
func xor(b []byte, word uint64) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^word)
	}
	for i := range b {
		b[i] ^= byte(word >> (8 * i))
	}
}

func appendName(dst []byte, n int64) []byte {
	return strconv.AppendInt(append(dst, "val:"...), n, 10)
}
