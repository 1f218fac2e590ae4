package traffic

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

// split rewrites comparisons of the address of a request as comparisons of its path, its query and its
// scheme, where both say the same of every request to a host. Of a part alone it is known which of its
// values meet a condition.
func split(e expression.Expr, host string) expression.Expr {
	return expression.Replace(e, func(e expression.Expr) expression.Expr { return splitLeaf(e, host) })
}

func splitLeaf(e expression.Expr, host string) expression.Expr {
	left, op, texts := compared(e)
	f, ok := fieldOf(left)
	if c, isCall := left.(expression.Call); isCall && (c.Name != "lower" && c.Name != "upper" || len(c.Args) != 1) {
		ok = false
	}
	if flag, isFlag := e.(expression.Flag); isFlag && !slices.Contains([]string{"starts_with", "ends_with"}, nameOf(flag.Value)) {
		ok = false
	}
	if !ok || len(texts) == 0 {
		return e
	}
	a := address{left: left, host: host}
	var out []expression.Expr
	for _, t := range texts {
		var term expression.Expr
		switch fieldName(f) {
		case "http.request.uri":
			term = a.uri(op, t)
		case "http.request.full_uri":
			term = a.full(op, t)
		}
		if term == nil {
			return e
		}
		out = append(out, term)
	}
	if op == expression.Ne {
		return expression.Not{X: expression.Or{Terms: out}}
	}
	return expression.Or{Terms: out}
}

func nameOf(o expression.Operand) string {
	c, _ := o.(expression.Call)
	return c.Name
}

// address writes comparisons of parts of the address of a request to a host. left is what was compared.
type address struct {
	left expression.Operand
	host string
}

// part compares a part of the address.
func (a address) part(name string, op expression.Op, text string) expression.Expr {
	var left expression.Operand = expression.Field{Name: name}
	if c, ok := a.left.(expression.Call); ok {
		left = expression.Call{Name: c.Name, Args: []expression.Operand{left}}
	}
	if op == "starts_with" || op == "ends_with" {
		return expression.Flag{Value: expression.Call{Name: string(op), Args: []expression.Operand{left, expression.Text(text)}}}
	}
	return expression.Test{Left: left, Op: op, Right: expression.Text(text)}
}

func both(terms ...expression.Expr) expression.Expr { return expression.And{Terms: terms} }

// uri compares path and query; nil when that cannot be told from the parts. A path holds no question
// mark.
func (a address) uri(op expression.Op, t string) expression.Expr {
	path := func(op expression.Op, t string) expression.Expr { return a.part(partPath, op, t) }
	query := func(op expression.Op, t string) expression.Expr { return a.part(partQuery, op, t) }
	before, after, mark := strings.Cut(t, "?")
	switch {
	case op == expression.Wildcard || op == expression.StrictWildcard:
		return a.pattern(op, t)
	case op == expression.Eq || op == expression.In || op == expression.Ne:
		if mark && after == "" {
			return expression.Literal(false)
		}
		return both(path(expression.Eq, before), query(expression.Eq, after))
	case op == "starts_with" && mark:
		return both(path(expression.Eq, before), query("starts_with", after), query(expression.Ne, ""))
	case op == "starts_with":
		return path(op, t)
	case op == expression.Contains && mark:
		return expression.Or{Terms: []expression.Expr{both(path("ends_with", before), query("starts_with", after), query(expression.Ne, "")),
			query(op, t)}}
	case op == expression.Contains:
		return expression.Or{Terms: []expression.Expr{path(op, t), query(op, t)}}
	case op == "ends_with" && mark && after != "":
		return expression.Or{Terms: []expression.Expr{both(path("ends_with", before), query(expression.Eq, after)), query(op, t)}}
	case op == "ends_with" && !mark:
		return expression.Or{Terms: []expression.Expr{both(path(op, t), query(expression.Eq, "")), both(query(op, t), query(expression.Ne, ""))}}
	}
	return nil
}

// maxStars bounds the stars of a pattern that is told from the parts: each makes a comparison with both.
const maxStars = 30

