package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"kvbench/internal/record"
)

// Failures lists failures by class with an early error of each, e.g.
// "3 timeout (first: …), 1 unavailable (first: …)".
func Failures(c *record.Counts) string {
	var parts []string
	for _, class := range c.Classes() {
		parts = append(parts, fmt.Sprintf("%s %s (first: %v)", Count(c.Failed[class]), class, c.First[class]))
	}
	if len(parts) == 0 {
		return "no failures"
	}
	return strings.Join(parts, ", ")
}

// Count writes n with a comma between thousands: 31,204.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Rate writes operations a second: 31,204 ops/s, and 0.25 ops/s if there are few.
func Rate(perSecond float64) string {
	if perSecond == 0 || math.Abs(perSecond) >= 99.95 {
		return Count(int64(math.Round(perSecond))) + " ops/s"
	}
	return threeDigits(perSecond) + " ops/s"
}

// Duration writes d with three digits in the unit that suits it: 14.2ms, 1.00s,
// 999µs, and from a minute on in whole seconds: 10m20s.
func Duration(d time.Duration) string {
	switch a := d.Abs(); {
	case a < time.Microsecond:
		return strconv.FormatInt(int64(d), 10) + "ns"
	case a < 999_500*time.Nanosecond:
		return threeDigits(float64(d)/1e3) + "µs"
	case a < 999_500*time.Microsecond:
		return threeDigits(float64(d)/1e6) + "ms"
	case a < time.Minute:
		return threeDigits(d.Seconds()) + "s"
	default:
		return d.Round(time.Second).String()
	}
}

// threeDigits writes v, below 1,000, with three significant digits or two
// decimals, whichever is shorter.
func threeDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}
