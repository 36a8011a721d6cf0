package workload

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestKeysAppend(t *testing.T) {
	for _, test := range []struct {
		why  string
		keys Keys
		n    int64
		want string
	}{
		{"yb-sample-apps doesn't pad", YCQLKeys(), 7, "key:7"},
		{"nor does NDBench", NDBenchKeys(), 19_999_999, "T19999999"},
		{"the first key is 0", NDBenchKeys(), 0, "T0"},
		{"padding fills the width", Keys{Width: 8}, 42, "00000042"},
		{"a number that fills the width needs none", Keys{Width: 3}, 999, "999"},
		{"a prefix comes before the zeros", Keys{Prefix: "k", Width: 4}, 5, "k0005"},
		{"keys may be longer than any number", Keys{Width: 256}, 1, strings.Repeat("0", 255) + "1"},
		{"the largest number has 19 digits", Keys{}, math.MaxInt64, "9223372036854775807"},
	} {
		got := test.keys.Append([]byte("x"), test.n)
		if string(got) != "x"+test.want {
			t.Errorf("%s: key %d is %q, want %q", test.why, test.n, got, "x"+test.want)
		}
	}
}

func TestPaddedKeysAreOrderedAndExact(t *testing.T) {
	keys, err := PaddedKeys(256, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	var last []byte
	for _, n := range []int64{0, 1, 9, 10, 99, 100, 999_998, 999_999} {
		key := keys.Append(nil, n)
		if len(key) != 256 {
			t.Errorf("key %d has %d bytes, want 256", n, len(key))
		}
		if bytes.Compare(last, key) >= 0 {
			t.Errorf("key %d doesn't come after the key before", n)
		}
		last = key
	}
}

func TestPaddedKeysMustFit(t *testing.T) {
	for _, test := range []struct {
		why   string
		size  int
		count int64
		fits  bool
	}{
		{"the largest number, not the count, must fit", 3, 1000, true},
		{"one more doesn't", 3, 1001, false},
		{"one key is the number 0", 1, 1, true},
		{"no keys fit anywhere", 1, 0, true},
		{"a key has at least a byte", 0, 1, false},
		{"a negative size is none", -1, 1, false},
	} {
		if _, err := PaddedKeys(test.size, test.count); (err == nil) != test.fits {
			t.Errorf("%s: PaddedKeys(%d, %d): error %v", test.why, test.size, test.count, err)
		}
	}
}
