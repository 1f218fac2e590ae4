package admission

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// Membership tests whether a field has one of several values.
type Membership struct {
	Field  string
	Values []expression.Operand
	Listed bool // the values are in a list that was not read
}

// MemberOf parses a comparison of a field with values, or any() of one.
func MemberOf(e expression.Expr) (Membership, bool) {
	if f, ok := e.(expression.Flag); ok {
		c, ok := f.Value.(expression.Call)
		if !ok || c.Name != "any" || len(c.Args) != 1 {
			return Membership{}, false
		}
		inner, ok := c.Args[0].(expression.Nested)
		if !ok {
			return Membership{}, false
		}
		e = inner.X
	}
	t, ok := e.(expression.Test)
	if !ok {
		return Membership{}, false
	}
	field, ok := t.Left.(expression.Field)
	if !ok {
		return Membership{}, false
	}
	m := Membership{Field: field.Name}
	switch right := t.Right.(type) {
	case expression.Set:
		m.Values = right
	case expression.List:
		m.Listed = true
	default:
		m.Values = []expression.Operand{right}
	}
	return m, t.Op == expression.Eq || t.Op == expression.In
}

// Holds reports whether one of the values is wanted.
func (m Membership) Holds(wanted ...expression.Operand) bool {
	for _, o := range m.Values {
		for _, w := range wanted {
			if n, ok := o.(expression.Numbers); ok {
				if x, ok := w.(expression.Number); ok && n.Lo <= int64(x) && int64(x) <= n.Hi {
					return true
				}
				continue
			}
			if _, set := o.(expression.Set); !set && o == w {
				return true
			}
		}
	}
	return false
}

// Spelled rewrites the names of lists, which may contain hyphens, into names that the parser
// accepts.
func Spelled(text string) string {
	parts := strings.Split(text, "$")
	for i := 1; i < len(parts); i++ {
		end := strings.IndexFunc(parts[i], func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
		if end < 0 {
			end = len(parts[i])
		}
		parts[i] = strings.ReplaceAll(parts[i][:end], "-", "_") + parts[i][end:]
	}
	return strings.Join(parts, "$")
}

// Covers returns how much of some traffic a rule matches, regardless of the sender; an empty
// expression matches all of it.
func Covers(r Rule, fact func(expression.Expr) exposure.Fact) exposure.Coverage {
	e, ok := r.condition()
	if !ok {
		return exposure.Coverage{All: truth.Undecided, Some: truth.Undecided}
	}
	return exposure.Covers(e, fact)
}

// CoversForSome reports whether a rule matches all of some traffic, at least for some people,
// places or hours.
func CoversForSome(r Rule, fact func(expression.Expr) exposure.Fact) truth.Value {
	e, ok := r.condition()
	if !ok {
		return truth.Undecided
	}
	return expression.Fold(e, expression.Algebra[truth.Value]{
		Leaf: func(e expression.Expr, negated bool) truth.Value {
			if always, ok := e.(expression.Literal); ok {
				return truth.Is(bool(always) != negated)
			}
			fields := expression.Fields(e)
			if len(fields) > 0 && !slices.ContainsFunc(fields, func(f string) bool { return !ofSender(f) }) {
				return truth.Yes
			}
			switch fact(e) {
			case exposure.Always:
				return truth.Is(!negated)
			case exposure.Never:
				return truth.Is(negated)
			case exposure.Unclear:
				return truth.Undecided
			}
			return truth.No
		},
		And: truth.And, Or: truth.Or,
	})
}

// ofSender reports whether a field tells where traffic comes from.
func ofSender(field string) bool {
	return strings.Contains(field, ".src") || strings.Contains(field, ".location") || strings.Contains(field, ".ecs")
}

// Names reports whether a rule tests for something, as opposed to its absence. An expression that
// cannot be parsed may do so if it contains the word.
func Names(r Rule, word string, is func(expression.Expr) bool) truth.Value {
	return Tests(r, word, func(e expression.Expr, negated bool) bool { return !negated && is(e) })
}

// Tests is Names for tests of which some may be negated.
func Tests(r Rule, word string, is func(e expression.Expr, negated bool) bool) truth.Value {
	e, ok := r.condition()
	if !ok {
		return truth.If(!strings.Contains(r.Traffic, word), false)
	}
	return expression.Fold(e, expression.Algebra[truth.Value]{
		Leaf: func(e expression.Expr, negated bool) truth.Value { return truth.Is(is(e, negated)) },
		And:  truth.Or, Or: truth.Or,
	})
}

// Limited reports whether a rule applies only to some people, devices or hours.
func Limited(r Rule) bool {
	someone := strings.TrimSpace(r.Identity) != "" && exposure.Cover(Spelled(r.Identity), anybody).All != truth.Yes
	return someone || r.DevicePosture != "" || r.Scheduled
}

// anybody evaluates a test of an identity, of which a pattern for any text tells nobody apart.
func anybody(e expression.Expr) exposure.Fact {
	if MatchesAll(e, "ann@a.example", "zq8x7v.k3@k3.test") == truth.Yes {
		return exposure.Always
	}
	return exposure.Varies
}

// MatchesAll reports whether a test is a pattern that all of some texts match, or of any text;
// undecided if the pattern cannot be parsed.
func MatchesAll(e expression.Expr, texts ...string) truth.Value {
	t, ok := e.(expression.Test)
	text, _ := t.Right.(expression.Text)
	if !ok || t.Op != expression.Matches {
		return truth.Is(ok && t.Op == expression.Ne && t.Right == expression.Text(""))
	}
	re, err := expression.Pattern(string(text))
	return truth.If(err == nil, err == nil && !slices.ContainsFunc(texts, func(s string) bool { return !re.MatchString(s) }))
}

// EnabledRules returns the enabled rules with the given filter ("" for any) and action.
func EnabledRules(all []Rule, filter, action string) []Rule {
	var out []Rule
	for _, r := range all {
		if r.Enabled && r.Action == action && (filter == "" || slices.Contains(r.Filters, filter)) {
			out = append(out, r)
		}
	}
	return out
}
