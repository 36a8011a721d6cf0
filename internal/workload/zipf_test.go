package workload

import (
	"math"
	"sort"
	"testing"
)

func newRanks(t *testing.T, theta float64) *ranks {
	t.Helper()
	z := new(ranks)
	if err := z.init(theta); err != nil {
		t.Fatal(err)
	}
	return z
}

func (z *ranks) zetaOf(n int64) float64 { return z.zeta(n, math.Pow(float64(n), 1-z.theta)) }

// The sums were computed term by term, with compensation for rounding. The last
// one is YCSB's constant for its ten billion items.
func TestZeta(t *testing.T) {
	for _, test := range []struct {
		theta float64
		n     int64
		want  float64
	}{
		{0.5, 100, 18.589603824784152},
		{0.5, 1_000_000, 1998.5401454911487},
		{0.5, 100_000_000, 19998.539695491192},
		{0.99, 1, 1},
		{0.99, 100, 5.2945688313771635},
		{0.99, 10_000, 10.224361459595526},
		{0.99, 1_000_000, 15.391849746036804},
		{0.99, 100_000_000, 20.802930490024426},
		{0.999, 100, 5.1979478382148514},
		{0.999, 1_000_000, 14.488529087846231},
		{0.999, 100_000_000, 19.168530903421090},
		{0.99, 10_000_000_000, 26.46902820178302},
	} {
		got := newRanks(t, test.theta).zetaOf(test.n)
		if math.Abs(got/test.want-1) > 1e-11 {
			t.Errorf("zeta(%d, %v) = %.17g, want %.17g", test.n, test.theta, got, test.want)
		}
	}
}

func TestZetaIsTheSumFromOneTermToTheNext(t *testing.T) {
	for _, theta := range []float64{0.001, 0.2, 0.5, 0.99, 0.999} {
		z := newRanks(t, theta)
		sum := 0.0
		for n := int64(1); n <= 1000; n++ {
			sum += math.Pow(float64(n), -theta)
			if got := z.zetaOf(n); math.Abs(got/sum-1) > 1e-11 {
				t.Fatalf("zeta(%d, %v) = %.17g, want %.17g", n, theta, got, sum)
			}
		}
	}
}

// cdf returns the probability that a rank is below k, found where rank jumps.
func (z *ranks) cdf(k, n int64) float64 {
	const steps = 1 << 52
	u := sort.Search(steps, func(i int) bool { return z.rank(float64(i)/steps, n) >= k })
	return float64(u) / steps
}

// The method is an approximation above the second rank. How far the share of
// the operations that the hottest k keys get may be from that of Zipf's law:
func TestRanksFollowZipfsLaw(t *testing.T) {
	for _, test := range []struct {
		theta     float64
		n         int64
		tolerance float64 // of a probability
	}{
		{0.99, 10, 0.02},
		{0.99, 1000, 0.02},
		{0.99, 1_000_000, 0.02},
		{0.99, 1_000_000_000, 0.01},
		{0.5, 1000, 0.01},
		{0.5, 1_000_000, 0.001},
		{0.1, 1000, 0.001},
	} {
		z := newRanks(t, test.theta)
		zeta := z.zetaOf(test.n)
		worst := 0.0
		for k := int64(1); k <= test.n; k = k*5/4 + 1 {
			worst = max(worst, math.Abs(z.cdf(k, test.n)-z.zetaOf(k)/zeta))
		}
		if worst > test.tolerance {
			t.Errorf("theta %v, %d keys: the hottest keys' share is off by %.4f, want at most %v", test.theta, test.n, worst, test.tolerance)
		}
		for k := int64(1); k <= 2; k++ {
			if got, want := z.cdf(k, test.n), z.zetaOf(k)/zeta; math.Abs(got-want) > 1e-12 {
				t.Errorf("theta %v, %d keys: the first %d ranks have share %v, want exactly %v", test.theta, test.n, k, got, want)
			}
		}
	}
}

func TestEndsOfTheRange(t *testing.T) {
	const last = 1 - 1.0/(1<<53) // the largest number that Float64 returns
	for _, theta := range []float64{0.01, 0.5, 0.99, 0.999} {
		z := newRanks(t, theta)
		for _, n := range []int64{1, 2, 3, 63, 64, 65, 1_000_000_000, 1_000_000_000_000} {
			if got := z.rank(0, n); got != 0 {
				t.Errorf("theta %v: the first of %d ranks is %d", theta, n, got)
			}
			if got := z.rank(last, n); got != n-1 {
				t.Errorf("theta %v: the last of %d ranks is %d", theta, n, got)
			}
		}
	}
}

func TestZipfianFrequencies(t *testing.T) {
	const n, draws = 1000, 1_000_000
	z := newRanks(t, DefaultTheta)
	rank := make([]float64, n)
	for k := range rank {
		rank[k] = z.cdf(int64(k)+1, n) - z.cdf(int64(k), n)
	}
	latest, scattered := make([]float64, n), make([]float64, n)
	for k, p := range rank {
		latest[n-1-k] = p
		scattered[scatter(int64(k), n)] = p
	}
	chiSquare(t, "latest", draw(t, "latest", n, draws), latest)
	chiSquare(t, "zipfian", draw(t, "zipfian", n, draws), scattered)
}

func TestLatestFollowsTheNewestKey(t *testing.T) {
	l, err := NewLatest(DefaultTheta)
	if err != nil {
		t.Fatal(err)
	}
	r := Rand(1, "test", 0)
	const draws = 100_000
	newest := 0
	for n := int64(1); n <= draws; n++ {
		k := l.Next(r, n)
		if k < 0 || k >= n {
			t.Fatalf("drew key %d of %d", k, n)
		}
		if k == n-1 {
			newest++
		}
	}
	want := 0.0
	for n := int64(1); n <= draws; n++ {
		want += 1 / l.ranks.zetaOf(n)
	}
	if math.Abs(float64(newest)-want) > 6*math.Sqrt(want) {
		t.Errorf("the newest key was drawn %d times of %d, want about %.0f", newest, draws, want)
	}
}
