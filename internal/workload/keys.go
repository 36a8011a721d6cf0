package workload

import (
	"fmt"
	"strconv"
)

// Keys says how the number of a key is spelled as the bytes of a key: a prefix,
// then the number in decimal.
type Keys struct {
	Prefix string // before the number; may be empty
	Width  int    // digits of every number, with leading zeros; 0 is as many as the number needs
}

// YCQLKeys spells keys as yb-sample-apps with --nouuid does: key:0, key:1, …
func YCQLKeys() Keys { return Keys{Prefix: "key:"} }

// NDBenchKeys spells keys as NDBench does: T0, T1, …
func NDBenchKeys() Keys { return Keys{Prefix: "T"} }

// PaddedKeys spells the keys 0 to count-1 as numbers of exactly size bytes, so
// that the order of the bytes is the order of the numbers. It is an error if
// count-1 has more than size digits.
func PaddedKeys(size int, count int64) (Keys, error) {
	if size < 1 {
		return Keys{}, fmt.Errorf("keys of %d bytes: want at least 1", size)
	}
	if need := len(strconv.FormatInt(max(0, count-1), 10)); need > size {
		return Keys{}, fmt.Errorf("keys of %d bytes: %d different keys need at least %d", size, count, need)
	}
	return Keys{Width: size}, nil
}

// Append appends the key with number n ≥ 0 to dst. A number with more digits
// than Width makes a longer key.
func (k Keys) Append(dst []byte, n int64) []byte {
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	dst = append(dst, k.Prefix...)
	for pad := k.Width - digits(n); pad > 0; pad -= len(zeros) {
		dst = append(dst, zeros[:min(pad, len(zeros))]...)
	}
	return strconv.AppendInt(dst, n, 10)
}

// digits returns the number of decimal digits of n ≥ 0.
func digits(n int64) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
