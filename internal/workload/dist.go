package workload

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Distribution says how often each key is drawn. It is safe for concurrent
// use; the clients of a group share one, each with a random source of its own.
type Distribution interface {
	// Next draws a key number of [0, n), 1 ≤ n ≤ 2^53. n may differ from call to
	// call, as the key space grows.
	Next(r *rand.Rand, n int64) int64

	// String returns the spec that Parse reads.
	String() string
}

// Specs describes what [Parse] reads, for messages and documentation.
const Specs = "sequential, uniform, zipfian[:theta], latest[:theta] or hotspot[:keys[:ops]]"

// Parse returns the distribution that a spec names:
//
//	sequential          one key after the other, and again from the start
//	uniform             each key with the same probability
//	zipfian[:theta]     YCSB's scrambled zipfian, by default with theta 0.99
//	latest[:theta]      YCSB's latest: zipfian from the newest key down
//	hotspot[:keys[:ops]] the first share of the keys gets a share of the
//	                    operations, by default 0.2 of the keys and 0.8 of the operations
//
// theta is above 0 and at most 0.999, shares are from 0 to 1.
func Parse(spec string) (Distribution, error) {
	name, params, err := splitSpec(spec)
	if err != nil {
		return nil, err
	}
	var d Distribution
	switch {
	case name == "sequential" && len(params) == 0:
		return new(Sequential), nil
	case name == "uniform" && len(params) == 0:
		return Uniform{}, nil
	case name == "zipfian" && len(params) <= 1:
		d, err = NewZipfian(param(params, 0, DefaultTheta))
	case name == "latest" && len(params) <= 1:
		d, err = NewLatest(param(params, 0, DefaultTheta))
	case name == "hotspot" && len(params) <= 2:
		d, err = NewHotspot(param(params, 0, DefaultHotKeys), param(params, 1, DefaultHotOps))
	default:
		err = fmt.Errorf("want %s", Specs)
	}
	if err != nil {
		return nil, fmt.Errorf("distribution %q: %w", spec, err)
	}
	return d, nil
}

// splitSpec splits "name:1:0.5" into its name and its numbers.
func splitSpec(spec string) (name string, params []float64, err error) {
	name, rest, found := strings.Cut(spec, ":")
	for found {
		var text string
		text, rest, found = strings.Cut(rest, ":")
		p, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "", nil, fmt.Errorf("distribution %q: %q is no number", spec, text)
		}
		params = append(params, p)
	}
	return name, params, nil
}

// param returns the parameter with index i, or def if it was left out.
func param(params []float64, i int, def float64) float64 {
	if i < len(params) {
		return params[i]
	}
	return def
}

// formatSpec is the inverse of splitSpec; it leaves out defaults at the end.
func formatSpec(name string, params, defaults []float64) string {
	for len(params) > 0 && params[len(params)-1] == defaults[len(params)-1] {
		params = params[:len(params)-1]
	}
	for _, p := range params {
		name += ":" + strconv.FormatFloat(p, 'g', -1, 64)
	}
	return name
}

// Sequential draws 0, 1, … n-1 and starts again: n draws of all clients
// together are every key once. The zero value starts with 0.
type Sequential struct {
	next atomic.Int64
}

// Next implements [Distribution]. It doesn't use r.
func (s *Sequential) Next(_ *rand.Rand, n int64) int64 { return (s.next.Add(1) - 1) % n }

func (s *Sequential) String() string { return "sequential" }

// Uniform draws each key with the same probability.
type Uniform struct{}

// Next implements [Distribution].
func (Uniform) Next(r *rand.Rand, n int64) int64 { return r.Int64N(n) }

func (Uniform) String() string { return "uniform" }
