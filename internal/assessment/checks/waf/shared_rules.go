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

// sharedRules judges whether a new zone on the Enterprise plan is protected from the start. A rule
// covers a zone when it acts on some of its traffic.
func sharedRules() check.Check {
	managed, custom := snapshot.AccountPhaseManaged, snapshot.AccountPhaseCustom
	return check.Check{
		ID: "CFL-ACCTWAF-001", Title: "Shared WAF rules exist at account level",
		Category: "account-waf", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Plans: []string{"enterprise"},
		Why: "A rule of the account protects every Enterprise zone, a new one from its first minute. Rules of single " +
			"zones drift apart, and a new zone starts without them.",
		Fix: "Deploy the Cloudflare Managed Ruleset for all Enterprise zones at the account, first in log mode.",
		Words: posture.Words{
			Problem: "No WAF rule of the account protects every Enterprise zone",
			Impact:  "A zone that is new, or that someone forgot, can be attacked with what the other zones stop.",
			Breaks: "Nothing while the ruleset logs; later, requests to any Enterprise zone that its rules take for an attack " +
				"are blocked.",
			Dashboard: "Account Home › WAF › Managed rulesets › Deploy › Deploy managed ruleset.",
			Call:      editRules(snapshot.AccountPhaseManaged, ". + ["+sharedRuleset+"]"),
			Terraform: `# The resource holds all rules of the phase.
resource "cloudflare_ruleset" "managed_rules" {
  account_id = "{account_id}"
  name       = "default"
  kind       = "root"
  phase      = "http_request_firewall_managed"
  rules = [{
    action            = "execute"
    description       = "Cloudflare Managed Ruleset"
    expression        = "(cf.zone.plan eq \"ENT\")"
    enabled           = true
    action_parameters = { id = "efb7b8c949ac4650a09736fc376e9aee", overrides = { action = "log" } }
  }]
}`},
		References: []string{"https://developers.cloudflare.com/waf/managed-rules/", "Cloudflare docs: Account-level WAF configuration"},
		Controls: check.Controls{
			check.Supports("cis 4.2", "One ruleset for all zones is the baseline of the edge."),
			check.Supports("soc2 CC6.6", "Each zone has the same boundary."),
			check.Supports("pci 1.2.1", "Rules have one standard that all zones follow."),
			check.Supports("pci 6.4.2", "Zones that were forgotten have protection as well."),
			check.Supports("nist PR.IR-01", "Zones that were forgotten are protected too."),
		},
		Aliases:  []string{"flareinspect:CFL-ACCTWAF-001"},
		Needs:    []snapshot.Named{snapshot.AccountRulesets, managed, custom, snapshot.ZoneList, snapshot.AccountRulesetCustom},
		Evaluate: evaluateSharedRules,
	}
}

func sharedRulesExamples() []goodtest.Example {
	managed, custom := snapshot.AccountPhaseManaged, snapshot.AccountPhaseCustom
	gone := goodtest.Edits(accountPhase(managed), accountPhase(custom))
	no, yes := false, true
	second := func(b *snapshot.Builder) {
		b.Zones = append(b.Zones, snapshot.Zone{ID: "z2", Name: "second.example", Status: "active", Plan: "enterprise"})
		snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
	}
	odd := func(b *snapshot.Builder) {
		b.Zones = append(b.Zones, snapshot.Zone{ID: "z2", Name: "second.example", Status: "active", Plan: "odd"})
		snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
	}
	return []goodtest.Example{
		{Name: "a rule for all enterprise zones, and a zone on a plan nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(gone, odd,
			accountPhase(managed, execute("m", snapshot.ManagedRulesetID, `cf.zone.name eq "shop.example"`)))},
		{Name: "a rule for all zones, and one on a plan nobody knows", Want: posture.Pass, Edit: goodtest.Edits(gone, odd,
			accountPhase(managed, execute("m", snapshot.ManagedRulesetID, "true")))},
		{Name: "a rule for all enterprise zones", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a custom rule for all zones", Want: posture.Pass,
			Edit: goodtest.Edits(gone, accountPhase(custom, rule("c", "block", `http.request.uri.path contains "/.git"`)))},
		{Name: "a custom ruleset without rules", Want: posture.Fail, Edit: goodtest.Edits(gone, accountPhase(custom, execute("e", "cr", "true")),
			customRuleset("cr"))},
		{Name: "no rule", Want: posture.Fail, Resource: goodtest.Account, Edit: gone},
		{Name: "the rule is off", Want: posture.Fail, Edit: goodtest.Edits(gone,
			accountPhase(managed, goodtest.Off(execute("m", snapshot.ManagedRulesetID, "true"))))},
		{Name: "the ruleset is overridden to off", Want: posture.Fail, Edit: goodtest.Edits(gone,
			accountOverridden(snapshot.Overrides{Enabled: &no}, 1))},
		{Name: "the ruleset only logs, for long", Want: posture.Fail, Edit: goodtest.Edits(gone,
			accountOverridden(snapshot.Overrides{Action: "log"}, 31))},
		{Name: "the ruleset only logs, for a trial", Want: posture.Pass, Edit: goodtest.Edits(gone,
			accountOverridden(snapshot.Overrides{Action: "log"}, 1))},
		{Name: "a category of the ruleset runs", Want: posture.Unknown, Edit: goodtest.Edits(gone, accountOverridden(snapshot.Overrides{
			Enabled: &no, Categories: []snapshot.CategoryOverride{{Category: "wordpress", Enabled: &yes}}}, 1))},
		{Name: "one of two zones", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(gone, second, accountPhase(managed, execute("m", snapshot.ManagedRulesetID, `cf.zone.name eq "shop.example"`)))},
		{Name: "two rules, one for each", Want: posture.Warning, Edit: goodtest.Edits(gone, second,
			accountPhase(managed, execute("m", snapshot.ManagedRulesetID, `cf.zone.name eq "shop.example"`), execute("n", snapshot.ManagedRulesetID,
				`cf.zone.name eq "second.example"`)))},
		{Name: "only a zone that is gone", Want: posture.Warning,
			Edit: goodtest.Edits(gone, accountPhase(managed, execute("m", snapshot.ManagedRulesetID, `cf.zone.name eq "old.example"`)))},
		{Name: "a custom ruleset", Want: posture.Pass, Edit: goodtest.Edits(gone, accountPhase(custom, execute("e", "cr", "true")),
			customRuleset("cr", rule("b", "block", "true")))},
		{Name: "a rule that skips", Want: posture.Fail, Edit: goodtest.Edits(gone, accountPhase(custom, rule("c", "skip", "true")))},
		{Name: "a rule that logs", Want: posture.Fail, Edit: goodtest.Edits(gone, accountPhase(custom, rule("c", "log", "true")))},
		{Name: "an exception of managed rules", Want: posture.Fail, Edit: goodtest.Edits(gone, accountPhase(managed, rule("m", "skip", "true")))},
		{Name: "a custom ruleset that only skips", Want: posture.Fail,
			Edit: goodtest.Edits(gone, accountPhase(custom, execute("e", "cr", "true")), customRuleset("cr", rule("b", "skip", "true")))},
		{Name: "a rule that skips beside one that blocks", Want: posture.Pass,
			Edit: goodtest.Edits(gone, accountPhase(custom, rule("c", "skip", "ssl"), rule("d", "managed_challenge", "true")))},
		{Name: "zones nobody can tell", Want: posture.Unknown,
			Edit: goodtest.Edits(gone, accountPhase(managed, execute("m", snapshot.ManagedRulesetID, "cf.zone.name in $zones")))},
		{Name: "no enterprise zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(gone, goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
	}
}

