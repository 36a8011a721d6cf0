package policy

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// machine matches paths that only some machine has, and that no other one needs.
var machine = regexp.MustCompile(`(^|[^A-Za-z0-9_.])/(home|root|Users|work|tmp/[a-z]+)/`)

// later matches marks of what was put off.
var later = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)

func TestTexts(t *testing.T) {
	for _, name := range files(t) {
		text := read(t, name)
		if !utf8.ValidString(text) || name == "internal/policy/paths_test.go" {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if machine.MatchString(line) {
				t.Errorf("%s:%d: has a path of some machine: %s", name, i+1, strings.TrimSpace(line))
			}
			if later.MatchString(line) {
				t.Errorf("%s:%d: finish it, or open an issue: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	}
}

func TestTextPatterns(t *testing.T) {
	for _, tc := range []struct {
		sentence, line string
		pattern        *regexp.Regexp
		want           bool
	}{
		{"a home directory", "cd /home/x/y", machine, true},
		{"a directory of a run", `dir = "/tmp/abc/data"`, machine, true},
		{"a disk that an example names", "BENCH_DATA_DIR=/mnt/nvme0", machine, false},
		{"a route of a web address", "https://example.com/work/x", machine, false},
		{"a path that all Linux machines have", "/proc/self/task/*/stat", machine, false},
		{"a mark", "// TO" + "DO: later", later, true},
		{"a part of a word", "FIXMEN", later, false},
	} {
		if got := tc.pattern.MatchString(tc.line); got != tc.want {
			t.Errorf("%s: %q matches: %v, want %v", tc.sentence, tc.line, got, tc.want)
		}
	}
}
