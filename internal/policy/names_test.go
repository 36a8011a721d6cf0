package policy

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keys are the keys in names of benchmarks, in the order in which they come.
// Names are data: what is there stays, and new keys find their place here.
var keys = []string{"system", "consistency", "batch", "partitions", "clients", "rate"}

// badName returns what is wrong with a name as a result line has it, or "".
func badName(name string) string {
	name = regexp.MustCompile(`-\d+$`).ReplaceAllString(name, "") // GOMAXPROCS
	parts := strings.Split(name, "/")
	if !regexp.MustCompile(`^Benchmark[A-Z][A-Za-z]*$`).MatchString(parts[0]) {
		return "does not begin with one word"
	}
	last := -1
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		at := slices.Index(keys, key)
		switch {
		case !ok || at < 0:
			return "has a part that is not one of the keys and a value: " + part
		case at <= last:
			return "has its keys in another order: " + part
		case !regexp.MustCompile(`^[a-z0-9.]+$`).MatchString(value):
			return "has a value that benchstat may not read as it is: " + part
		}
		last = at
	}
	if last < 0 {
		return "does not say what was measured"
	}
	return ""
}

func TestBadName(t *testing.T) {
	for _, tc := range []struct{ sentence, name, want string }{
		{"all is well", "BenchmarkGet/system=etcd/consistency=stale/clients=10/rate=1.5-2", ""},
		{"a part without a value", "BenchmarkGet/etcd", "has a part that is not one of the keys and a value: etcd"},
		{"a key that nobody knows", "BenchmarkGet/System=etcd", "has a part that is not one of the keys and a value: System=etcd"},
		{"another order", "BenchmarkGet/clients=1/system=etcd", "has its keys in another order: system=etcd"},
		{"a value with a sign", "BenchmarkGet/system=etcd-3-2", "has a value that benchstat may not read as it is: system=etcd-3"},
		{"no parts", "BenchmarkGet-2", "does not say what was measured"},
	} {
		if got := badName(tc.name); got != tc.want {
			t.Errorf("%s: %q %s, want %s", tc.sentence, tc.name, got, tc.want)
		}
	}
}

// resultNames returns the names in a text's result lines.
func resultNames(text string) (names []string) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 3 && strings.HasPrefix(f[0], "Benchmark") {
			names = append(names, f[0])
		}
	}
	return names
}

func TestPublishedNames(t *testing.T) {
	n := 0
	for _, name := range files(t) {
		if !strings.HasPrefix(name, "testdata/") || !strings.HasSuffix(name, ".txt") {
			continue
		}
		for _, result := range resultNames(read(t, name)) {
			n++
			if wrong := badName(result); wrong != "" {
				t.Errorf("%s: %s %s", name, result, wrong)
			}
		}
	}
	if n == 0 {
		t.Error("testdata holds no results")
	}
}
