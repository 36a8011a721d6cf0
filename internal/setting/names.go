package setting

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkNames returns an error for each variable that was meant as a setting but
// is none. It names no value: the variable may be somebody else's secret.
//
// Whatever has one of the suite's own prefixes was meant so. The systems'
// prefixes are used by their own tools too (CASSANDRA_HOME, CONSUL_HTTP_ADDR),
// so there only what is nearly the name of a setting counts, unless it is one of
// theirs: ETCDCTL_CERT is two letters from ETCD_TLS_CERT.
func checkNames(vars map[string]string, known map[string]bool) []error {
	var errs []error
	settings := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if known[name] || ofTool(name) {
			continue
		}
		guess, edits := nearest(name, settings)
		switch {
		case edits <= slips(guess), owned(name) && edits <= len(guess)/3:
			errs = append(errs, fmt.Errorf("%s: no such setting; did you mean %s?", name, guess))
		case owned(name):
			errs = append(errs, fmt.Errorf("%s: no such setting; README lists all", name))
		}
	}
	return errs
}

// owned reports whether name has a prefix that only the suite uses.
func owned(name string) bool {
	for _, prefix := range []string{"BENCH_", "KV_", "BATCH_", "COORD_", "CQL_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// ofTool reports whether name is a variable of a system's own tool.
func ofTool(name string) bool {
	return strings.HasPrefix(name, "ETCDCTL_") || slices.ContainsFunc(lenders, func(l lender) bool {
		return slices.ContainsFunc(l.loans, func(l loan) bool { return l.theirs == name })
	})
}

// slips is how many edits away from a setting's name a typing error is: one in
// six letters, two at most. etcd's ETCD_CORS is two from ETCD_CONNS.
func slips(name string) int { return min(2, len(name)/6) }

// nearest returns the first of names with the fewest edits from name.
func nearest(name string, names []string) (best string, edits int) {
	edits = -1
	for _, candidate := range names {
		if d := distance(name, candidate); edits < 0 || d < edits {
			best, edits = candidate, d
		}
	}
	return best, edits
}

// distance returns the number of letters to insert, delete or replace to make b
// of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance of a[:i] and b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
