// Package waf holds the checks of the firewall of zones and account.
package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// nobodyMeets reports whether no request to a zone of the account meets a condition of an account
// rule and, if oneOf is not empty, one of those as well: the rule names zones or hosts that no
// longer exist. Account rules apply to zones on the Enterprise plan; for a zone out of scope of the
// run only name and plan are known. The check must declare ZoneList and what Reaches needs.
func nobodyMeets(v *check.View, condition string, oneOf ...string) bool {
	meets := func(z snapshot.Zone, text string) bool {
		if exposure.Cover(text, exposure.OfZone(z)).Some == truth.No {
			return false
		}
		inRun := slices.ContainsFunc(v.Zones(), func(o snapshot.Zone) bool { return o.ID == z.ID })
		return !inRun || check.Reaches(v, z, text).Some != truth.No
	}
	return !slices.ContainsFunc(check.Read(v, snapshot.ZoneList), func(z snapshot.Zone) bool {
		return z.MayHave("enterprise") && meets(z, condition) &&
			(len(oneOf) == 0 || slices.ContainsFunc(oneOf, func(text string) bool { return meets(z, text) }))
	})
}

// firewall follows the requests of the zone through the firewall, up to a phase.
func firewall(v *check.View, phase string) []traffic.Lane[traffic.Flow] {
	return check.Lanes(v, traffic.Firewall(phase), v.Zone())
}

// nothingPasses reports whether rules certainly end all of the requests.
func nothingPasses(lanes []traffic.Lane[traffic.Flow]) bool {
	return len(lanes) > 0 && len(traffic.Reaching(lanes)) == 0
}

// undecided returns why it is not known what the rules of the phase do.
func undecided(v *check.View, lanes []traffic.Lane[traffic.Flow], otherwise string) check.Outcome {
	for _, l := range lanes {
		if len(l.Value.Doubts) > 0 {
			return v.Doubtful(l.Value.Doubts[0])
		}
	}
	return v.Unknown(otherwise)
}

// zoneRules is an example edit that sets the rules of the zone in a phase.
func zoneRules(k snapshot.Key[snapshot.Ruleset], rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "zr", Kind: "zone", Rules: rules})
	}
}

// accountPhase is an example edit that sets the rules of the account in a phase.
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

// rule returns an enabled example rule.
func rule(id, action, expression string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: action, Expression: expression}
}

// execute returns an enabled rule that runs a ruleset.
func execute(id, ruleset, expression string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: "execute", Expression: expression, Params: snapshot.RuleParams{ExecuteID: ruleset}}
}

func accountResource(v *check.View) posture.Resource {
	return posture.Resource{Type: posture.ResourceAccount, ID: v.Account().ID, Name: v.Account().Name}
}

func zoneResource(z snapshot.Zone) posture.Resource {
	return posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name}
}

// listed is an example edit that adds a zone to the account, out of scope of the run.
func listed(name, plan string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneList, goodtest.Account, append(slices.Clone(b.Zones), snapshot.Zone{ID: "z8", Name: name, Status: "active",
			Plan: plan}))
	}
}
