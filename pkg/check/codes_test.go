package check_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/check"
)

// TestCodes holds the table against the codes that the sources of the loaders
// and the rules give to diagnostics.
func TestCodes(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range []string{"../syntax", "../shape", "../tool", "../workspace", "."} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources in %s (%v)", dir, err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				codesIn(t, name, used)
			}
		}
	}
	want := slices.Sorted(maps.Keys(used))
	var got []string
	for _, c := range check.Codes() {
		got = append(got, c.Name)
		for _, text := range []string{c.Summary, c.Help} {
			if !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\n\t") || strings.TrimSpace(text) != text {
				t.Errorf("%s: %q is not a sentence on one line", c.Name, text)
			}
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes (-used +listed):\n%s", diff)
	}
}

// codesIn notes the codes in a file: what is handed to Errorf and Warningf
// behind the span, and the field Code of a literal.
func codesIn(t *testing.T, name string, used map[string]bool) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	note := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if code, err := strconv.Unquote(lit.Value); err == nil {
				used[code] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Errorf" || f.Sel.Name == "Warningf") && len(n.Args) > 2 {
				if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "diag" {
					note(n.Args[1])
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
				note(n.Value)
			}
		}
		return true
	})
}
