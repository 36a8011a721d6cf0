package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// DefaultTheta is the exponent of zipfian distributions if none is given, as in YCSB.
const DefaultTheta = 0.99

// Zipfian is YCSB's scrambled zipfian distribution, made exact: few keys are
// drawn very often, and these are spread over the key space. YCSB draws one of
// ten billion ranks, whatever n is, and hashes it to a key modulo n, so that a
// key has the weight of whatever ranks fall on it: the hottest of a million gets
// 3.8 % of the operations, not the 6.5 % that the law says. Here there are n
// ranks, and a permutation gives each key exactly one. Which keys are hot
// depends on n only, not on the seed.
type Zipfian struct {
	ranks ranks
}

// NewZipfian returns the distribution with exponent theta, 0 < theta ≤ 0.999.
func NewZipfian(theta float64) (*Zipfian, error) {
	z := new(Zipfian)
	return z, z.ranks.init(theta)
}

// Next implements [Distribution].
func (z *Zipfian) Next(r *rand.Rand, n int64) int64 { return scatter(z.ranks.next(r, n), n) }

func (z *Zipfian) String() string {
	return formatSpec("zipfian", []float64{z.ranks.theta}, []float64{DefaultTheta})
}

// Latest is YCSB's latest distribution: zipfian from the newest key, n-1, down.
type Latest struct {
	ranks ranks
}

// NewLatest returns the distribution with exponent theta, 0 < theta ≤ 0.999.
func NewLatest(theta float64) (*Latest, error) {
	l := new(Latest)
	return l, l.ranks.init(theta)
}

// Next implements [Distribution].
func (l *Latest) Next(r *rand.Rand, n int64) int64 { return n - 1 - l.ranks.next(r, n) }

func (l *Latest) String() string {
	return formatSpec("latest", []float64{l.ranks.theta}, []float64{DefaultTheta})
}

// ranks draws zipfian ranks: rank k of [0, n) with a probability of about
// (k+1)^-theta / zeta(n), where zeta(n) is the sum of i^-theta for i = 1 … n.
//
// The method is that of Gray et al., "Quickly generating billion-record
// synthetic databases" (SIGMOD 1994), as in YCSB, so that results compare: exact
// for ranks 0 and 1, a continuous approximation above, which gets the share of
// the operations that goes to the hottest keys right to 0.02. (math/rand/v2's
// Zipf needs an exponent above 1.) Unlike YCSB it keeps nothing that depends on
// n, so that n may grow with every draw at no cost; see zeta.
type ranks struct {
	theta float64
	small [zetaExact + 1]float64 // small[i] is zeta(i)
	limit float64                // what zeta(n) - n^(1-theta)/(1-theta) tends to
}

// zetaExact is up to which n zeta(n) is summed. Above, the neglected term of
// the series in tail is below 4e-3·n^-6, hence 1e-13.
const zetaExact = 64

func (z *ranks) init(theta float64) error {
	if !(theta > 0 && theta <= 0.999) {
		return fmt.Errorf("theta %v: want more than 0 and at most 0.999", theta)
	}
	z.theta = theta
	for i := 1; i <= zetaExact; i++ {
		z.small[i] = z.small[i-1] + math.Pow(float64(i), -theta)
	}
	z.limit = z.small[zetaExact] - z.tail(zetaExact, math.Pow(zetaExact, 1-theta))
	return nil
}

// zeta returns the sum of i^-theta for i = 1 … n with a relative error below
// 1e-11, in constant time. pow is n^(1-theta).
func (z *ranks) zeta(n int64, pow float64) float64 {
	if n <= zetaExact {
		return z.small[n]
	}
	return z.limit + z.tail(float64(n), pow)
}

// tail returns the part of the Euler-Maclaurin series of zeta(n) that depends
// on n: the integral, half of the last summand, and two corrections.
// pow is n^(1-theta).
func (z *ranks) tail(n, pow float64) float64 {
	t := z.theta
	last := pow / n // n^-theta
	return pow/(1-t) + last/2 - t*last/(12*n) + t*(t+1)*(t+2)*last/(720*n*n*n)
}

func (z *ranks) next(r *rand.Rand, n int64) int64 { return z.rank(r.Float64(), n) }

// rank returns the rank at u of [0, 1).
func (z *ranks) rank(u float64, n int64) int64 {
	pow := power(float64(n), 1-z.theta)
	zeta := z.zeta(n, pow)
	switch uz := u * zeta; {
	case uz < 1 || n == 1:
		return 0
	case uz < z.small[2] || n == 2:
		return 1
	}
	// 2^(1-theta) is twice the second summand of zeta.
	eta := (1 - 2*(z.small[2]-1)/pow) / (1 - z.small[2]/zeta)
	k := float64(n) * power(eta*(u-1)+1, 1/(1-z.theta))
	return min(int64(k), n-1) // u close to 1 rounds to n
}

// power returns x^y for x > 0, to twelve digits; math.Pow is three times slower.
func power(x, y float64) float64 { return math.Exp(y * math.Log(x)) }
