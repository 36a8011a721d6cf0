package workload

import "testing"

func TestScatterIsAPermutation(t *testing.T) {
	sizes := []int64{65_535, 65_536, 65_537, 1_000_000}
	for n := int64(1); n <= 600; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		seen := make([]bool, n)
		for k := range n {
			to := scatter(k, n)
			if to < 0 || to >= n {
				t.Fatalf("%d of %d goes to %d", k, n, to)
			}
			if seen[to] {
				t.Fatalf("%d of %d goes to %d, as another does", k, n, to)
			}
			seen[to] = true
		}
	}
}

func TestScatterSpreadsNeighbours(t *testing.T) {
	for _, n := range []int64{1000, 4096, 1_000_000, 1 << 30, 1_000_000_000} {
		const hot, parts = 1000, 10
		counts := make([]int64, parts)
		expect := make([]float64, parts)
		neighbours := 0
		for k := range int64(min(hot, n/2)) {
			counts[int(float64(scatter(k, n))/float64(n)*parts)]++
			if gap := scatter(k, n) - scatter(k+1, n); -1 <= gap && gap <= 1 {
				neighbours++
			}
		}
		for i := range expect {
			expect[i] = 1.0 / parts
		}
		chiSquare(t, "tenths of the key space", counts, expect)
		if neighbours > hot/50 {
			t.Errorf("%d of the %d hottest of %d keys are neighbours of the next", neighbours, hot, n)
		}
	}
}

func TestScatterKeepsKeysInPlaceAsTheSpaceGrows(t *testing.T) {
	const from, to, hot = 600_000, 660_000, 1000
	moved := 0
	for k := range int64(hot) {
		if scatter(k, from) != scatter(k, to) {
			moved++
		}
	}
	if moved > hot/4 { // a tenth more keys; those that walked may now stop
		t.Errorf("%d of the %d hottest keys changed as %d keys became %d", moved, hot, from, to)
	}
}
