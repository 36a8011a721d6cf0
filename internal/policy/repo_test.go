package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is where the module lies, seen from this package's tests.
const root = "../.."

// A source is one parsed Go file.
type source struct {
	name string // slash-separated, relative to the module's root
	fset *token.FileSet
	ast  *ast.File
}

// dir returns the file's package directory, "." for the module's root.
func (s *source) dir() string { return filepath.ToSlash(filepath.Dir(s.name)) }

// isTest reports whether only tests are built from the file.
func (s *source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// line returns the line of a position.
func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

// lines returns the number of lines of the file.
func (s *source) lines() int { return s.fset.File(s.ast.Pos()).LineCount() }

// parse reads one file, given its name and text.
func parse(t *testing.T, name string, text any) *source {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return &source{name: name, fset: fset, ast: file}
}

// sources returns all Go files of the module.
func sources(t *testing.T) []*source {
	t.Helper()
	var all []*source
	for _, name := range files(t) {
		if strings.HasSuffix(name, ".go") {
			all = append(all, parse(t, name, read(t, name)))
		}
	}
	return all
}

// files returns the names of all files of the module, relative to its root,
// without those that are made: results, artifacts, and what begins with a dot.
func files(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (name == "results" || name == ".git" || strings.HasPrefix(d.Name(), "_")):
			return filepath.SkipDir
		case d.Type().IsRegular() && name != ".git" && !strings.HasSuffix(name, ".test") && !strings.HasSuffix(name, ".out"):
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// read returns the text of a file, given its name relative to the root.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
