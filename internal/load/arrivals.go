package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Arrivals hand out the operations of an open loop: the number of the next one
// and its intended start. They are safe for concurrent use. Numbers have no
// gaps, intended starts never decrease with the number, and memory does not
// grow, however long the run.
type Arrivals interface {
	Next() (n int64, at time.Duration)
	// Rate returns the mean number of arrivals a second.
	Rate() float64
}

// Uniform returns arrivals that are evenly spaced, the first at 0.
func Uniform(perSecond float64) Arrivals { return &uniform{rate: perSecond} }

type uniform struct {
	rate float64
	next atomic.Int64
}

func (u *uniform) Rate() float64 { return u.rate }

// Next computes each start from its number, so that rounding errors don't add
// up: a float64 is exact to the nanosecond for the first 104 days.
func (u *uniform) Next() (int64, time.Duration) {
	n := u.next.Add(1) - 1
	return n, time.Duration(float64(n) * (float64(time.Second) / u.rate))
}

// Poisson returns arrivals with independent, exponentially distributed gaps:
// those of many users who don't know of each other.
func Poisson(perSecond float64, seed uint64) Arrivals {
	return &poisson{rate: perSecond, rng: rand.New(rand.NewPCG(seed, 0))}
}

type poisson struct {
	rate float64
	mu   sync.Mutex
	rng  *rand.Rand
	n    int64
	at   float64 // ns
}

func (p *poisson) Rate() float64 { return p.rate }

func (p *poisson) Next() (int64, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.n
	p.n++
	p.at += p.rng.ExpFloat64() * (float64(time.Second) / p.rate)
	return n, time.Duration(p.at)
}

// NewArrivals returns arrivals of the named process, "uniform" or "poisson".
func NewArrivals(process string, perSecond float64, seed uint64) (Arrivals, error) {
	if !(perSecond > 0) || math.IsInf(perSecond, 1) {
		return nil, fmt.Errorf("load: arrival rate %v: want a positive number of operations a second", perSecond)
	}
	switch process {
	case "uniform":
		return Uniform(perSecond), nil
	case "poisson":
		return Poisson(perSecond, seed), nil
	}
	return nil, fmt.Errorf("load: arrivals %q: want uniform or poisson", process)
}
