package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// use says whether an enabled rule acts on a signal, and whether one only logs it.
type use struct{ acts, logs truth.Value }

// usesOf looks for the fields of a signal in the rules that act on some request. A rule that cannot
// be parsed is undecided if it mentions one at all.
func usesOf(v *check.View, signal func(field string) bool, phases ...string) use {
	out := use{}
	for _, phase := range phases {
		lanes := firewall(v, phase)
		found := func(acts bool, over func([]traffic.Lane[traffic.Flow], func(traffic.Act) truth.Value) traffic.Coverage) truth.Value {
			return over(lanes, func(a traffic.Act) truth.Value {
				if a.Rule.Action == "skip" || limits(*a.Rule) != acts {
					return truth.No
				}
				return mentions(a, signal)
			}).Some
		}
		out.acts, out.logs = truth.Or(out.acts, found(true, traffic.Guarding)), truth.Or(out.logs, found(false, traffic.Acting))
	}
	return out
}

func mentions(a traffic.Act, signal func(field string) bool) truth.Value {
	if a.Expr == nil {
		if slices.ContainsFunc(strings.FieldsFunc(a.Rule.Expression, func(r rune) bool {
			return r != '.' && r != '_' && (r < 'a' || r > 'z') &&
				(r < '0' || r > '9')
		}), signal) {
			return truth.Undecided
		}
		return truth.No
	}
	return expression.Fold(a.Expr, expression.Algebra[truth.Value]{And: truth.Or, Or: truth.Or,
		Leaf: func(e expression.Expr, negated bool) truth.Value {
			if t, isTest := e.(expression.Test); isTest {
				b, isBool := t.Right.(expression.Bool)
				negated = isBool && (negated != !bool(b)) != (t.Op == expression.Ne)
			}
			// A rule for what has no signal does not act on the signal.
			return truth.Is(!negated && slices.ContainsFunc(expression.Fields(e), signal))
		}})
}

// leakedCredential reports whether a field signals a leaked password
// (developers.cloudflare.com/waf/detections/leaked-credentials/#leaked-credentials-fields).
func leakedCredential(field string) bool {
	return strings.HasPrefix(field, credentialFields)
}

const credentialFields = "cf.waf.credential_check."
