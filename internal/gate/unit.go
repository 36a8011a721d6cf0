package gate

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kvbench/internal/results"
)

// unsuited are the units that are never compared unless they are asked for, and why.
var unsuited = []struct{ pattern, reason string }{
	{"ns/op", "it is the inverse of ops/s"},
	{"*target-ops/s", "it was asked for, not measured"},
	{"warmup-ns", "it says how the measurement began, not what was measured"},
	{"*lag-p99-ns", "it is the client's, not the servers'"},
}

// omit returns why a unit is not compared, "" if it is. Runs are those of both
// sides.
func omit(unit string, runs []Run, config Config) string {
	switch {
	case matches(unit, []string{"*max-ns"}): // whatever is asked for
		return "the longest of all operations never settles"
	case len(config.Units) == 0:
		for _, u := range unsuited {
			if matches(unit, []string{u.pattern}) {
				return u.reason
			}
		}
	case !matches(unit, config.Units):
		return "it was not asked for"
	}
	return tooFew(unit, runs)
}

// tail are the operations that a run must have above a percentile: the percentile
// itself then scatters by about 2 %.
const tail = 100

var percentile = regexp.MustCompile(`(?:^|-)p(\d+(?:\.\d+)?)-ns$`)

// tooFew reports a percentile of runs that have too few operations for it.
func tooFew(unit string, runs []Run) string {
	m := percentile.FindStringSubmatch(unit)
	if m == nil {
		return ""
	}
	p, _ := strconv.ParseFloat(m[1], 64)
	want := int(tail/(1-p/100) + 0.5)
	for _, r := range runs {
		if n := r.opsOf(unit); n < want {
			return fmt.Sprintf("a run has %d operations, and it takes %d for this percentile to settle", n, want)
		}
	}
	return ""
}

// opsOf returns the operations that a unit is of: with several kinds in a run, such
// as reads and writes, those of the unit's.
func (r Run) opsOf(unit string) int {
	kind, _, _ := strings.Cut(unit, "-")
	of, all := values(kind+"-ops/s", []Run{r}), values("ops/s", []Run{r})
	if len(of) != 1 || len(all) != 1 || all[0] <= 0 {
		return r.Ops
	}
	return int(float64(r.Ops)*of[0]/all[0] + 0.5)
}

// unitsOf returns the units of runs as they were printed, in their order.
func unitsOf(runs []Run) []string {
	var units []string
	for _, r := range runs {
		for _, v := range r.Values {
			if u := results.Unit(v); !slices.Contains(units, u) {
				units = append(units, u)
			}
		}
	}
	return units
}

// tidy returns the unit as benchfmt has it, by which directions are found.
func tidy(unit string, runs []Run) string {
	for _, r := range runs {
		for _, v := range r.Values {
			if results.Unit(v) == unit {
				return v.Unit
			}
		}
	}
	return unit
}

// values returns the values of a unit, as they were printed.
func values(unit string, runs []Run) []float64 {
	var list []float64
	for _, r := range runs {
		for _, v := range r.Values {
			switch unit {
			case v.OrigUnit:
				list = append(list, v.OrigValue)
			case v.Unit:
				list = append(list, v.Value)
			}
		}
	}
	return list
}

// matches reports whether one of the patterns, with * for any text, fits.
func matches(text string, patterns []string) bool {
	for _, p := range patterns {
		// path.Match's * stops at a slash, of which units have some.
		if ok, _ := path.Match(noSlash(p), noSlash(text)); ok {
			return true
		}
	}
	return false
}

func noSlash(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == '/' {
			b[i] = 0
		}
	}
	return string(b)
}
