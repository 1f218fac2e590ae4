// Package expression parses the provider's rule expressions: a pure parser for the part of the
// language with which rules select requests, and a fold over the result. Input it does not know is
// an error, never a guess.
//
// Source: developers.cloudflare.com/ruleset-engine/rules-language/
package expression

import (
	"net/netip"
	"slices"
	"strings"
)

// Expr is a condition: Literal, Not, And, Or, Xor, Test or Flag.
type Expr interface{ isExpr() }

// Literal is true or false.
type Literal bool

// Not inverts a condition.
type Not struct{ X Expr }

// And holds when all terms do.
type And struct{ Terms []Expr }

// Or holds when any term does.
type Or struct{ Terms []Expr }

// Xor holds when an odd number of terms does.
type Xor struct{ Terms []Expr }

// Test compares an operand.
type Test struct {
	Left  Operand
	Op    Op
	Right Operand
}

// Flag is a boolean field or function used as a condition.
type Flag struct{ Value Operand }

func (Literal) isExpr() {}
func (Not) isExpr()     {}
func (And) isExpr()     {}
func (Or) isExpr()      {}
func (Xor) isExpr()     {}
func (Test) isExpr()    {}
func (Flag) isExpr()    {}

// Op is a comparison in its English notation.
type Op string

// The comparisons.
const (
	Eq             Op = "eq"
	Ne             Op = "ne"
	Lt             Op = "lt"
	Le             Op = "le"
	Gt             Op = "gt"
	Ge             Op = "ge"
	Contains       Op = "contains"
	Matches        Op = "matches"
	Wildcard       Op = "wildcard"
	StrictWildcard Op = "strict wildcard"
	In             Op = "in"
)

// Operand is a side of a test or an argument: Field, Call, Text, Number, Bool,
// Addresses, Numbers, Set, List or Nested.
type Operand interface{ isOperand() }

// Field is a property of the request; Index holds the brackets after its name.
type Field struct {
	Name  string
	Index []string
}

// Call is a call of a language function.
type Call struct {
	Name string
	Args []Operand
}

// Text is a quoted or raw string.
type Text string

// Number is an integer.
type Number int64

// Bool is true or false as a value.
type Bool bool

// Addresses is a single address, a prefix or a range, both ends included.
type Addresses struct{ Lo, Hi netip.Addr }

// Numbers is a range of integers, both ends included.
type Numbers struct{ Lo, Hi int64 }

// Set lists values in braces.
type Set []Operand

// List names an account list or a provider-managed list, without the dollar sign.
type List string

// Nested is a condition inside a function.
type Nested struct{ X Expr }

func (Field) isOperand()     {}
func (Call) isOperand()      {}
func (Text) isOperand()      {}
func (Number) isOperand()    {}
func (Bool) isOperand()      {}
func (Addresses) isOperand() {}
func (Numbers) isOperand()   {}
func (Set) isOperand()       {}
func (List) isOperand()      {}
func (Nested) isOperand()    {}

// Fields lists the names of the fields a condition reads, sorted and without repeats.
func Fields(e Expr) []string {
	var out []string
	for _, f := range FieldsOf(e) {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// FieldsOf lists the fields a condition reads, in order of appearance.
func FieldsOf(e Expr) []Field {
	var out []Field
	collect(e, &out)
	return out
}

func collect(e Expr, out *[]Field) {
	switch e := e.(type) {
	case Not:
		collect(e.X, out)
	case And:
		collectAll(e.Terms, out)
	case Or:
		collectAll(e.Terms, out)
	case Xor:
		collectAll(e.Terms, out)
	case Test:
		collectOperand(e.Left, out)
		collectOperand(e.Right, out)
	case Flag:
		collectOperand(e.Value, out)
	}
}

func collectAll(terms []Expr, out *[]Field) {
	for _, t := range terms {
		collect(t, out)
	}
}

func collectOperand(o Operand, out *[]Field) {
	switch o := o.(type) {
	case Field:
		*out = append(*out, o)
	case Call:
		for _, a := range o.Args {
			collectOperand(a, out)
		}
	case Nested:
		collect(o.X, out)
	}
}

// OnText evaluates a test for a field whose value is known; ok is false when the comparison cannot
// be evaluated here (a list or a pattern).
func (t Test) OnText(value string) (holds, ok bool) {
	if t.Op == In {
		set, isSet := t.Right.(Set)
		if !isSet {
			return false, false
		}
		for _, o := range set {
			if s, isText := o.(Text); isText && string(s) == value {
				return true, true
			}
		}
		return false, true
	}
	right, isText := t.Right.(Text)
	if !isText {
		return false, false
	}
	want := string(right)
	switch t.Op {
	case Eq:
		return value == want, true
	case Ne:
		return value != want, true
	case Contains:
		return strings.Contains(value, want), true
	case Wildcard:
		return Glob(strings.ToLower(want), strings.ToLower(value)), !strings.Contains(want, `\`)
	case StrictWildcard:
		return Glob(want, value), !strings.Contains(want, `\`)
	default:
		return false, false
	}
}

// Glob matches a pattern in which * stands for any text. It never backtracks further than the last
// star.
func Glob(pattern, s string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, last)
}
