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
				if a.Rule.Action == "skip" || traffic.Stops(a.Rule.Action) != acts || !a.Rule.Limit.InReach() {
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
	return asksFor(a.Expr, signal)
}

// asksFor reports whether a condition asks for a signal: one for what has no signal does not.
func asksFor(e expression.Expr, signal func(field string) bool) truth.Value {
	return truth.Is(expression.Asks(e, func(f expression.Field) (any, bool) { return unmarked(f.Name), signal(f.Name) }))
}

// unmarked returns the value of a field for a request without a signal.
func unmarked(field string) any {
	switch {
	case strings.HasSuffix(field, ".obj_results"):
		return []string{}
	case strings.Contains(field, ".num_"):
		return int64(0)
	}
	return false
}

// leakedCredential reports whether a field signals a leaked password
// (developers.cloudflare.com/waf/detections/leaked-credentials/#leaked-credentials-fields).
func leakedCredential(field string) bool {
	return strings.HasPrefix(field, credentialFields)
}

const credentialFields = "cf.waf.credential_check."
