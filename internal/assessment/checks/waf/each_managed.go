package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// eachManaged judges every enabled rule that executes a managed ruleset: those
// of each zone, and those of the account once. A zone or account that could not
// be read is UNKNOWN on its own.
func eachManaged(v *check.View, pass string, judge func(j *check.Judgement, r snapshot.Rule, res posture.Resource,
	source snapshot.Named)) check.Outcome {
	j := v.Judge()
	rules := func(entry snapshot.Ruleset, source snapshot.Named, z snapshot.Zone) {
		for _, r := range entry.Rules {
			if r.Enabled && r.Action == "execute" {
				judge(j, r, posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Name(), ZoneID: z.ID, Zone: z.Name}, source)
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
	enterprise := slices.ContainsFunc(v.Zones(), func(z snapshot.Zone) bool { return z.Plan == "enterprise" })
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

// overridden is an example edit: the managed ruleset with overrides.
func overridden(id string, o snapshot.Overrides, age int) func(*snapshot.Builder) {
	r := execute("m1", id, "true")
	r.Params.Overrides, r.LastUpdated = &o, snapshot.At(goodtest.Now().AddDate(0, 0, -age))
	return zoneRules(snapshot.ZonePhaseManaged, r)
}

// accountOverridden is the same in the account.
func accountOverridden(o snapshot.Overrides, age int) func(*snapshot.Builder) {
	r := execute("m1", snapshot.ManagedRulesetID, `cf.zone.plan eq "ENT"`)
	r.Params.Overrides, r.LastUpdated = &o, snapshot.At(goodtest.Now().AddDate(0, 0, -age))
	return accountPhase(snapshot.AccountPhaseManaged, r)
}
