package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mutant is one change: killed when a test fails with it. tests are the indexes of those that reach it, the fastest first.
type mutant struct {
	file, function, change string
	line                   int
	tests                  []int
	killed                 bool
}

func (m *mutant) key() string { return m.file + "\t" + m.function + "\t" + m.change }

// edit puts text in place of length bytes. What begins together nests as it came; what ends together in reverse.
type edit struct {
	at, length, order int
	text              string
}

type file struct {
	name, function string
	source         []byte
	set            *token.FileSet
	info           *types.Info
	edits          []edit
	mutants        *[]*mutant
}

// mutate writes the files of a package with all mutants in them, each behind mutant(id), and the overlay that names them.
func mutate(root, dir, temp string) (mutants []*mutant, overlay string) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	found, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, "./"+dir)
	check(err)
	pkg := found[0]
	if len(pkg.Errors) > 0 {
		check(pkg.Errors[0])
	}
	replace := map[string]string{}
	write := func(name string, text []byte) {
		path := filepath.Join(temp, filepath.Base(name))
		check(os.WriteFile(path, text, 0o600))
		replace[name] = path
	}
	for _, tree := range pkg.Syntax {
		name := pkg.Fset.Position(tree.Package).Filename
		source, err := os.ReadFile(name)
		check(err)
		f := &file{name: dir + "/" + filepath.Base(name), source: source, set: pkg.Fset, info: pkg.TypesInfo, mutants: &mutants}
		ast.Inspect(tree, f.visit)
		write(name, f.render())
	}
	write(filepath.Join(root, dir, "mutant_switch.go"), []byte("package "+pkg.Name+"\n"+switchText))
	text, err := json.Marshal(map[string]any{"Replace": replace})
	check(err)
	overlay = filepath.Join(temp, "overlay.json")
	check(os.WriteFile(overlay, text, 0o600))
	return mutants, overlay
}

// switchText is in the package under test.
const switchText = `
import ("fmt"; "os"; "sync")
var (
	mutantOn, mutantLog = os.Getenv("MUTANT"), os.Getenv("MUTANT_LOG")
	mutantSeen sync.Map
)
func mutant(id string) bool {
	if mutantLog != "" {
		if _, seen := mutantSeen.LoadOrStore(id, true); !seen {
			f, _ := os.OpenFile(mutantLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			fmt.Fprintln(f, id)
			f.Close()
		}
	}
	return id == mutantOn
}
func mutantOp[T ~int|~int8|~int16|~int32|~int64|~uint|~uint8|~uint16|~uint32|~uint64|~float32|~float64](id, op, other string, a, b T) T {
	if mutant(id) {
		op = other
	}
	switch op {
	case "+": return a + b
	case "-": return a - b
	case "*": return a * b
	default: return a / b
	}
}
`

// quiet are calls whose loss no test is asked to notice: locks belong to the race detector, logs are read by people.
var quiet = regexp.MustCompile(`(^panic|\.(R?Lock|R?Unlock|(Debug|Info|Warn|Error|Log)(Context|Attrs)?))$`)

func (f *file) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		f.function = n.Name.Name
		if n.Recv != nil {
			f.function = strings.TrimPrefix(f.text(n.Recv.List[0].Type), "*") + "." + f.function
		}
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.IfStmt:
		switch c := n.Cond.(type) {
		case *ast.CallExpr, *ast.Ident, *ast.SelectorExpr:
			f.negate(c, "!"+f.text(c))
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.negate(n, f.text(n.X))
		}
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	}
	return true
}

func (f *file) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && !quiet.MatchString(f.text(call.Fun)) {
				f.wrap(s, "nothing", "if !mutant(%q) { ", " }")
			}
		case *ast.IncDecStmt:
			other := f.text(s.X) + map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok]
			f.wrap(s, other, "if mutant(%q) { "+escape(other)+" } else { ", " }")
		case *ast.AssignStmt:
			swap := map[token.Token]string{token.ADD_ASSIGN: " -= ", token.SUB_ASSIGN: " += ", token.MUL_ASSIGN: " /= "}[s.Tok]
			if swap != "" && f.isNumber(s.Lhs[0]) {
				other := f.text(s.Lhs[0]) + swap + f.text(s.Rhs[0])
				f.wrap(s, other, "if mutant(%q) { "+escape(other)+" } else { ", " }")
			}
		}
	}
}

func (f *file) binary(n *ast.BinaryExpr) {
	if f.info.Types[n].Value != nil {
		return
	}
	left, right := f.text(n.X), f.text(n.Y)
	either := func(op string) {
		other := left + " " + op + " " + right
		f.wrap(n, other, "(mutant(%[1]q) && ("+escape(other)+") || !mutant(%[1]q) && (", "))")
	}
	opposite := map[token.Token]string{token.LSS: ">=", token.LEQ: ">", token.GTR: "<=", token.GEQ: "<", token.EQL: "!=", token.NEQ: "=="}
	switch n.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.negate(n, left+" "+opposite[n.Op]+" "+right)
		either(map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}[n.Op])
	case token.EQL, token.NEQ:
		f.negate(n, left+" "+opposite[n.Op]+" "+right)
	case token.LAND:
		either("||")
	case token.LOR:
		either("&&")
	case token.ADD, token.SUB, token.MUL, token.QUO:
		other := map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*"}[n.Op]
		if f.isNumber(n) {
			id := f.wrap(n, left+" "+other+" "+right, fmt.Sprintf("mutantOp(%%q, %q, %q, ", n.Op, other), ")")
			f.edits = append(f.edits, edit{f.set.Position(n.OpPos).Offset, 1, id, ","})
		}
	}
}

func (f *file) negate(n ast.Node, change string) { f.wrap(n, change, "(", " != mutant(%q))") }

// wrap makes a mutant of a node and puts text around it; %q is its id.
func (f *file) wrap(n ast.Node, change, before, after string) int {
	position := f.set.Position(n.Pos())
	oneLine := strings.Join(strings.Fields(f.text(n)+" → "+change), " ")
	*f.mutants = append(*f.mutants, &mutant{file: f.name, function: f.function, change: oneLine, line: position.Line})
	id := len(*f.mutants)
	fill := func(text string) string {
		if !strings.Contains(text, "%") {
			return text
		}
		return fmt.Sprintf(text, fmt.Sprint(id))
	}
	f.edits = append(f.edits, edit{position.Offset, 0, id, fill(before)}, edit{f.set.Position(n.End()).Offset, 0, -id, fill(after)})
	return id
}

func (f *file) isNumber(n ast.Expr) bool {
	basic, ok := f.info.TypeOf(n).Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsInteger|types.IsFloat) != 0
}

func (f *file) text(n ast.Node) string {
	return string(f.source[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// render applies the edits: at one place what ends comes first, inner before outer, then what begins, outer before inner.
func (f *file) render() []byte {
	slices.SortFunc(f.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(min(a.order, 0), min(b.order, 0)), cmp.Compare(a.order, b.order))
	})
	var out []byte
	at := 0
	for _, e := range f.edits {
		out = append(append(out, f.source[at:e.at]...), e.text...)
		at = e.at + e.length
	}
	return append(out, f.source[at:]...)
}

func escape(text string) string { return strings.ReplaceAll(text, "%", "%%") }
