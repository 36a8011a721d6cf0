package workload

import "math/bits"

// scatter is a permutation of [0, n) that spreads neighbours over the whole
// range: small ranks are hot, and hot keys shouldn't be neighbours.
//
// It permutes the next power of two, step by step with what is invertible
// there (adding, multiplying by an odd number, xor with the own high bits), and
// walks on from every number that isn't below n, which is less than one extra
// step on average (Black and Rogaway, "Ciphers with arbitrary finite domains",
// CT-RSA 2002). As n grows within a power of two nearly all keys stay in place.
func scatter(k, n int64) int64 {
	width := max(1, bits.Len64(uint64(n-1)))
	mask := uint64(1)<<width - 1
	half := (width + 1) / 2
	x := uint64(k)
	for {
		x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 & mask
		x ^= x >> half
		x = x * 0x94d049bb133111eb & mask
		x ^= x >> half
		x = x * 0xd6e8feb86659fd93 & mask
		if x < uint64(n) {
			return int64(x)
		}
	}
}
