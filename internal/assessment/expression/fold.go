package expression

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// Algebra says how to judge a condition bottom-up. Leaf gets Literal, Test and Flag, and whether
// the leaf is under an odd number of negations.
type Algebra[T any] struct {
	Leaf    func(e Expr, negated bool) T
	And, Or func(...T) T
}

// Fold judges a condition with all negations moved to the leaves. Each leaf is judged once for both
// senses, so that chains of xor stay linear.
func Fold[T any](e Expr, a Algebra[T]) T {
	return fold(e, a).is
}

// both holds the judgement of a condition and that of its negation.
type both[T any] struct{ is, not T }

func fold[T any](e Expr, a Algebra[T]) both[T] {
	switch e := e.(type) {
	case Not:
		x := fold(e.X, a)
		return both[T]{is: x.not, not: x.is}
	case And:
		is, not := terms(e.Terms, a)
		return both[T]{is: a.And(is...), not: a.Or(not...)}
	case Or:
		is, not := terms(e.Terms, a)
		return both[T]{is: a.Or(is...), not: a.And(not...)}
	case Xor:
		out := fold(e.Terms[0], a)
		for _, t := range e.Terms[1:] {
			y := fold(t, a)
			out = both[T]{
				is:  a.Or(a.And(out.is, y.not), a.And(out.not, y.is)),
				not: a.Or(a.And(out.is, y.is), a.And(out.not, y.not)),
			}
		}
		return out
	default:
		return both[T]{is: a.Leaf(e, false), not: a.Leaf(e, true)}
	}
}

// Asks reports whether some way to satisfy a condition needs a field to differ from its usual value; ok
// is false for a field that does not matter. A comparison that negation turns around asks for nothing
// that its opposite asks for.
func Asks(e Expr, usual func(Field) (value any, ok bool)) bool {
	return Any(e, func(e Expr, negated bool) bool {
		matters := func(f Field) bool {
			_, ok := usual(f)
			return ok
		}
		met := Eval(e, Env{Field: usual})
		if negated {
			met = truth.Not(met)
		}
		return met != truth.Yes && slices.ContainsFunc(FieldsOf(e), matters)
	})
}

// Any reports whether leaf is true of some leaf of a condition, as Fold gives them.
func Any(e Expr, leaf func(e Expr, negated bool) bool) bool {
	either := func(all ...bool) bool { return slices.Contains(all, true) }
	return Fold(e, Algebra[bool]{And: either, Or: either, Leaf: leaf})
}

func terms[T any](es []Expr, a Algebra[T]) (is, not []T) {
	for _, e := range es {
		x := fold(e, a)
		is, not = append(is, x.is), append(not, x.not)
	}
	return is, not
}

// Positive returns a leaf of Fold with "ne", and a comparison with true or false, written as what it negates
// or not: x ne 1 as x eq 1, and x eq false as x.
func Positive(e Expr, negated bool) (Expr, bool) {
	t, ok := e.(Test)
	if ok && t.Op == Ne {
		t.Op, negated = Eq, !negated
	}
	if b, isBool := t.Right.(Bool); isBool && t.Op == Eq {
		return Flag{Value: t.Left}, negated != !bool(b)
	}
	if ok {
		e = t
	}
	return e, negated
}

// Replace returns a condition with each comparison replaced by what leaf returns for it.
func Replace(e Expr, leaf func(Expr) Expr) Expr {
	all := func(terms []Expr) (out []Expr) {
		for _, t := range terms {
			out = append(out, Replace(t, leaf))
		}
		return out
	}
	switch e := e.(type) {
	case Not:
		return Not{X: Replace(e.X, leaf)}
	case And:
		return And{Terms: all(e.Terms)}
	case Or:
		return Or{Terms: all(e.Terms)}
	case Xor:
		return Xor{Terms: all(e.Terms)}
	}
	return leaf(e)
}
