package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// Each package has one comment: two would be read in an order that nobody chose.
func TestPackageComments(t *testing.T) {
	where := map[string][]string{}
	for _, s := range sources(t) {
		dir := s.dir()
		where[dir] = append(where[dir], documented(s)...)
	}
	for dir, names := range where {
		if len(names) != 1 {
			t.Errorf("%s: has %d package comments %q, want 1", dir, len(names), names)
		}
	}
}

// documented returns the file's name if it has the package comment.
func documented(s *source) []string {
	if s.ast.Doc.Text() == "" {
		return nil
	}
	return []string{s.name}
}

// comments finds exported identifiers that nobody explains, and package comments
// that don't begin as go doc expects.
func comments(s *source) (wrong []string) {
	if text, name := s.ast.Doc.Text(), s.ast.Name.Name; text != "" && name != "main" && !strings.HasPrefix(text, "Package "+name+" ") {
		wrong = append(wrong, fmt.Sprintf("1: the package comment doesn't begin with %q", "Package "+name))
	}
	if s.isTest() {
		return wrong
	}
	for _, d := range s.ast.Decls {
		for _, id := range undocumented(d) {
			wrong = append(wrong, fmt.Sprintf("%d: %s has no comment", s.line(id.Pos()), id))
		}
	}
	return wrong
}

// undocumented returns the exported identifiers of a declaration that have no
// comment of their own or of their group.
func undocumented(d ast.Decl) (ids []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !wellKnown[d.Name.Name] {
			ids = append(ids, d.Name)
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc != nil {
			return nil
		}
		for _, spec := range d.Specs {
			ids = append(ids, undocumentedSpec(spec)...)
		}
	}
	return ids
}

func undocumentedSpec(spec ast.Spec) (ids []*ast.Ident) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
			ids = append(ids, spec.Name)
		}
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			if spec.Doc == nil && spec.Comment == nil && id.IsExported() {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// wellKnown are methods of which the name says all.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true}

// exportedReceiver reports whether fn is a function, or a method that is seen
// outside its package.
func exportedReceiver(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return true
	}
	for expr := fn.Recv.List[0].Type; ; {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr: // of a generic type
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		default:
			return ast.IsExported(fmt.Sprint(e))
		}
	}
}
