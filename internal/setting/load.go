package setting

import (
	"errors"
	"fmt"
	"strings"

	"github.com/caarlos0/env/v11"

	"kvbench/internal/workload"
)

// Load returns the settings in environ, a list of name=value as os.Environ
// returns it. Its error has a line for each variable that is wrong, which names
// it, quotes its value and says what is allowed.
func Load(environ []string) (*Settings, error) {
	vars := make(map[string]string)
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			vars[name] = value
		}
	}
	s := new(Settings)
	var errs []error
	known := make(map[string]bool)
	for _, f := range fields(s) {
		known[f.name] = true
		errs = append(errs, checkValue(f.name, vars[f.name]))
	}
	errs = append(errs, checkNames(vars, known)...)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := env.ParseWithOptions(s, env.Options{Environment: vars}); err != nil {
		return nil, err
	}
	if err := s.checkTogether(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkValue reports whether value is allowed for the variable called name.
// Each is tried alone, since env's errors name the field, not the variable.
func checkValue(name, value string) error {
	if value == "" {
		return nil
	}
	s := new(Settings)
	err := env.ParseWithOptions(s, env.Options{Environment: map[string]string{name: value}})
	for _, f := range fields(s) {
		if f.name != name || err == nil && f.allows() {
			continue
		}
		if wrong := detailOf(err); wrong != "" {
			return fmt.Errorf("%s=%q: %s; want %s", name, value, wrong, f.want())
		}
		return fmt.Errorf("%s=%q: want %s", name, value, f.want())
	}
	return nil
}

// detailOf returns what env's error says about a part of the value, if anything.
func detailOf(err error) detail {
	var parse env.ParseError
	var wrong detail
	if errors.As(err, &parse) {
		errors.As(parse.Err, &wrong)
	}
	return wrong
}

// checkTogether checks settings, each of which is allowed, against each other.
func (s *Settings) checkTogether() error {
	var errs []error
	if size := int64(s.KV.Values) * int64(s.KV.MixedValueSize); size > workload.MaxPoolSize {
		errs = append(errs, fmt.Errorf("KV_VALUES=%d of KV_MIXED_VALUE_SIZE=%d bytes are %d bytes: want at most %d",
			s.KV.Values, s.KV.MixedValueSize, size, workload.MaxPoolSize))
	}
	if _, err := workload.PaddedKeys(s.Coord.KeySize, s.Coord.Keys); err != nil {
		errs = append(errs, fmt.Errorf("COORD_KEY_SIZE=%d, COORD_KEYS=%d: %w", s.Coord.KeySize, s.Coord.Keys, err))
	}
	return errors.Join(errs...)
}