// sharedRuleset is a rule, as JSON, that runs the Cloudflare Managed Ruleset for all zones on the
// Enterprise plan in log mode.
const sharedRuleset = `{"action": "execute", "expression": "(cf.zone.plan eq \"ENT\")", "action_parameters": {"id": "` +
	snapshot.ManagedRulesetID + `", "overrides": {"action": "log"}}}`

func evaluateSharedRules(v *check.View) check.Outcome {
	enabled, every, some := false, truth.No, truth.No
	for _, phase := range []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseManaged, snapshot.AccountPhaseCustom} {
		for _, r := range check.Read(v, phase).Rules {
			force := truth.Is(r.Enabled && traffic.Stops(r.Action)) // a rule that skips or logs protects nothing
			switch {
			case !r.Enabled || r.Action != "execute":
			case phase == snapshot.AccountPhaseManaged:
				force = inForce(v, r)
			default:
				force = truth.Is(holdsRule(v, r.Params.ExecuteID))
			}
			if force == truth.No {
				continue
			}
			enabled = true
			all := force
			for _, z := range check.Read(v, snapshot.ZoneList) {
				if z.MayHave("enterprise") {
					covers := truth.And(force, exposure.Cover(r.Expression, exposure.OfZone(z)).Some)
					if !z.PlanKnown() { // the rule is to be for it only if it is on that plan
						all = truth.And(all, truth.If(covers == truth.Yes, true))
						some = truth.Or(some, truth.If(covers == truth.No, false))
						continue
					}
					all, some = truth.And(all, covers), truth.Or(some, covers)
				}
			}
			every = truth.Or(every, all)
		}
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.AccountPhaseManaged, "/rules", observed,
			"an enabled rule of the account that covers every enterprise zone")
	}
	words := posture.Words{Call: firstRule(snapshot.AccountPhaseManaged, check.Read(v, snapshot.AccountRulesets), sharedRuleset)}
	switch {
	case every == truth.Yes:
		return v.Pass("A rule of the account covers every enterprise zone.")
	case !enabled:
		return v.Fail("No WAF rule of the account is in force for its Enterprise zones.", seen("no enabled rule")).As(words)
	case every == truth.Undecided:
		return v.Unknown("a rule of the account selects zones, or runs a part of a ruleset, in a way this check does not follow")
	case some == truth.Yes:
		return v.Warn("Each WAF rule of the account is for some of its Enterprise zones only.", seen("rules for some zones")).As(words)
	}
	return v.Warn("The WAF rules of the account are for none of its Enterprise zones.", seen("rules for other zones")).As(words)
}

// inForce returns whether a rule runs a managed ruleset that acts. One that logs for a trial counts,
// as CFL-WAF-008 watches how long that takes.
func inForce(v *check.View, r snapshot.Rule) truth.Value {
	o := r.Params.Overrides
	if o == nil || o.Action != "log" {
		return runs(o)
	}
	since := r.LastUpdated.Time
	return truth.And(runs(o), truth.If(!since.IsZero(), !since.Before(v.Now().AddDate(0, 0, -v.Policy.LogOnlyDays))))
}

func holdsRule(v *check.View, id string) bool {
	return slices.ContainsFunc(check.ReadAt(v, snapshot.AccountRulesetCustom, id).Rules, func(r snapshot.Rule) bool {
		return r.Enabled && traffic.Stops(r.Action)
	})
}
