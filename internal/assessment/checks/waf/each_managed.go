package waf

import (
	"cmp"
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// How much of the zone's traffic a rule weakens.
const (
	nowhere    = "nowhere"
	inPart     = "in part"    // of each host it reaches
	everywhere = "everywhere" // on at least one host
)

// weakened returns where a rule with overrides is the only one that runs a managed ruleset. Where
// the same ruleset also runs in full, nothing is weakened. Requests for which a skip rule
// turns it off are no part that it protects. The rule is one of all.
func weakened(lanes []traffic.Lane[traffic.Flow], r snapshot.Rule, all []snapshot.Rule, ofTheAccount bool) string {
	skips := func(a traffic.Act) bool {
		return a.Rule.Action == "skip" && len(a.Rule.Params.Rules) == 0 && a.By.Account == ofTheAccount &&
			slices.ContainsFunc(spared(all, *a.Rule), func(o snapshot.Rule) bool { return o.ID == r.ID })
	}
	off := func(f traffic.Flow) bool {
		if skip, ok := f.Skipped[traffic.ManagedRules]; ok && (skip.Sure || skip.Late) {
			return true
		}
		return slices.ContainsFunc(f.Acts, func(a traffic.Act) bool { return (a.Sure || a.Late) && a.Phase == traffic.ManagedRules && skips(a) })
	}
	out, whole := nowhere, map[string]bool{}
	for _, l := range traffic.Reaching(lanes) {
		here := l.Value.Has(func(a traffic.Act) truth.Value { return truth.Is(a.Rule.ID == r.ID) }) != truth.No
		if !here && off(l.Value) {
			continue
		}
		for _, h := range l.Hosts {
			all, seen := whole[h.Name]
			whole[h.Name] = here && (all || !seen)
		}
		if here && l.Value.Guards(func(a traffic.Act) truth.Value {
			return truth.Is(a.Rule.Action == "execute" && a.Rule.Params.ExecuteID == r.Params.ExecuteID && inFull(*a.Rule))
		}) != truth.Yes {
			out = inPart
		}
	}
	if out == inPart && slices.Contains(slices.Collect(maps.Values(whole)), true) {
		out = everywhere
	}
	return out
}

// inFull reports whether a rule executes a managed ruleset without overrides that weaken it.
func inFull(r snapshot.Rule) bool {
	o := r.Params.Overrides
	return o == nil || !off(o.Enabled, o.Action) && scoreThreshold(r) <= highestThreshold &&
		!slices.ContainsFunc(o.Categories, func(c snapshot.CategoryOverride) bool { return off(c.Enabled, c.Action) }) &&
		!slices.ContainsFunc(o.Rules, func(c snapshot.RuleOverride) bool { return off(c.Enabled, c.Action) })
}

// off reports whether an override takes what it is for out of force.
func off(enabled *bool, action string) bool { return enabled != nil && !*enabled || action == "log" }

// weakenedIn is weakened for one zone, with the doubt when some of its names are not known.
func weakenedIn(v *check.View, z snapshot.Zone, r snapshot.Rule, all []snapshot.Rule, ofTheAccount bool) (string, *traffic.Doubt) {
	_, doubt := check.Hosts(v, z)
	return weakened(check.Lanes(v, traffic.Firewall(traffic.ManagedRules), z), r, all, ofTheAccount), doubt
}

const noPlan = "no zone that the rule of the account may reach is known to be on the Enterprise plan, which rules of the account need"

// weakenedShared is weakened for a rule of the account, over the zones on the Enterprise plan that
// it selects. Nothing is known of the rules of zones outside of the run.
func weakenedShared(v *check.View, r snapshot.Rule, all []snapshot.Rule) (string, *traffic.Doubt) {
	out, doubt := nowhere, (*traffic.Doubt)(nil)
	for _, z := range check.Read(v, snapshot.ZoneList) {
		if !z.MayHave("enterprise") || exposure.Cover(r.Expression, exposure.OfZone(z)).Some == truth.No {
			continue
		}
		if !z.PlanKnown() {
			doubt = cmp.Or(doubt, &traffic.Doubt{Why: noPlan})
			continue
		}
		if !slices.ContainsFunc(v.Zones(), func(o snapshot.Zone) bool { return o.ID == z.ID }) {
			return everywhere, nil
		}
		reach, unsure := weakenedIn(v, z, r, all, true)
		if _, ok := check.EntryPoint(v, snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, z.ID); !ok && reach != nowhere {
			reach, unsure = nowhere, &traffic.Doubt{Source: snapshot.ZonePhaseManaged, Scope: z.ID} // it may run the ruleset in full
		}
		if reach == everywhere {
			return everywhere, nil
		}
		if reach == inPart {
			out = inPart
		}
		doubt = cmp.Or(doubt, unsure)
	}
	return out, doubt
}

// eachManaged judges every enabled rule that executes a managed ruleset with overrides: those of
// each zone, and those of the account once. A rule for only part of the traffic has low severity. A
// zone or account that could not be read is UNKNOWN by itself.
func eachManaged(v *check.View, pass string, judge func(j *check.Judgement, r snapshot.Rule, res posture.Resource,
	source snapshot.Named)) check.Outcome {
	j := v.Judge()
	rules := func(entry snapshot.Ruleset, source snapshot.Named, z snapshot.Zone) {
		for _, r := range entry.Rules {
			if !r.Enabled || r.Action != "execute" {
				continue
			}
			reach := everywhere
			var doubt *traffic.Doubt
			switch {
			case r.Params.Overrides == nil:
			case z.ID != "":
				reach, doubt = weakenedIn(v, z, r, entry.Rules, false)
			default:
				reach, doubt = weakenedShared(v, r, entry.Rules)
			}
			res := posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Name(), ZoneID: z.ID, Zone: z.Name}
			if reach != everywhere && doubt != nil {
				j.Doubtful(res, *doubt)
				continue
			}
			if r.Params.Overrides == nil || reach == nowhere {
				j.Pass()
				continue
			}
			found := j.Found()
			judge(j, r, res, source)
			if reach == inPart && j.Found() > found {
				j.Rated(posture.Low)
			}
		}
	}
	for _, z := range v.Zones() {
		if entry, ok := check.EntryPoint(v, snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, z.ID); ok {
			rules(entry, snapshot.ZonePhaseManaged, z)
		} else {
			j.UnreadEntryPoint(zoneResource(z), snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, z.ID)
		}
	}
	enterprise := v.MayBeEnterprise()
	if enterprise {
		if entry, ok := check.EntryPoint(v, snapshot.AccountRulesets, snapshot.AccountPhaseManaged, v.Account().ID); ok {
			rules(entry, snapshot.AccountPhaseManaged, snapshot.Zone{})
		} else {
			j.UnreadEntryPoint(accountResource(v), snapshot.AccountRulesets, snapshot.AccountPhaseManaged, v.Account().ID)
		}
	}
	if j.Judged() == 0 && enterprise {
		return v.Pass("No managed ruleset is weakened: none is deployed (CFL-WAF-005 judges that).")
	}
	return j.Done(pass, "no zone deploys a managed ruleset and no zone has the enterprise plan")
}

