package policy

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// The largest sizes of things that a reader is to take in at once, in lines.
const (
	maxFunction      = 80
	maxFile          = 300
	maxBenchmarkFile = 120 // a file of kv, batch or coord says what is measured, on one screen
)

// A rule returns what is wrong with a file, a sentence each.
type rule func(*source) []string

var rules = map[string]rule{
	"size":     sizes,
	"comments": comments,
	"init":     noInit,
	"exit":     noExit,
}

func TestRules(t *testing.T) {
	all := sources(t)
	for name, find := range rules {
		t.Run(name, func(t *testing.T) {
			for _, s := range all {
				for _, wrong := range find(s) {
					t.Errorf("%s:%s", s.name, wrong)
				}
			}
		})
	}
}

// functions calls f for each function and method of the file.
func functions(s *source, f func(*ast.FuncDecl)) {
	for _, d := range s.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			f(fn)
		}
	}
}

// length returns the number of a function's lines, without its comment.
func length(s *source, fn *ast.FuncDecl) int { return s.line(fn.End()) - s.line(fn.Pos()) + 1 }

func sizes(s *source) (wrong []string) {
	limit := maxFile
	if benchmarks[s.dir()] {
		limit = maxBenchmarkFile
	}
	if n := s.lines(); n > limit {
		wrong = append(wrong, fmt.Sprintf("1: %d lines, more than %d", n, limit))
	}
	functions(s, func(fn *ast.FuncDecl) {
		if n := length(s, fn); n > maxFunction {
			wrong = append(wrong, fmt.Sprintf("%d: %s has %d lines, more than %d", s.line(fn.Pos()), fn.Name, n, maxFunction))
		}
	})
	return wrong
}

func noInit(s *source) (wrong []string) {
	functions(s, func(fn *ast.FuncDecl) {
		if fn.Recv == nil && fn.Name.Name == "init" {
			wrong = append(wrong, fmt.Sprintf("%d: init runs before anybody asked for it", s.line(fn.Pos())))
		}
	})
	return wrong
}

// mayExit are files whose helpers may end the process, and why.
var mayExit = map[string]string{
	"internal/cluster/victim_test.go": "plays a program that ends without cleaning up",
}

// noExit finds calls that end the process from where nobody can clean up. Only
// main and TestMain may.
func noExit(s *source) (wrong []string) {
	if mayExit[s.name] != "" {
		return nil
	}
	functions(s, func(fn *ast.FuncDecl) {
		if fn.Recv == nil && (fn.Name.Name == "TestMain" || s.ast.Name.Name == "main" && fn.Name.Name == "main") {
			return
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if name := fmt.Sprint(sel.X, ".", sel.Sel); name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") {
					wrong = append(wrong, fmt.Sprintf("%d: %s outside main and TestMain", s.line(sel.Pos()), name))
				}
			}
			return true
		})
	})
	return wrong
}

// Most functions fit a glance.
func TestFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, s := range sources(t) {
		if !s.isTest() {
			functions(s, func(fn *ast.FuncDecl) { lengths = append(lengths, length(s, fn)) })
		}
	}
	slices.Sort(lengths)
	if n := lengths[len(lengths)/2]; n > 12 {
		t.Errorf("half of the functions have more than %d lines, want 12 at most", n)
	}
	if n := lengths[len(lengths)*9/10]; n > 40 {
		t.Errorf("a tenth of the functions have more than %d lines, want 40 at most", n)
	}
}
