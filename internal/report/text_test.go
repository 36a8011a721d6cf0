package report

import (
	"errors"
	"testing"
	"time"

	"kvbench/internal/record"
)

func TestFailures(t *testing.T) {
	s := newSession("read", false).
		fail(3, record.Timeout, errors.New("no reply within 10s")).
		fail(1, record.Unavailable, errors.New("connection refused")).summary()
	want := "3 timeout (first: no reply within 10s), 1 unavailable (first: connection refused)"
	if got := Failures(&s.Counts); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Failures(&record.Counts{}); got != "no failures" {
		t.Errorf("of none: got %q", got)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                       "0ns",
		999:                     "999ns",
		1000:                    "1.00µs",
		9994:                    "9.99µs",
		9995:                    "10.0µs",
		99_950:                  "100µs",
		999_499:                 "999µs",
		999_500:                 "1.00ms",
		14_230 * 1000:           "14.2ms",
		999_500 * 1000:          "1.00s",
		59_960 * 1000 * 1000:    "60.0s",
		time.Minute:             "1m0s",
		620*time.Second + 1:     "10m20s",
		-1500 * time.Nanosecond: "-1.50µs",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%d ns: got %q, want %q", d, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 31204: "31,204", 1_000_000_000: "1,000,000,000", -1000: "-1,000", -999: "-999",
	} {
		if got := Count(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0 ops/s", 0.254: "0.25 ops/s", 12.34: "12.3 ops/s", 99.96: "100 ops/s", 31203.6: "31,204 ops/s",
	} {
		if got := Rate(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}
