package apitest

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	snapshotPath = module + "internal/core/" + "snapshot"
	module       = "github.com/edgeposture/edgeposture/"
)

// TestLiteralsArePublished holds each text a check compares a field with against the published values of that field.
func TestLiteralsArePublished(t *testing.T) {
	published := Enumerations()
	c := compare(t, "testdata/literals.tsv")
	for _, pkg := range checked(t) {
		for _, file := range pkg.files {
			ast.Inspect(file, func(n ast.Node) bool {
				for _, one := range comparisons(pkg.info, n) {
					values, ok := published[one.field]
					if !ok {
						continue
					}
					difference := one.field + " is compared with " + one.literal
					if slices.ContainsFunc(values, func(v string) bool { return v == one.literal || one.folded && strings.EqualFold(v, one.literal) }) {
						difference = ""
					}
					c.note("literal", difference)
				}
				return true
			})
		}
	}
	c.report(t)
	require.Greater(t, c.counts["literal"][0], 50)
}

// comparison of a field of a stored type with a literal.
type literal struct {
	field, literal string
	folded         bool // without regard to case
}

func comparisons(info *types.Info, n ast.Node) []literal {
	var out []literal
	add := func(x, y ast.Expr) {
		field, folded := fieldOf(info, x)
		value := info.Types[y].Value
		if field != "" && value != nil && value.Kind() == constant.String && constant.StringVal(value) != "" {
			out = append(out, literal{field, constant.StringVal(value), folded})
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			add(n.X, n.Y)
			add(n.Y, n.X)
		}
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			for _, value := range clause.(*ast.CaseClause).List {
				if n.Tag != nil {
					add(n.Tag, value)
				}
			}
		}
	case *ast.CallExpr:
		switch name := types.ExprString(n.Fun); name {
		case "strings.EqualFold":
			out = append(out, equalFold(info, n)...)
		case "slices.Contains":
			if list, ok := n.Args[0].(*ast.CompositeLit); ok {
				for _, value := range list.Elts {
					add(n.Args[1], value)
				}
			}
		}
	}
	return out
}

func equalFold(info *types.Info, call *ast.CallExpr) []literal {
	var out []literal
	for i := range call.Args {
		field, _ := fieldOf(info, call.Args[i])
		if v := info.Types[call.Args[1-i]].Value; field != "" && v != nil {
			out = append(out, literal{field, constant.StringVal(v), true})
		}
	}
	return out
}

// fieldOf names the stored field an expression reads, as Type.json_name.
func fieldOf(info *types.Info, x ast.Expr) (field string, folded bool) {
	if call, ok := x.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "strings.ToLower" {
		x, folded = call.Args[0], true
	}
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || info.Selections[sel] == nil {
		return "", false
	}
	obj, ok := info.Selections[sel].Obj().(*types.Var)
	if !ok || !obj.IsField() || obj.Pkg() == nil || obj.Pkg().Path() != snapshotPath {
		return "", false
	}
	scope := obj.Pkg().Scope()
	for _, name := range scope.Names() {
		named, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		structure, ok := named.Type().Underlying().(*types.Struct)
		for i := 0; ok && i < structure.NumFields(); i++ {
			if structure.Field(i) == obj {
				tag, _, _ := strings.Cut(reflect.StructTag(structure.Tag(i)).Get("json"), ",")
				return name + "." + tag, folded
			}
		}
	}
	return "", false
}

type checkedPackage struct {
	files []*ast.File
	info  *types.Info
}

// checked parses and type-checks the packages that judge.
func checked(t *testing.T) []checkedPackage {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \",\"}}", "../../assessment/...")
	raw, err := list.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	var mine [][]string
	for line := range strings.Lines(string(raw)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		exports[parts[0]] = parts[1]
		if len(parts) == 4 && strings.HasPrefix(parts[0], module+"internal/assessment/") {
			mine = append(mine, parts)
		}
	}
	files := token.NewFileSet()
	gc := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var out []checkedPackage
	for _, parts := range mine {
		p := checkedPackage{info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
		for name := range strings.SplitSeq(parts[3], ",") {
			f, err := parser.ParseFile(files, filepath.Join(parts[2], name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			p.files = append(p.files, f)
		}
		_, err := (&types.Config{Importer: gc}).Check(parts[0], files, p.files, p.info)
		require.NoError(t, err)
		out = append(out, p)
	}
	return out
}
