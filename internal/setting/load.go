package setting

import (
	"errors"
	"fmt"
	"strings"

	"github.com/caarlos0/env/v11"

	"kvbench/internal/workload"
)

// Load returns the settings in environ, a list of name=value as os.Environ
// returns it, and what else the systems' own tools are told (see [borrow]), for
// which it reads files in the home directory, HOME in environ. It reads the files
// that settings name, too, to say at once what is wrong with them.
//
// Its error has a line for each variable that is wrong, which names it, quotes its
// value unless it is secret, and says what is allowed.
func Load(environ []string) (*Settings, error) {
	vars := make(map[string]string)
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			vars[name] = value
		}
	}
	s := new(Settings)
	var errs []error
	took, err := borrow(vars)
	s.Borrowed, errs = took, append(errs, err)
	known := make(map[string]bool)
	for _, f := range fields(s) {
		known[f.name] = true
		errs = append(errs, s.Explain(checkValue(f.name, vars[f.name])))
	}
	errs = append(errs, checkNames(vars, known)...)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := env.ParseWithOptions(s, env.Options{Environment: vars}); err != nil {
		return nil, err
	}
	for _, name := range systems {
		errs = append(errs, s.reach(name)...)
	}
	errs = append(errs, s.checkTogether())
	if err := errors.Join(errs...); err != nil {
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
		if f.name == name {
			return f.check(value, err)
		}
	}
	return nil
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
	for _, name := range systems {
		errs = append(errs, s.checkSource(name))
	}
	return errors.Join(errs...)
}

// checkSource reports whether what says which servers to start goes together.
// BENCH_KEEP and others for clusters mean nothing for servers that go away with
// all that they hold, and do no harm there.
func (s *Settings) checkSource(name string) error {
	prefix, own := Prefix(name), s.System(name)
	switch {
	case own.Image != "" && own.Version != "":
		return fmt.Errorf("%s_IMAGE=%q, %[1]s_VERSION=%[3]q: both say which servers to start; want one", prefix, own.Image, own.Version)
	case own.Image != "" && s.Bench.Servers == "process":
		return fmt.Errorf("%s_IMAGE=%q: BENCH_SERVERS=process starts no container", prefix, own.Image)
	}
	return nil
}
