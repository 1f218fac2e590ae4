package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// acts reports whether some request of its zone that meets none of some conditions certainly or perhaps meets a rule that no earlier
// one keeps it from.
func (s skipJudge) acts(r posture.Resource, phase snapshot.Named, condition, name string, but ...expression.Expr) bool {
	i := slices.IndexFunc(s.view.Zones(), func(z snapshot.Zone) bool { return z.ID == r.ZoneID })
	if i < 0 {
		return true // a rule of the account
	}
	if _, doubt := check.Hosts(s.view, s.view.Zones()[i]); doubt != nil {
		return true
	}
	of := traffic.Acts(phaseOf(phase), phase, r.ID, name, but...).Of("", condition)
	return traffic.Cover(check.Lanes(s.view, of, s.view.Zones()[i]), func(acts truth.Value) truth.Value { return acts }).Some != truth.No
}

func phaseOf(source snapshot.Named) string {
	return strings.TrimPrefix(source.Source(), "zone/ruleset/")
}

// limited returns the condition of a rule of a zone with what conditions and earlier rules together demand: a limit of the
// source or of the path, when no request without it meets the rule. How they are written does not matter.
func (s skipJudge) limited(r posture.Resource, phase snapshot.Named, condition string, e expression.Expr, named lists) expression.Expr {
	i := slices.IndexFunc(s.view.Zones(), func(z snapshot.Zone) bool { return z.ID == r.ZoneID })
	if i < 0 {
		return e
	}
	all := append(check.Ending(s.view, s.view.Zones()[i], phaseOf(phase)), e)
	demands := func(what string, is func(branch) bool) bool {
		found := demanded(all, named, is)
		if len(found) == 0 || s.acts(r, phase, condition, what, found...) {
			return false
		}
		e = expression.And{Terms: []expression.Expr{e, expression.Or{Terms: found}}}
		return true
	}
	if !demands("for proven senders", func(b branch) bool { return b.source == 1<<proven }) {
		demands("for senders", func(b branch) bool { return b.source == 1<<proven || b.source == 1<<region })
	}
	demands("on paths", func(b branch) bool { return b.path == limitedPath })
	return e
}

// demanded lists the comparisons, or their contraries, that certainly limit requests.
func demanded(all []expression.Expr, named lists, is func(branch) bool) (out []expression.Expr) {
	for _, e := range all {
		expression.Any(e, func(e expression.Expr, negated bool) bool {
			if ways := leaf(e, negated, named); len(ways) == 1 && is(ways[0]) {
				if negated {
					e = expression.Not{X: e}
				}
				out = append(out, e)
			}
			return false
		})
	}
	return out
}
