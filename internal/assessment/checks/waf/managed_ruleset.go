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

// The ruleset that only looks for leaked passwords; it stops no exploit.
// Source: developers.cloudflare.com/waf/managed-rules/.
const leakedPasswordsID = "c2e184081120413c86c3ab7e14069605"

// managedRuleset judges whether the provider's rules run, and on how much of
// the traffic.
func managedRuleset() check.Check {
	return check.Check{
		ID: "CFL-WAF-005", Title: "A managed WAF ruleset runs on the zone",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Known exploits reach the application unfiltered.",
		Fix: "Deploy the managed ruleset, first in log mode.",
		References: []string{"https://developers.cloudflare.com/waf/managed-rules/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: posture.Controls{CIS: []string{"13.8", "13.10"}, SOC2: []string{"CC6.6"}, PCI: []string{"6.4.2"},
			NIST: []string{"PR.IR-01", "DE.CM-01"}},
		Aliases: []string{"prowler:zone_waf_enabled", "cnspec:waf-enabled", "cfsi:managed-rules-not-deployed",
			"cfsi:zones-without-waf-managed-rules", "cfsi:upgrade-to-new-managed-rules", "grclanker:CF-ZONE-01", "flareinspect:CFL-WAF-005"},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.AccountRulesets, snapshot.AccountPhaseManaged},
		Evaluate: evaluateManagedRuleset,
	}
}

func managedRulesetExamples() []goodtest.Example {
	phase, account := snapshot.ZonePhaseManaged, snapshot.AccountPhaseManaged
	id := snapshot.ManagedRulesetID
	no := false
	stopped := execute("m1", id, "true")
	stopped.Params.Overrides = &snapshot.Overrides{Enabled: &no}
	return []goodtest.Example{
		{Name: "the ruleset runs", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "it is listed but not deployed", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneRules(phase)},
		{Name: "the rule is disabled", Want: posture.Fail, Edit: zoneRules(phase, goodtest.Off(execute("m1", id, "true")))},
		{Name: "every rule of it is overridden to off", Want: posture.Fail, Edit: zoneRules(phase, stopped)},
		{Name: "only leaked passwords are looked for", Want: posture.Fail, Edit: zoneRules(phase, execute("m1", leakedPasswordsID, "true"))},
		{Name: "it runs on one host", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: zoneRules(phase, execute("m1", id, `http.host eq "shop.example"`))},
		{Name: "it leaves a path out", Want: posture.Warning,
			Edit: zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`))},
		{Name: "the account runs it", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			accountPhase(account, execute("m1", id, `(cf.zone.plan eq "ENT")`)))},
		{Name: "the account runs it on other zones", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, execute("m1", id, `not cf.zone.name in {"shop.example"}`)))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase), denied(account))},
		{Name: "a ruleset nobody knows", Want: posture.Unknown, Edit: zoneRules(phase, execute("m1", "f00", "true"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: zoneRules(phase, execute("m1", id, "odd("))},
		{Name: "the free plan has it built in", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "free" }))},
		{Name: "a plan nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "odd" }))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateManagedRuleset(v *check.View) check.Outcome {
	if reason := check.LiveTraffic(v); reason != "" {
		return v.NotApplicable(reason)
	}
	if v.Zone().Plan == "free" {
		return v.Pass("The provider deploys the free managed ruleset on this plan.")
	}
	if !slices.Contains([]string{"pro", "business", "enterprise"}, v.Zone().Plan) {
		return v.Unknown("the plan of the zone is one this check does not know: " + v.Zone().Plan)
	}
	return judgeDeployment(v, "managed ruleset", func(r snapshot.Rule, infos []snapshot.RulesetInfo) truth.Value {
		return truth.And(isManaged(r.Params.ExecuteID, infos), runs(r.Params.Overrides))
	})
}

// judgeDeployment judges on how much of the traffic of the zone some managed
// ruleset runs, deployed by the zone or by the account. counts says whether an
// enabled execute rule runs one that is meant.
func judgeDeployment(v *check.View, what string, counts func(snapshot.Rule, []snapshot.RulesetInfo) truth.Value) check.Outcome {
	zone := deployed(check.Read(v, snapshot.ZonePhaseManaged), check.Read(v, snapshot.ZoneRulesets), v.Zone(), counts)
	if zone.All == truth.Yes {
		return v.Pass("A %s runs on all traffic of the zone.", what)
	}
	account := exposure.Coverage{All: truth.Undecided, Some: truth.Undecided}
	if entry, ok := check.EntryPoint(v, snapshot.AccountRulesets, snapshot.AccountPhaseManaged, v.Account().ID); ok {
		infos, _ := check.ReadOptionalAt(v, snapshot.AccountRulesets, v.Account().ID)
		account = deployed(entry, infos, v.Zone(), counts)
	}
	cover := zone.Join(account)
	part := check.Evidence(snapshot.ZonePhaseManaged, "/rules", "a "+what+" on part of the traffic", "a "+what+" on all traffic")
	switch {
	case cover.All == truth.Yes:
		return v.Pass("The account runs a %s on all traffic of the zone.", what)
	case cover.Some == truth.No:
		return v.Fail("No "+what+" runs on "+v.Zone().Name+".", check.Evidence(snapshot.ZonePhaseManaged, "/rules", "no enabled rule executes a "+
			what, "one on all traffic"))
	case zone.Some == truth.Yes && zone.All == truth.No && account.All == truth.Undecided:
		return v.Warn("The zone "+v.Zone().Name+" runs a "+what+" on a part of its traffic; whether the account covers the rest is not known.",
			part)
	case cover.Some == truth.Yes && cover.All == truth.No:
		return v.Warn("A "+what+" runs on a part of the traffic of "+v.Zone().Name+" only.", part)
	}
	return v.Unknown("whether a " + what + " runs on the zone is not known")
}

// deployed tells on how much of the traffic an entry point runs rulesets that
// count.
func deployed(entry snapshot.Ruleset, infos []snapshot.RulesetInfo, z snapshot.Zone,
	counts func(snapshot.Rule, []snapshot.RulesetInfo) truth.Value) exposure.Coverage {
	out := exposure.Coverage{}
	for _, r := range entry.Rules {
		if !r.Enabled || r.Action != "execute" {
			continue
		}
		managed := counts(r, infos)
		if managed == truth.No {
			continue
		}
		c := exposure.Cover(r.Expression, exposure.OfZone(z))
		out = out.Join(exposure.Coverage{All: truth.And(managed, c.All), Some: truth.And(managed, c.Some)})
	}
	return out
}

func isManaged(id string, infos []snapshot.RulesetInfo) truth.Value {
	switch id {
	case snapshot.ManagedRulesetID:
		return truth.Yes
	case leakedPasswordsID:
		return truth.No
	}
	for _, i := range infos {
		if i.ID == id {
			return truth.Is(i.Kind == "managed")
		}
	}
	return truth.Undecided
}

// runs is No when an override turns the whole ruleset off. Single rules may be
// turned on again; how much that protects cannot be told from here.
func runs(o *snapshot.Overrides) truth.Value {
	if o == nil || o.Enabled == nil || *o.Enabled {
		return truth.Yes
	}
	for _, r := range o.Rules {
		if r.Enabled != nil && *r.Enabled {
			return truth.Undecided
		}
	}
	return truth.No
}
