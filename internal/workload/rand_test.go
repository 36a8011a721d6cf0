package workload

import "testing"

func TestRandRepeatsAndDiffers(t *testing.T) {
	type source struct {
		seed   uint64
		stream string
		client int
	}
	base := source{1, "read/keys", 0}
	for _, test := range []struct {
		why   string
		other source
		same  bool
	}{
		{"the same source repeats", source{1, "read/keys", 0}, true},
		{"another seed", source{2, "read/keys", 0}, false},
		{"another stream", source{1, "write/keys", 0}, false},
		{"another client", source{1, "read/keys", 1}, false},
	} {
		a := Rand(base.seed, base.stream, base.client)
		b := Rand(test.other.seed, test.other.stream, test.other.client)
		equal := 0
		for range 1000 {
			if a.Uint64() == b.Uint64() {
				equal++
			}
		}
		if want := map[bool]int{true: 1000}[test.same]; equal != want {
			t.Errorf("%s: %d of 1000 numbers are equal, want %d", test.why, equal, want)
		}
	}
}

func TestNeighbouringClientsAreIndependent(t *testing.T) {
	const clients = 4096
	var counts [64]int64
	var expect [64]float64
	for client := range clients {
		counts[Rand(1, "read/keys", client).Uint64N(64)]++
	}
	for i := range expect {
		expect[i] = 1.0 / 64
	}
	chiSquare(t, "first draws of the clients", counts[:], expect[:])
}