// overridden is an example edit that deploys a managed ruleset with overrides.
func overridden(id string, o snapshot.Overrides, age int) func(*snapshot.Builder) {
	r := execute("m1", id, "true")
	r.Params.Overrides, r.LastUpdated = &o, snapshot.At(goodtest.Now().AddDate(0, 0, -age))
	return zoneRules(snapshot.ZonePhaseManaged, r)
}

// accountRule is the same in the account, a year ago and for some of its zones, which run no ruleset of
// their own.
func accountRule(o snapshot.Overrides, expression string) func(*snapshot.Builder) {
	r := execute("m1", snapshot.ManagedRulesetID, expression)
	r.Params.Overrides, r.LastUpdated = &o, snapshot.At(goodtest.Now().AddDate(-1, 0, 0))
	return goodtest.Edits(zoneRules(snapshot.ZonePhaseManaged), accountPhase(snapshot.AccountPhaseManaged, r))
}

// accountOverridden is the same in the account.
func accountOverridden(o snapshot.Overrides, age int) func(*snapshot.Builder) {
	r := execute("m1", snapshot.ManagedRulesetID, `cf.zone.plan eq "ENT"`)
	r.Params.Overrides, r.LastUpdated = &o, snapshot.At(goodtest.Now().AddDate(0, 0, -age))
	return goodtest.Edits(zoneRules(snapshot.ZonePhaseManaged), accountPhase(snapshot.AccountPhaseManaged, r))
}