// pattern compares with a pattern. The question mark between path and query is the one of the pattern,
// or one of its stars takes it.
func (a address) pattern(op expression.Op, t string) expression.Expr {
	path := func(t string) expression.Expr { return a.part(partPath, op, t) }
	query := func(t string) expression.Expr { return a.part(partQuery, op, t) }
	if fixed := strings.Trim(t, "*"); strings.HasSuffix(t, "*") && (fixed == "" || fixed == "/") {
		return expression.Literal(true)
	}
	if before, after, mark := strings.Cut(t, "?"); mark {
		if strings.Contains(before, "*") || strings.Contains(t, `\`) {
			return nil
		}
		return both(path(before), query(after), a.part(partQuery, expression.Ne, ""))
	}
	if strings.Contains(t, `\`) || strings.Count(t, "*") > maxStars {
		return nil
	}
	fixed := strings.Split(t, "*")
	var out []expression.Expr
	if !strings.HasSuffix(t, "*") {
		out = append(out, both(path(t), a.part(partQuery, expression.Eq, "")))
	}
	for k := 1; k < len(fixed); k++ {
		before, after := strings.Join(fixed[:k], "*")+"*", "*"+strings.Join(fixed[k:], "*")
		switch {
		case strings.Trim(after, "*") == "":
			return expression.Or{Terms: append(out, path(before))}
		case strings.Trim(before, "*") == "":
			out = append(out, query(after))
		default:
			out = append(out, both(path(before), query(after)))
		}
	}
	return expression.Or{Terms: out}
}

// full compares the whole address, by scheme.
func (a address) full(op expression.Op, t string) expression.Expr {
	of := func(scheme string) expression.Expr {
		base := scheme + "://" + a.host
		rest, inside := strings.CutPrefix(t, base)
		switch {
		case (op == expression.Eq || op == expression.In || op == expression.Ne || op == "starts_with") && inside && rest != "":
			return a.uri(op, rest)
		case op == expression.Eq || op == expression.In || op == expression.Ne:
			return expression.Literal(false)
		case op == expression.Wildcard || op == expression.StrictWildcard:
			var out []expression.Expr
			for _, after := range remainders(op, t, base) {
				switch term := a.pattern(op, after); term {
				case nil, expression.Literal(true):
					return term
				default:
					out = append(out, term)
				}
			}
			return expression.Or{Terms: out}
		case op == "starts_with":
			return expression.Literal(strings.HasPrefix(base, t))
		case op == expression.Contains && strings.Contains(base, t):
			return expression.Literal(true)
		case op == expression.Contains:
			in := a.uri(op, t)
			out := []expression.Expr{in}
			for i := 1; i < len(t); i++ {
				if t[i] == '/' && strings.HasSuffix(base, t[:i]) {
					out = append(out, a.uri("starts_with", t[i:]))
				}
			}
			if len(out) == 1 {
				return in
			}
			return expression.Or{Terms: out}
		}
		return nil
	}
	if _, isCall := a.left.(expression.Call); isCall {
		return nil
	}
	secure, plain := of("https"), of("http")
	if secure == nil || plain == nil {
		return nil
	}
	if reflect.DeepEqual(secure, plain) {
		return secure
	}
	ssl := expression.Flag{Value: expression.Field{Name: partScheme}}
	return expression.Or{Terms: []expression.Expr{both(ssl, secure), both(expression.Not{X: ssl}, plain)}}
}

// remainders lists what is left of a pattern for the rest of a text that begins with base, without what another one includes.
func remainders(op expression.Op, pattern, base string) (out []string) {
	at := map[int]bool{}
	reach := func(i int) { // a star may stand for nothing
		for ; i < len(pattern) && pattern[i] == '*'; i++ {
			at[i] = true
		}
		at[i] = true
	}
	reach(0)
	for _, c := range []byte(base) {
		before := at
		at = map[int]bool{}
		for i := range before {
			switch {
			case i == len(pattern):
			case pattern[i] == '*':
				reach(i)
			case pattern[i] == c || op == expression.Wildcard && strings.EqualFold(pattern[i:i+1], string(c)):
				reach(i + 1)
			}
		}
	}
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(at))) {
		switch {
		case i == len(pattern):
		case pattern[i] == '*': // stands for what the earlier ones take, too
			return append(out, pattern[i:])
		case pattern[i] == '/':
			out = append(out, pattern[i:])
		}
	}
	return out
}
