package workload

import (
	"math"
	"strings"
	"sync"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		why, spec, want string
	}{
		{"every name alone", "sequential", "sequential"},
		{"every name alone", "uniform", "uniform"},
		{"every name alone", "zipfian", "zipfian"},
		{"every name alone", "latest", "latest"},
		{"every name alone", "hotspot", "hotspot"},
		{"a parameter", "zipfian:0.8", "zipfian:0.8"},
		{"a default is left out", "latest:0.99", "latest"},
		{"numbers have one spelling", "zipfian:5e-1", "zipfian:0.5"},
		{"one of two parameters", "hotspot:0.1", "hotspot:0.1"},
		{"two parameters", "hotspot:0.1:0.9", "hotspot:0.1:0.9"},
		{"the first can't be left out if the second isn't", "hotspot:0.2:0.9", "hotspot:0.2:0.9"},
		{"the second can", "hotspot:0.1:0.8", "hotspot:0.1"},
	} {
		d, err := Parse(test.spec)
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
		} else if d.String() != test.want {
			t.Errorf("%s: %q is printed as %q, want %q", test.why, test.spec, d, test.want)
		}
	}
}

func TestParseRejects(t *testing.T) {
	for _, test := range []struct{ why, spec, want string }{
		{"nothing", "", "want sequential, uniform"},
		{"an unknown name", "zipf", "want sequential, uniform"},
		{"another case", "Uniform", "want sequential, uniform"},
		{"a parameter too many", "uniform:1", "want sequential, uniform"},
		{"a parameter too many", "hotspot:0.1:0.2:0.3", "want sequential, uniform"},
		{"an empty parameter", "zipfian:", `"" is no number`},
		{"a word", "zipfian:hot", `"hot" is no number`},
		{"theta 1, where the method has a pole", "zipfian:1", "at most 0.999"},
		{"theta 0, which is uniform", "latest:0", "more than 0"},
		{"not a number", "zipfian:NaN", "more than 0"},
		{"a negative share", "hotspot:-0.1", "want 0 to 1"},
		{"a share above 1", "hotspot:0.1:1.1", "want 0 to 1"},
		{"not a share", "hotspot:nan", "want 0 to 1"},
	} {
		d, err := Parse(test.spec)
		if err == nil {
			t.Errorf("%s: %q is %q, want an error", test.why, test.spec, d)
		} else if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `"`+test.spec+`"`) {
			t.Errorf("%s: error %q, want %q and the spec in it", test.why, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, spec := range []string{"sequential", "uniform", "zipfian:0.8", "latest", "hotspot:0.1:0.9", "hotspot:1:0", "zipfian:1e-320"} {
		f.Add(spec, int64(1000), uint64(1))
	}
	f.Fuzz(func(t *testing.T, spec string, n int64, seed uint64) {
		d, err := Parse(spec)
		if err != nil {
			return
		}
		again, err := Parse(d.String())
		if err != nil || again.String() != d.String() {
			t.Fatalf("%q prints %q, which parses as %v, %v", spec, d, again, err)
		}
		n = max(1, n&(1<<53-1))
		r := Rand(seed, "fuzz", 0)
		for range 20 {
			if k := d.Next(r, n); k < 0 || k >= n {
				t.Fatalf("%s draws %d of %d keys", d, k, n)
			}
		}
	})
}

// specs are distributions that give every key a positive probability.
func specs() []string {
	return []string{"sequential", "uniform", "zipfian", "zipfian:0.5", "latest", "latest:0.2", "hotspot", "hotspot:0.01:0.5"}
}

func TestEveryKeyIsReachableAndNoOther(t *testing.T) {
	for _, spec := range specs() {
		for _, n := range []int64{1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 300} {
			counts := draw(t, spec, n, 200*n+2_000)
			for k, c := range counts {
				if c == 0 {
					t.Errorf("%s: key %d of %d was never drawn", spec, k, n)
				}
			}
		}
	}
}

// draw returns how often each of n keys is drawn. Keys outside are fatal.
func draw(t *testing.T, spec string, n, draws int64) []int64 {
	t.Helper()
	d, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int64, n)
	r := Rand(1, spec, 0)
	for range draws {
		k := d.Next(r, n)
		if k < 0 || k >= n {
			t.Fatalf("%s: drew key %d of %d", spec, k, n)
		}
		counts[k]++
	}
	return counts
}

func TestSequentialIsEveryKeyOnceAmongClients(t *testing.T) {
	const clients, n = 8, 4001 // not a multiple
	var counts [n]int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	var d Sequential
	for range clients {
		wg.Go(func() {
			for range n {
				k := d.Next(nil, n)
				mu.Lock()
				counts[k]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for k, c := range counts {
		if c != clients {
			t.Errorf("key %d was drawn %d times in %d rounds", k, c, clients)
		}
	}
}

func TestUniformIsUniform(t *testing.T) {
	const n = 1000
	expect := make([]float64, n)
	for k := range expect {
		expect[k] = 1.0 / n
	}
	chiSquare(t, "uniform", draw(t, "uniform", n, 1_000_000), expect)
}

func TestHotspotShares(t *testing.T) {
	for _, test := range []struct {
		why       string
		keys, ops float64
		n         int64
		hot       int64 // number of hot keys that is expected
	}{
		{"YCSB's defaults", 0.2, 0.8, 1000, 200},
		{"a few very hot keys", 0.01, 0.99, 1000, 10},
		{"a share that is less than a key is one key", 0.001, 0.9, 100, 1},
		{"no share is one key", 0, 0.5, 100, 1},
		{"all keys hot is uniform", 1, 0.3, 100, 100},
		{"hot keys that nobody asks for", 0.5, 0, 100, 50},
		{"only hot keys", 0.5, 1, 100, 50},
		{"two keys", 0.5, 0.9, 2, 1},
	} {
		h, err := NewHotspot(test.keys, test.ops)
		if err != nil {
			t.Fatal(err)
		}
		ops := test.ops
		if test.hot == test.n {
			ops = 1
		}
		expect := make([]float64, test.n)
		for k := range expect {
			if int64(k) < test.hot {
				expect[k] = ops / float64(test.hot)
			} else {
				expect[k] = (1 - ops) / float64(test.n-test.hot)
			}
		}
		chiSquare(t, test.why, draw(t, h.String(), test.n, 200_000), expect)
	}
}

// chiSquare fails the test if counts are an unlikely sample of the
// probabilities: chi-square more than six standard deviations above its mean.
func chiSquare(t *testing.T, what string, counts []int64, probabilities []float64) {
	t.Helper()
	var draws, sum, classes float64
	for _, c := range counts {
		draws += float64(c)
	}
	for k, c := range counts {
		expect := draws * probabilities[k]
		if expect == 0 {
			if c > 0 {
				t.Errorf("%s: impossible class %d was seen %d times", what, k, c)
			}
			continue
		}
		sum += (float64(c) - expect) * (float64(c) - expect) / expect
		classes++
	}
	if limit := classes + 6*math.Sqrt(2*classes); sum > limit {
		t.Errorf("%s: chi-square %.0f of %.0f classes, want at most %.0f", what, sum, classes, limit)
	}
}
