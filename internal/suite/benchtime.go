package suite

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Without -benchtime a benchmark takes this long: testing's own default of a
// second is too short for percentiles of a server. With -short it is enough to
// see that all works.
const (
	defaultBenchtime = "10s"
	shortBenchtime   = "200ms"
)

// setDefaultBenchtime sets -benchtime unless the user did. Flags are parsed.
func setDefaultBenchtime() error {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.benchtime" })
	if given {
		return nil
	}
	if testing.Short() {
		return flag.Set("test.benchtime", shortBenchtime)
	}
	return flag.Set("test.benchtime", defaultBenchtime)
}

// benchtime returns what -benchtime says: a duration, or with "Nx" a number of
// operations. testing keeps it to itself.
func benchtime() (d time.Duration, ops int64, err error) {
	text := flag.Lookup("test.benchtime").Value.String()
	if count, ok := strings.CutSuffix(text, "x"); ok {
		ops, err = strconv.ParseInt(count, 10, 64)
	} else {
		d, err = time.ParseDuration(text)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("-benchtime %q: %w", text, err)
	}
	return d, ops, nil
}

// flagSet reports whether a test flag has a value other than "" and "false".
func flagSet(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != "" && f.Value.String() != "false"
}
