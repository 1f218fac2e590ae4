package expression

import (
	"cmp"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// Env supplies what is known about a request.
type Env struct {
	// Field returns the value of a field: a string, int64, bool, netip.Addr, or []string for a
	// field with several values. A nil value means that the request has no such field; ok is false
	// when the value is unknown.
	Field func(Field) (value any, ok bool)
	// Listed returns whether a value is in a list.
	Listed func(list string, value any) truth.Value
	// Patterns keeps compiled patterns for further calls; nil keeps none.
	Patterns map[string]*regexp.Regexp
}

// Eval evaluates a condition on a request in three-valued logic. A comparison with a missing field
// is false. For "ne" that is undecided, because the documentation says so and the published engine
// says the contrary (developers.cloudflare.com/ruleset-engine/rules-language/values/#notes,
// github.com/cloudflare/wirefilter, field_expr.rs).
func Eval(e Expr, env Env) truth.Value {
	switch e := e.(type) {
	case Literal:
		return truth.Is(bool(e))
	case Not:
		return truth.Not(Eval(e.X, env))
	case And:
		return evalAll(e.Terms, env, truth.No, truth.And)
	case Or:
		return evalAll(e.Terms, env, truth.Yes, truth.Or)
	case Xor:
		odd := false
		for _, t := range e.Terms {
			v := Eval(t, env)
			if v == truth.Undecided {
				return v
			}
			odd = odd != (v == truth.Yes)
		}
		return truth.Is(odd)
	case Flag:
		return env.flag(e.Value)
	case Test:
		return env.test(e)
	default:
		return truth.Undecided
	}
}

// evalAll combines terms and stops at the first that settles the result.
func evalAll(terms []Expr, env Env, settles truth.Value, join func(...truth.Value) truth.Value) truth.Value {
	out := truth.Not(settles)
	for _, t := range terms {
		if out = join(out, Eval(t, env)); out == settles {
			break
		}
	}
	return out
}

func (env Env) flag(o Operand) truth.Value {
	if c, ok := o.(Call); ok {
		switch c.Name {
		case "starts_with", "ends_with":
			return env.edge(c)
		case "any", "all":
			return env.each(c)
		}
	}
	v, ok := env.value(o)
	b, isBool := v.(bool)
	return truth.If(ok && (isBool || v == nil), b)
}

func (env Env) edge(c Call) truth.Value {
	if len(c.Args) != 2 {
		return truth.Undecided
	}
	v, ok := env.value(c.Args[0])
	edge, isText := c.Args[1].(Text)
	s, _ := v.(string)
	switch {
	case !ok || !isText:
		return truth.Undecided
	case v == nil:
		return truth.No
	case c.Name == "starts_with":
		return truth.Is(strings.HasPrefix(s, string(edge)))
	default:
		return truth.Is(strings.HasSuffix(s, string(edge)))
	}
}

// each evaluates any() and all() over the values of a field with several values.
func (env Env) each(c Call) truth.Value {
	if len(c.Args) != 1 {
		return truth.Undecided
	}
	n, ok := c.Args[0].(Nested)
	if !ok {
		return truth.Undecided
	}
	var t Test
	var left Operand
	switch x := n.X.(type) {
	case Test:
		t, left = x, x.Left
	case Flag:
		left = x.Value
	default:
		return truth.Undecided
	}
	f, ok := several(left)
	if !ok {
		return truth.Undecided
	}
	v, ok := env.Field(f)
	all, isList := elements(v)
	if !ok || !isList {
		return truth.Undecided
	}
	out := truth.Is(c.Name == "all")
	for _, one := range all {
		inner := Env{Listed: env.Listed, Field: func(g Field) (any, bool) {
			if g.Name == f.Name && slices.Equal(g.Index, f.Index) {
				return one, true
			}
			return env.Field(g)
		}}
		verdict := inner.flag(left)
		if t.Op != "" {
			verdict = inner.test(t)
		}
		if c.Name == "all" {
			out = truth.And(out, verdict)
		} else {
			out = truth.Or(out, verdict)
		}
	}
	return out
}

// elements returns the values of a field with several: texts or numbers.
func elements(v any) (out []any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case []string:
		for _, one := range v {
			out = append(out, one)
		}
		return out, true
	case []int64:
		for _, one := range v {
			out = append(out, one)
		}
		return out, true
	}
	return nil, false
}

// several returns the field in an operand that stands for each of its values.
func several(o Operand) (Field, bool) {
	switch o := o.(type) {
	case Field:
		return o, slices.Contains(o.Index, "*")
	case Call:
		for _, a := range o.Args {
			if f, ok := several(a); ok {
				return f, true
			}
		}
	}
	return Field{}, false
}

