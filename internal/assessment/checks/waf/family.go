// Package waf holds the checks of the firewall of zones and account.
package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// stops reports whether an action keeps a request from the application.
func stops(action string) bool {
	return slices.Contains([]string{"block", "managed_challenge", "js_challenge", "challenge"}, action)
}

// found is what an account phase holds for one zone: whether an enabled rule
// that counts, and whether any rule at all, matches the zone.
type found struct{ counts, any truth.Value }

// accountRules judges an account entry point for the zone of the unit. counts
// judges one enabled rule; rules of an executed ruleset are judged in its place.
func accountRules(v *check.View, phase snapshot.Key[snapshot.Ruleset], counts func(snapshot.Rule) truth.Value) found {
	entry, ok := check.EntryPoint(v, snapshot.AccountRulesets, phase, v.Account().ID)
	if !ok {
		return found{truth.Undecided, truth.Undecided}
	}
	out := found{}
	zone := exposure.OfZone(v.Zone())
	for _, r := range entry.Rules {
		matches := exposure.Cover(r.Expression, zone).Some
		if matches == truth.No {
			continue
		}
		if r.Action != "execute" {
			out.any = truth.Or(out.any, matches)
			if r.Enabled {
				out.counts = truth.Or(out.counts, truth.And(matches, counts(r)))
			}
			continue
		}
		// The executed ruleset may be unreadable; the rule that executes it is
		// a rule all the same.
		out.any = truth.Or(out.any, matches)
		if !r.Enabled {
			continue
		}
		inner, ok := check.ReadOptionalAt(v, snapshot.AccountRulesetCustom, r.Params.ExecuteID)
		if !ok {
			out.counts = truth.Or(out.counts, truth.And(matches, truth.Undecided))
			continue
		}
		for _, in := range inner.Rules {
			if in.Enabled {
				out.counts = truth.Or(out.counts, truth.And(matches, exposure.Cover(in.Expression, zone).Some, counts(in)))
			}
		}
	}
	return out
}

// zoneRules is an example edit that gives the zone rules in a phase.
func zoneRules(k snapshot.Key[snapshot.Ruleset], rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "zr", Kind: "zone", Rules: rules})
	}
}

// accountPhase is an example edit that gives the account rules in a phase.
func accountPhase(k snapshot.Key[snapshot.Ruleset], rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Account, snapshot.Ruleset{ID: "ar", Kind: "root", Rules: rules})
	}
}

// customRuleset is an example edit that adds a custom ruleset of the account.
func customRuleset(id string, rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountRulesetCustom, id, snapshot.Ruleset{ID: id, Kind: "custom", Rules: rules})
	}
}

// rule makes an enabled rule for an example.
func rule(id, action, expression string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: action, Expression: expression}
}

// execute makes an enabled rule that runs a ruleset.
func execute(id, ruleset, expression string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: "execute", Expression: expression, Params: snapshot.RuleParams{ExecuteID: ruleset}}
}

// denied is an example edit: a source the token may not read.
func denied(k snapshot.Named) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { b.Mark(k.Source(), snapshot.Denied, "WAF Read", "") }
}

func accountResource(v *check.View) posture.Resource {
	return posture.Resource{Type: posture.ResourceAccount, ID: v.Account().ID, Name: v.Account().Name}
}

func zoneResource(z snapshot.Zone) posture.Resource {
	return posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name}
}
