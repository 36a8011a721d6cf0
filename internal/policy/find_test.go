package policy

import (
	"strings"
	"testing"
)

// The rules must find what they are for, or a repository without findings would
// prove nothing.
func TestRulesFind(t *testing.T) {
	long := "package p\n\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", maxFunction) + "}\n"
	for _, tc := range []struct{ sentence, rule, name, text, want string }{
		{"a long function", "size", "a/b.go", long, "3: f has 82 lines, more than 80"},
		{"a long file", "size", "a/b.go", "package p\n" + strings.Repeat("\n", maxFile), "1: 301 lines, more than 300"},
		{"a benchmark file may not be as long", "size", "kv/b_test.go", "package kv\n" + strings.Repeat("\n", maxBenchmarkFile), "1: 121 lines, more than 120"},
		{"a file of just that size", "size", "kv/b_test.go", "package kv\n" + strings.Repeat("\n", maxBenchmarkFile-1), ""},
		{"an init", "init", "b.go", "package p\n\nfunc init() {}\n", "3: init runs before anybody asked for it"},
		{"a method may be called so", "init", "b.go", "package p\n\nfunc (t T) init() {}\n", ""},
		{"an exit in a helper", "exit", "b.go", "package main\n\nfunc f() { os.Exit(1) }\n", "3: os.Exit outside main and TestMain"},
		{"an exit by way of the log", "exit", "b.go", "package p\n\nfunc f() { log.Fatalf(`x`) }\n", "3: log.Fatalf outside main and TestMain"},
		{"an exit in a function called main that is not a program's", "exit", "b.go", "package p\n\nfunc main() { os.Exit(1) }\n", "3: os.Exit outside main and TestMain"},
		{"an exit where it belongs", "exit", "b.go", "package main\n\nfunc main() { os.Exit(1) }\n", ""},
		{"an exit in TestMain", "exit", "b_test.go", "package p\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n", ""},
		{"an exported function without a comment", "comments", "b.go", "package p\n\nfunc F() {}\n", "3: F has no comment"},
		{"an exported method of a generic type", "comments", "b.go", "package p\n\nfunc (l *List[T]) F() {}\n", "3: F has no comment"},
		{"a method of a type that nobody sees", "comments", "b.go", "package p\n\nfunc (l *list[T]) F() {}\n", ""},
		{"an exported type", "comments", "b.go", "package p\n\ntype T int\n", "3: T has no comment"},
		{"the second of two constants", "comments", "b.go", "package p\n\nconst (\n\tA = 1 // is one\n\tB = 2\n)\n", "5: B has no comment"},
		{"the comment of the group", "comments", "b.go", "package p\n\n// Numbers.\nconst (\n\tA = 1\n\tB = 2\n)\n", ""},
		{"a package comment that is none to go doc", "comments", "b.go", "// The p package.\npackage p\n", `1: the package comment doesn't begin with "Package p"`},
	} {
		got := strings.Join(rules[tc.rule](parse(t, tc.name, tc.text)), "\n")
		if got != tc.want {
			t.Errorf("%s: rule %q says %q, want %q", tc.sentence, tc.rule, got, tc.want)
		}
	}
}
