package exposure

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Fact is what is known about one condition of an expression for some traffic.
type Fact int

// A condition may differ between requests, hold for all of them, hold for none, or be undecidable.
const (
	Varies Fact = iota
	Always
	Never
	Unclear
)

// Fixed returns the fact for a condition that is the same for all requests.
func Fixed(holds bool) Fact {
	if holds {
		return Always
	}
	return Never
}

// Coverage says whether an expression matches all, and some, of the traffic.
type Coverage struct{ All, Some truth.Value }

// Join returns the coverage of two rules that both act. Two rules that each cover a part count as
// covering a part, even if together they cover everything.
func (c Coverage) Join(d Coverage) Coverage {
	return Coverage{All: truth.Or(c.All, d.All), Some: truth.Or(c.Some, d.Some)}
}

// Cover returns how much of the traffic an expression matches. Conditions that vary are treated as
// independent, so a tautology made of them counts as a part. An expression that cannot be parsed is
// undecided.
func Cover(text string, fact func(expression.Expr) Fact) Coverage {
	if strings.TrimSpace(text) == "true" {
		return Coverage{All: truth.Yes, Some: truth.Yes}
	}
	e, err := expression.Parse(text)
	if err != nil {
		return Coverage{All: truth.Undecided, Some: truth.Undecided}
	}
	return Covers(e, fact)
}

// Covers is Cover for a parsed expression.
func Covers(e expression.Expr, fact func(expression.Expr) Fact) Coverage {
	return expression.Fold(e, expression.Algebra[Coverage]{
		Leaf: func(e expression.Expr, negated bool) Coverage {
			var f Fact
			if b, ok := e.(expression.Literal); ok {
				f = Fixed(bool(b))
			} else {
				f = fact(e)
			}
			switch f {
			case Always:
				return Coverage{All: truth.Is(!negated), Some: truth.Is(!negated)}
			case Never:
				return Coverage{All: truth.Is(negated), Some: truth.Is(negated)}
			case Unclear:
				return Coverage{All: truth.Undecided, Some: truth.Undecided}
			default:
				return Coverage{All: truth.No, Some: truth.Yes}
			}
		},
		And: func(cs ...Coverage) Coverage {
			out := Coverage{All: truth.Yes, Some: truth.Yes}
			for _, c := range cs {
				out = Coverage{All: truth.And(out.All, c.All), Some: truth.And(out.Some, c.Some)}
			}
			return out
		},
		Or: func(cs ...Coverage) Coverage {
			out := Coverage{}
			for _, c := range cs {
				out = out.Join(c)
			}
			return out
		},
	})
}

// OfZone returns the facts that are the same for all requests to a zone: its name and plan, and
// that hosts outside the zone do not match.
func OfZone(z snapshot.Zone) func(expression.Expr) Fact {
	return func(e expression.Expr) Fact {
		t, ok := e.(expression.Test)
		if !ok {
			return unlessZone(e)
		}
		field, ok := t.Left.(expression.Field)
		if !ok {
			return unlessZone(e)
		}
		var values []string
		switch field.Name {
		case "cf.zone.name":
			values = z.Forms()
		case "cf.zone.plan":
			values = []string{z.PlanWord()}
		case "http.host":
			if host, ok := t.Right.(expression.Text); ok && t.Op == expression.Eq && !Within(string(host), z.Name) {
				return Never
			}
			return Varies
		default:
			return unlessZone(e)
		}
		first, known := t.OnText(values[0])
		for _, value := range values {
			holds, ok := t.OnText(value)
			known = known && ok && value != "" && holds == first
		}
		if !known {
			return Unclear
		}
		return Fixed(first)
	}
}

// unlessZone returns Varies for a condition on the request, and Unclear for one that involves the
// zone in a way that is not understood.
func unlessZone(e expression.Expr) Fact {
	for _, f := range expression.Fields(e) {
		if strings.HasPrefix(f, "cf.zone.") {
			return Unclear
		}
	}
	return Varies
}