func (env Env) test(t Test) truth.Value {
	left, ok := env.value(t.Left)
	if !ok {
		return truth.Undecided
	}
	if left == nil {
		return truth.If(t.Op != Ne, false)
	}
	if list, isList := t.Right.(List); isList {
		return env.Listed(string(list), left)
	}
	if set, isSet := t.Right.(Set); isSet {
		out := truth.No
		for _, o := range set {
			out = truth.Or(out, env.equal(left, o))
		}
		return out
	}
	switch t.Op {
	case Eq:
		return env.equal(left, t.Right)
	case Ne:
		return truth.Not(env.equal(left, t.Right))
	case Lt, Le, Gt, Ge:
		return order(t.Op, left, t.Right)
	case Matches:
		s, isText := left.(string)
		pattern, isPattern := t.Right.(Text)
		if !isText || !isPattern {
			return truth.Undecided
		}
		re := env.pattern(string(pattern))
		return truth.If(re != nil, re != nil && re.MatchString(s))
	default:
		s, isText := left.(string)
		holds, known := Test{Op: t.Op, Right: t.Right}.OnText(s)
		return truth.If(isText && known, holds)
	}
}

// pattern returns a compiled pattern, nil for one that is not valid.
func (env Env) pattern(s string) *regexp.Regexp {
	re, done := env.Patterns[s]
	if !done {
		re, _ = Pattern(s)
		if env.Patterns != nil {
			env.Patterns[s] = re
		}
	}
	return re
}

func (env Env) equal(left any, right Operand) truth.Value {
	switch r := right.(type) {
	case Text:
		s, ok := left.(string)
		return truth.If(ok, s == string(r))
	case Number:
		n, ok := left.(int64)
		return truth.If(ok, n == int64(r))
	case Numbers:
		n, ok := left.(int64)
		return truth.If(ok, r.Lo <= n && n <= r.Hi)
	case Bool:
		b, ok := left.(bool)
		return truth.If(ok, b == bool(r))
	case Addresses:
		a, ok := left.(netip.Addr)
		return truth.If(ok, ok && a.BitLen() == r.Lo.BitLen() && r.Lo.Compare(a) <= 0 && a.Compare(r.Hi) <= 0)
	case Field, Call:
		v, ok := env.value(r)
		return truth.If(ok, v == left)
	default:
		return truth.Undecided
	}
}

func order(op Op, left any, right Operand) truth.Value {
	var c int
	switch r := right.(type) {
	case Number:
		n, ok := left.(int64)
		if !ok {
			return truth.Undecided
		}
		c = cmp.Compare(n, int64(r))
	case Text:
		s, ok := left.(string)
		if !ok {
			return truth.Undecided
		}
		c = strings.Compare(s, string(r))
	default:
		return truth.Undecided
	}
	switch op {
	case Lt:
		return truth.Is(c < 0)
	case Le:
		return truth.Is(c <= 0)
	case Gt:
		return truth.Is(c > 0)
	default:
		return truth.Is(c >= 0)
	}
}

// value evaluates an operand; ok is false when it is unknown.
func (env Env) value(o Operand) (v any, ok bool) {
	switch o := o.(type) {
	case Field:
		return env.Field(o)
	case Text:
		return string(o), true
	case Number:
		return int64(o), true
	case Bool:
		return bool(o), true
	case Call:
		return env.call(o)
	default:
		return nil, false
	}
}

// call evaluates the functions that are used in comparisons; the others are for rewriting.
func (env Env) call(c Call) (any, bool) {
	var args []any
	for _, a := range c.Args {
		v, ok := env.value(a)
		if !ok {
			return nil, false
		}
		args = append(args, v)
	}
	if c.Name == "concat" {
		var b strings.Builder
		for _, a := range args {
			s, ok := a.(string)
			if !ok && a != nil {
				return nil, false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	if len(args) == 0 {
		return nil, false
	}
	if args[0] == nil {
		return nil, true
	}
	switch s := args[0].(type) {
	case []string, []int64:
		if all, _ := elements(s); c.Name == "len" {
			return int64(len(all)), true
		}
	case string:
		switch {
		case c.Name == "lower":
			return ascii(s, 'A', 'Z'), true
		case c.Name == "upper":
			return ascii(s, 'a', 'z'), true
		case c.Name == "len":
			return int64(len(s)), true
		case c.Name == "url_decode" && len(args) == 1:
			if out, err := url.QueryUnescape(s); err == nil {
				return out, true
			}
		}
	}
	return nil, false
}

// ascii changes the case of the letters from first to last, and of no other byte
// (developers.cloudflare.com/ruleset-engine/rules-language/functions/#lower).
func ascii(s string, first, last byte) string {
	out := []byte(s)
	for i, c := range out {
		if first <= c && c <= last {
			out[i] ^= 'a' - 'A'
		}
	}
	return string(out)
}
