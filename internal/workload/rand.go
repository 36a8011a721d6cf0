package workload

import (
	"hash/fnv"
	"math/rand/v2"
)

// Rand returns the random source of one client for one purpose. Sources with
// the same seed, stream and client repeat each other; any others are
// independent. The stream names the purpose, such as "read/keys", so that a
// client that draws more values doesn't change the keys it draws.
func Rand(seed uint64, stream string, client int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(stream))
	lo := mix(mix(h.Sum64()) + uint64(client))
	return rand.New(rand.NewPCG(mix(seed), lo))
}

// mix spreads every bit of x over the whole word: neighbouring seeds would
// otherwise start PCG in neighbouring states. It is the finalizer of SplitMix64
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014), a permutation, so that different seeds stay different.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
