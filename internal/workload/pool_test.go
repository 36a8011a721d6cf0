package workload

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

func newPool(t testing.TB, count, size int, seed uint64) *Pool {
	t.Helper()
	p, err := NewPool(count, size, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPoolLayout(t *testing.T) {
	for _, size := range []int{1, 8, 9, 128, 1024} {
		p := newPool(t, 100, size, 1)
		for _, value := range p.values {
			if len(value) != size || strings.Trim(string(value), "0123456789abcdef") != "" {
				t.Errorf("size %d: value %q", size, value)
			}
			if size <= 8 {
				continue
			}
			text, sum := value[:size-8], string(value[size-8:])
			if want := fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)); sum != want {
				t.Errorf("size %d: checksum %s, want %s", size, sum, want)
			}
		}
	}
}

func TestPickReachesEveryValue(t *testing.T) {
	p := newPool(t, 1000, 1024, 1)
	r := Rand(1, "test", 0)
	seen := map[string]bool{}
	for range 20_000 {
		value := p.Pick(r)
		if err := p.Check(value); err != nil {
			t.Fatal(err)
		}
		seen[string(value)] = true
	}
	if len(seen) != 1000 {
		t.Errorf("picked %d different values, want 1000", len(seen))
	}
}

func TestPoolChecksValuesOfAnEarlierRun(t *testing.T) {
	for _, size := range []int{4, 1024} {
		earlier := newPool(t, 10, size, 2).Pick(Rand(1, "test", 0))
		if err := newPool(t, 10, size, 1).Check(earlier); err != nil {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

func TestPoolCheckRejects(t *testing.T) {
	p := newPool(t, 1, 64, 1)
	for i := range 64 {
		damaged := bytes.Clone(p.values[0])
		damaged[i] ^= 1
		if err := p.Check(damaged); !errors.Is(err, ErrMismatch) {
			t.Errorf("byte %d changed: error %v", i, err)
		}
	}
	for _, test := range []struct {
		why   string
		pool  *Pool
		value string
	}{
		{"nothing", p, ""},
		{"a value that was cut", p, string(p.values[0][:63])},
		{"a small value of another size", newPool(t, 1, 4, 1), "abc"},
		{"a small value that isn't hex", newPool(t, 1, 4, 1), "abcg"},
		{"upper case", newPool(t, 1, 4, 1), "abCd"},
	} {
		if err := test.pool.Check([]byte(test.value)); !errors.Is(err, ErrMismatch) {
			t.Errorf("%s: error %v", test.why, err)
		}
	}
}

func TestPoolsRepeatWithTheirSeed(t *testing.T) {
	a, b, c := newPool(t, 3, 64, 1), newPool(t, 3, 64, 1), newPool(t, 3, 64, 2)
	for i := range a.values {
		if !bytes.Equal(a.values[i], b.values[i]) {
			t.Errorf("value %d differs with the same seed", i)
		}
		if bytes.Equal(a.values[i], c.values[i]) {
			t.Errorf("value %d is the same with another seed", i)
		}
	}
}

func TestNewPoolRejects(t *testing.T) {
	for _, test := range []struct {
		why         string
		count, size int
	}{
		{"no values", 0, 64},
		{"empty values", 10, 0},
		{"negative numbers", -10, -64},
		{"more than memory should hold", 1 << 20, 1 << 20},
	} {
		if _, err := NewPool(test.count, test.size, 1); err == nil {
			t.Errorf("%s: no error", test.why)
		}
	}
}
