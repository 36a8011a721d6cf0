package gate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// compareConfigs returns the configuration lines in which the sides differ and may.
// Its error has a line for each in which they differ and may not, or that has
// several values on one side: then the results aren't of one thing.
func compareConfigs(before, after *Side, config Config) (differences []string, err error) {
	var errs []error
	for _, key := range keys(before, after) {
		a, b := before.Config[key], after.Config[key]
		if key == "pkg" || len(a) == 1 && len(b) == 1 && a[0] == b[0] {
			continue // each benchmark's name has its package
		}
		line := fmt.Sprintf("%s: %s against %s", key, oneOf(a), oneOf(b))
		if matches(key, config.Differ) && len(a) <= 1 && len(b) <= 1 {
			differences = append(differences, line)
			continue
		}
		errs = append(errs, fmt.Errorf("%s, %s: configurations differ: %s (-differ allows more than %q)", before.Name, after.Name, line, config.Differ))
	}
	return differences, errors.Join(errs...)
}

// keys returns the configuration keys of both sides, in alphabetical order.
func keys(sides ...*Side) []string {
	all := map[string]bool{}
	for _, s := range sides {
		for k := range s.Config {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// oneOf says what values a key has.
func oneOf(values []string) string {
	switch len(values) {
	case 0:
		return "nothing"
	case 1:
		return fmt.Sprintf("%q", values[0])
	}
	return fmt.Sprintf("several (%q)", values)
}
