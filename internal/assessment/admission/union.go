package admission

import (
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// Union is what several rules match together, regardless of the sender, as a fact tells of each test.
type Union struct {
	fact   func(expression.Expr) exposure.Fact
	all    truth.Value
	held   map[string][]expression.Operand // by field: the values of which a rule takes each
	lacked map[string][]Membership         // by field: the values that a rule alone leaves to others
}

// NewUnion returns the union of no rules.
func NewUnion(fact func(expression.Expr) exposure.Fact) *Union {
	return &Union{fact: fact, all: truth.No, held: map[string][]expression.Operand{}, lacked: map[string][]Membership{}}
}

// All reports whether the rules match all traffic.
func (u *Union) All() truth.Value { return u.all }

// Add adds a rule, and reports whether the rules match all traffic with it.
func (u *Union) Add(r Rule) truth.Value {
	if u.all = truth.Or(u.all, Covers(r, u.fact).All); u.all == truth.Yes {
		return u.all
	}
	for _, a := range u.alternatives(r) {
		m, ok := MemberOf(a.test)
		if !ok || m.Listed {
			continue
		}
		field := expression.FieldsOf(a.test)[0]
		key := fmt.Sprint(field)
		if a.negated {
			u.lacked[key] = append(u.lacked[key], m)
		} else {
			u.held[key] = append(u.held[key], m.Values...)
		}
		whole := u.fact(expression.Test{Left: field, Op: expression.In, Right: expression.Set(u.held[key])}) == exposure.Always
		if whole || slices.ContainsFunc(u.lacked[key], func(m Membership) bool {
			return !slices.ContainsFunc(m.Values, func(v expression.Operand) bool { return !among(u.held[key], v) })
		}) {
			u.all = truth.Yes
		}
	}
	return u.all
}

// alternative is a test that is enough to meet a condition, or whose opposite is.
type alternative struct {
	test    expression.Expr
	negated bool
}

// alternatives returns the tests of which each is enough to meet a rule: of terms that must all hold, the one that
// does not always.
func (u *Union) alternatives(r Rule) []alternative {
	type part struct {
		always bool
		any    []alternative
	}
	e, ok := r.condition()
	if !ok {
		return nil
	}
	return expression.Fold(e, expression.Algebra[part]{
		Leaf: func(e expression.Expr, negated bool) part {
			var f exposure.Fact
			if holds, ok := e.(expression.Literal); ok {
				f = exposure.Fixed(bool(holds))
			} else {
				f = u.fact(e)
			}
			return part{f == exposure.Always && !negated || f == exposure.Never && negated, []alternative{{e, negated}}}
		},
		And: func(terms ...part) part {
			terms = slices.DeleteFunc(terms, func(p part) bool { return p.always })
			switch len(terms) {
			case 0:
				return part{always: true}
			case 1:
				return terms[0]
			}
			return part{}
		},
		Or: func(terms ...part) (out part) {
			for _, p := range terms {
				out = part{out.always || p.always, append(out.any, p.any...)}
			}
			return out
		},
	}).any
}

// among reports whether a value is one of some, or within a range that is.
func among(values []expression.Operand, v expression.Operand) bool {
	return slices.ContainsFunc(values, func(o expression.Operand) bool {
		switch o := o.(type) {
		case expression.Addresses:
			a, ok := v.(expression.Addresses)
			return ok && a.Lo.BitLen() == o.Lo.BitLen() && o.Lo.Compare(a.Lo) <= 0 && a.Hi.Compare(o.Hi) <= 0
		case expression.Numbers:
			if n, ok := v.(expression.Number); ok {
				return o.Lo <= int64(n) && int64(n) <= o.Hi
			}
			n, ok := v.(expression.Numbers)
			return ok && o.Lo <= n.Lo && n.Hi <= o.Hi
		case expression.Text, expression.Number:
			return o == v
		}
		return false
	})
}
