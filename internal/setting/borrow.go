package setting

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// A lending is what a variable or a key of a file says.
type lending struct {
	name  string // for people
	value string
}

// lendings are all variables and keys that there are, by their names in lenders.
type lendings map[string]lending

// borrow sets what is unset in vars to what the systems' own tools are told by
// their variables and files, and returns what it took, as in
// [Settings.Borrowed].
//
//   - A cluster is taken only if BENCH_SERVERS is auto: who asks for containers or
//     processes gets them. Without endpoints nothing else is taken: what is for
//     a cluster has no meaning for servers that the suite starts.
//   - The rest is taken one by one, for endpoints of theirs as for ours: the tools,
//     too, combine their variables with an address that is given as a flag.
//   - What belongs together comes from one side: the password is that of the user,
//     the key that of the certificate, and servers that have to prove themselves
//     by our TLS_CA are not let off by a variable of theirs.
//   - BENCH_BORROW=false turns all of it off, as tests do.
func borrow(vars map[string]string) (took []string, err error) {
	if on, err := strconv.ParseBool(vars["BENCH_BORROW"]); err == nil && !on {
		return nil, nil
	}
	var errs []error
	for _, l := range lenders {
		names, err := l.lend(vars)
		took, errs = append(took, names...), append(errs, err)
	}
	return took, errors.Join(errs...)
}

// lend is borrow for one system.
func (l lender) lend(vars map[string]string) (took []string, err error) {
	all, err := l.read(vars)
	if err != nil {
		return nil, err
	}
	prefix, own := Prefix(l.system)+"_", maps.Clone(vars)
	for _, loan := range l.loans {
		theirs, name := all[loan.theirs], prefix+loan.ours
		if theirs.value == "" || vars[name] != "" || !l.wanted(loan.ours, own, vars) {
			continue
		}
		value := theirs.value
		if loan.as != nil {
			if value, err = loan.as(value, all); err != nil {
				return took, fmt.Errorf("%s: %w", theirs.name, err)
			}
		}
		if value != "" {
			vars[name] = value
			took = append(took, name+" from "+theirs.name)
		}
	}
	return took, nil
}

// read returns what the system's tool is told.
func (l lender) read(vars map[string]string) (lendings, error) {
	all := lendings{}
	for name, value := range vars {
		all[name] = lending{name, value}
	}
	if l.files {
		return all, readCqlsh(all)
	}
	return all, nil
}

// wanted reports whether a setting that is unset may be taken. own are the
// variables without what was borrowed.
func (l lender) wanted(setting string, own, vars map[string]string) bool {
	prefix := Prefix(l.system) + "_"
	if setting == "ENDPOINTS" {
		return vars["BENCH_SERVERS"] == "" || vars["BENCH_SERVERS"] == "auto"
	}
	for _, other := range together[setting] {
		if own[prefix+other] != "" {
			return false
		}
	}
	endpoints := strings.ToLower(vars[prefix+"ENDPOINTS"])
	switch {
	case endpoints == "":
		return false
	case !strings.HasPrefix(setting, "TLS"):
		return true
	case vars[prefix+"TLS"] == "false" || strings.Contains(endpoints, "http://"):
		return false
	case setting == "TLS_CA" && isTrue(vars[prefix+"TLS_INSECURE"]): // there is nothing to verify
		return false
	}
	return setting == "TLS" || !l.plain || vars[prefix+"TLS"] == "true" || strings.Contains(endpoints, "https://") || ownTLS(prefix, own)
}

// together are the settings that come from one side with another.
var together = map[string][]string{
	"USER": {"PASSWORD", "PASSWORD_FILE"}, "PASSWORD": {"USER", "PASSWORD_FILE"},
	"TOKEN": {"TOKEN_FILE"}, "TOKEN_FILE": {"TOKEN"},
	"TLS_CERT": {"TLS_KEY"}, "TLS_KEY": {"TLS_CERT"},
	"TLS_INSECURE": {"TLS_CA"},
}

// isTrue reports whether a setting is true.
func isTrue(value string) bool {
	b, err := strconv.ParseBool(value)
	return err == nil && b
}

// ownTLS reports whether a setting of the suite turns TLS on.
func ownTLS(prefix string, own map[string]string) bool {
	for _, name := range []string{"CA", "CERT", "KEY", "SERVER_NAME", "INSECURE"} {
		if own[prefix+"TLS_"+name] != "" {
			return true
		}
	}
	return false
}

// Explain adds to an error where the settings that it names come from, if it
// isn't the suite's own variable.
func (s *Settings) Explain(err error) error {
	if err == nil {
		return nil
	}
	var from []string
	for _, b := range s.Borrowed {
		name, _, _ := strings.Cut(b, " ")
		if regexp.MustCompile(`\b` + name + `\b`).MatchString(err.Error()) {
			from = append(from, b)
		}
	}
	if len(from) == 0 {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(from, ", "))
}
