package policy

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kvbench/internal/setting"
)

// A command is a line of README.md that runs benchmarks.
type command struct {
	environ []string // assignments before it, NAME=value
	args    []string // after "go test"
}

// parseCommand takes a line apart: NAME=value … go test …, with words in single
// quotes, and without what a shell does with the output.
func parseCommand(line string) (c command, err error) {
	line, _, _ = strings.Cut(line, " >")
	words := regexp.MustCompile(`(?:'[^']*'|[^ ])+`).FindAllString(line, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "'", "")
	}
	n := slices.IndexFunc(words, func(w string) bool { return !strings.Contains(w, "=") })
	if n < 0 || len(words) < n+2 || words[n] != "go" || words[n+1] != "test" {
		return c, fmt.Errorf("%q is neither make nor go test", line)
	}
	return command{words[:n], words[n+2:]}, nil
}

// flag returns the value of a flag, "" if it is not given.
func (c command) flag(name string) string {
	for i, arg := range c.args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
		if arg == name && i+1 < len(c.args) {
			return c.args[i+1]
		}
	}
	return ""
}

// dir returns the package that is measured, a directory of the module.
func (c command) dir() string { return strings.TrimPrefix(c.args[0], "./") }

// commands returns a document's lines for a shell: those that begin with make,
// and those that run benchmarks.
func commands(t *testing.T, document string) (makes []string, tests []command) {
	t.Helper()
	for _, b := range blocks(read(t, document), "sh") {
		for line := range strings.Lines(b.text) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "make "):
				makes = append(makes, line)
			case line == "done" || strings.HasPrefix(line, "for ") && strings.HasSuffix(line, "; do"):
			default:
				c, err := parseCommand(line)
				if err != nil {
					t.Fatalf("%s: %v", document, err)
				}
				tests = append(tests, c)
			}
		}
	}
	if len(makes) == 0 {
		t.Fatalf("%s has no commands", document)
	}
	return makes, tests
}

// The make commands of documents are those that continuous integration runs.
func TestMakeCommands(t *testing.T) {
	ci := read(t, ".ci/run")
	for _, document := range []string{"README.md", "CONTRIBUTING.md"} {
		makes, _ := commands(t, document)
		for _, line := range makes {
			if !strings.Contains(ci, "\nrun "+line+"\n") {
				t.Errorf("%s: .ci/run does not run %q", document, line)
			}
		}
	}
}

// README.md's benchmark commands name settings, packages and benchmarks that
// there are. TestReadmeCommandsRun runs them.
func TestReadmeCommands(t *testing.T) {
	_, tests := commands(t, "README.md")
	if len(tests) == 0 {
		t.Fatal("README.md runs no benchmarks")
	}
	for _, c := range tests {
		if _, err := setting.Load(c.environ); err != nil {
			t.Errorf("README.md: %v", err)
		}
		if c.flag("-run") != "^$" {
			t.Errorf("README.md: %q would run tests as well; want -run '^$'", c.args)
		}
		top, _, _ := strings.Cut(c.flag("-bench"), "/")
		pattern, err := regexp.Compile(top)
		if err != nil || top == "" {
			t.Errorf("README.md: -bench %q: %v", top, err)
			continue
		}
		if !slices.ContainsFunc(benchmarksOf(t, c.dir()), pattern.MatchString) {
			t.Errorf("README.md: package %s has no benchmark %q", c.dir(), top)
		}
	}
}

// benchmarksOf returns the names of a package's benchmarks.
func benchmarksOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, s := range sources(t) {
		if s.dir() != dir {
			continue
		}
		functions(s, func(fn *ast.FuncDecl) {
			if strings.HasPrefix(fn.Name.Name, "Benchmark") {
				names = append(names, fn.Name.Name)
			}
		})
	}
	return names
}

func TestParseCommand(t *testing.T) {
	c, err := parseCommand(`A_B=1,2 C='x y' go test ./coord -run '^$' -bench 'Put/a=(b|c)$' -benchtime=10s >>old.txt`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A_B=1,2", "C=x y"}; !slices.Equal(c.environ, want) {
		t.Errorf("environment %q, want %q", c.environ, want)
	}
	if c.dir() != "coord" || c.flag("-run") != "^$" || c.flag("-bench") != "Put/a=(b|c)$" || c.flag("-benchtime") != "10s" {
		t.Errorf("arguments %q", c.args)
	}
	for _, line := range []string{"rm -r x", "A=1", "go", "gotest ./kv"} {
		if c, err := parseCommand(line); err == nil {
			t.Errorf("%q is taken for %+v", line, c)
		}
	}
}
