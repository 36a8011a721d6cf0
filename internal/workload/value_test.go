package workload

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"math"
	"testing"
)

func newValues(t testing.TB, size int, compressible float64) *Values {
	t.Helper()
	v, err := NewValues(size, compressible, 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValueLayout(t *testing.T) {
	for _, test := range []struct {
		why      string
		size     int
		n        int64
		length   int
		prefix   string
		checksum bool
	}{
		{"size 0 is the text alone", 0, 1234, 8, "val:1234", false},
		{"one byte is the marker", 1, 1234, 1, "B", false},
		{"five bytes have no checksum", 5, 1234, 5, "B", false},
		{"six have", 6, 1234, 6, "B", true},
		{"sixteen don't name the key", 16, 1234, 16, "B", true},
		{"seventeen do", 17, 1234, 17, "Bval:1234", true},
		{"the text is cut before the checksum", 17, 1_234_567_890, 17, "Bval:12345678", true},
		{"one more byte, one more digit", 18, 1_234_567_890, 18, "Bval:123456789", true},
		{"the published size", 256, math.MaxInt64, 256, "Bval:9223372036854775807", true},
		{"larger than the random block", 3*blockSize + 5, 0, 3*blockSize + 5, "Bval:0", true},
	} {
		got := newValues(t, test.size, 0).Append([]byte("x"), test.n, Rand(1, "test", 0))[1:]
		if len(got) != test.length || !bytes.HasPrefix(got, []byte(test.prefix)) {
			t.Errorf("%s: got %d bytes %.40q, want %d bytes that begin with %q", test.why, len(got), got, test.length, test.prefix)
		}
		if !test.checksum {
			continue
		}
		text, sum := got[:test.length-4], binary.LittleEndian.Uint32(got[test.length-4:])
		if want := adler32.Checksum(text); sum != want {
			t.Errorf("%s: checksum %08x, want %08x", test.why, sum, want)
		}
	}
}

func TestValuesOfAllSizesCheck(t *testing.T) {
	r := Rand(1, "test", 0)
	for size := range 300 {
		for _, compressible := range []float64{0, 0.3, 1} {
			v := newValues(t, size, compressible)
			for _, n := range []int64{0, 7, 123_456_789_012} {
				value := v.Append(nil, n, r)
				if size > 0 && len(value) != size {
					t.Fatalf("size %d: %d bytes", size, len(value))
				}
				if err := v.Check(n, value); err != nil {
					t.Errorf("size %d, key %d: %v", size, n, err)
				}
			}
		}
	}
}

func TestCheckNoticesEveryChangedByte(t *testing.T) {
	r := Rand(1, "test", 0)
	for _, size := range []int{0, 6, 16, 17, 64, 256} {
		v := newValues(t, size, 0)
		value := v.Append(nil, 1234, r)
		for i := range value {
			damaged := bytes.Clone(value)
			damaged[i] ^= 1 << r.IntN(8)
			if err := v.Check(1234, damaged); !errors.Is(err, ErrMismatch) {
				t.Errorf("size %d, byte %d changed: error %v", size, i, err)
			}
		}
	}
}

func TestCheckRejects(t *testing.T) {
	r := Rand(1, "test", 0)
	for _, test := range []struct {
		why   string
		size  int
		value []byte
	}{
		{"an empty value", 256, nil},
		{"another size", 256, newValues(t, 255, 0).Append(nil, 7, r)},
		{"a longer value", 16, newValues(t, 17, 0).Append(nil, 7, r)},
		{"another key's row", 17, newValues(t, 17, 0).Append(nil, 8, r)},
		{"another key's row without fill", 0, newValues(t, 0, 0).Append(nil, 8, r)},
		{"a small value with another marker", 3, []byte("A12")},
		{"a small value of another size", 3, []byte("B1")},
		{"an empty value for size 0", 0, nil},
	} {
		if err := newValues(t, test.size, 0).Check(7, test.value); !errors.Is(err, ErrMismatch) {
			t.Errorf("%s: error %v", test.why, err)
		}
	}
}

func TestValuesDiffer(t *testing.T) {
	v := newValues(t, 256, 0)
	r := Rand(1, "test", 0)
	seen := map[string]bool{}
	for range 10_000 {
		seen[string(v.Append(nil, 7, r))] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d different values of 10,000 for one key", len(seen))
	}
}

// A compressor with a window of 32 KiB sees some 120 values at once, as one of
// a server's with blocks of that size does.
func TestCompressibility(t *testing.T) {
	for _, compressible := range []float64{0, 0.25, 0.5, 0.9, 1} {
		const size, count = 256, 2_000
		v := newValues(t, size, compressible)
		r := Rand(1, "test", 0)
		var values []byte
		for n := range int64(count) {
			values = v.Append(values, n, r)
		}
		const fixed = 20.0 / size // about what the fixed parts take, of which some compresses
		got := 1 - float64(compressedSize(t, values))/float64(len(values))
		if want := compressible; got < want-fixed || got > want+fixed {
			t.Errorf("%.3f of values with compressibility %v compresses away", got, compressible)
		}
	}
}

func compressedSize(t *testing.T, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func TestNewValuesRejects(t *testing.T) {
	for _, test := range []struct {
		why          string
		size         int
		compressible float64
	}{
		{"a negative size", -1, 0},
		{"a size that no request holds", MaxValueSize + 1, 0},
		{"a negative share", 1, -0.1},
		{"a share above 1", 1, 1.1},
		{"no number", 1, math.NaN()},
	} {
		if _, err := NewValues(test.size, test.compressible, 1); err == nil {
			t.Errorf("%s: no error", test.why)
		}
	}
}

func FuzzCheckValue(f *testing.F) {
	f.Add(256, int64(7), []byte("Bval:7"))
	f.Add(0, int64(7), []byte("val:7"))
	f.Add(17, int64(1_234_567_890), make([]byte, 17))
	f.Fuzz(func(t *testing.T, size int, n int64, value []byte) {
		if n < 0 {
			return
		}
		v := newValues(t, (size%1000+1000)%1000, 0)
		if err := v.Check(n, value); err != nil && !errors.Is(err, ErrMismatch) {
			t.Errorf("error %v doesn't wrap ErrMismatch", err)
		}
		if err := v.Check(n, v.Append(value[:0], n, Rand(1, "fuzz", 0))); err != nil {
			t.Errorf("its own value: %v", err)
		}
	})
}
