package suite

import (
	"fmt"
	"strings"
)

// notices say what may surprise: settings that come from elsewhere, servers that
// aren't verified or are missing, a source that could not be had.
func (s *Suite) notices() []string {
	var notices []string
	for _, sys := range s.systems {
		notices = append(notices, sys.notices()...)
	}
	return notices
}

// notices say what may surprise about where the system's servers come from.
func (sys *System) notices() []string {
	var notices []string
	for _, b := range sys.suite.settings.Borrowed {
		if strings.HasPrefix(b, sys.variable("")) {
			notices = append(notices, "setting "+b)
		}
	}
	switch {
	case sys.skip != nil:
		return append(notices, sys.skip.Error())
	case sys.source.Notice() != "":
		notices = append(notices, fmt.Sprintf("%s: %s", sys.Name, sys.source.Notice()))
	}
	if sys.down > 0 {
		notices = append(notices, fmt.Sprintf("warning: %s: %d of %d endpoints don't answer (BENCH_MAX_DOWN=%d)",
			sys.Name, sys.down, sys.down+len(sys.endpoints), sys.suite.settings.Bench.MaxDown))
	}
	if sys.reach.overheard(sys.endpoints) {
		notices = append(notices, fmt.Sprintf("warning: %s: whoever listens learns the password or token: there is no TLS (%s)", sys.Name, sys.variable("TLS")))
	}
	if sys.own().Insecure && sys.reach.tls != nil {
		notices = append(notices, fmt.Sprintf("warning: %s=true: nobody knows which servers these are, and who listens", sys.variable("TLS_INSECURE")))
	}
	return notices
}
