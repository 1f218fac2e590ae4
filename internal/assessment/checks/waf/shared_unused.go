package waf

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// sharedUnused finds custom rulesets of the account that no rule runs.
func sharedUnused() check.Check {
	return check.Check{
		ID: "CFL-ACCTWAF-002", Title: "Every custom ruleset of the account is deployed",
		Category: "account-waf", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Plans: []string{"enterprise"},
		Why: "A custom ruleset of the account does nothing until an execute rule of the account runs it. People who see it in the list " +
			"take its rules for granted.",
		Fix: "Deploy the ruleset for the zones it was written for, first with its rules in log mode, or delete it.",
		Words: posture.Words{
			Problem:   "Custom ruleset {name} of the account runs nowhere",
			Impact:    "What its rules should block reaches every zone, although the rules are there to see.",
			Breaks:    "Once deployed, requests that its rules match are blocked on every zone that the deployment names.",
			Dashboard: "Account Home › WAF › Custom rulesets › {name} › Deploy, or delete it.",
		},
		References: []string{"https://developers.cloudflare.com/waf/account/custom-rulesets/"},
		Controls: check.Controls{
			check.Touches("cis 4.4", "A ruleset that runs nowhere filters nothing."),
			check.Supports("soc2 CC6.6", "Rules that were decided on are in force."),
			check.Supports("pci 1.2.7", "Rules without effect are found and resolved."),
			check.Supports("nist PR.PS-01", "What is configured is what is in force."),
		},
		Needs: []snapshot.Named{snapshot.AccountRulesets, snapshot.AccountPhaseCustom, snapshot.AccountPhaseManaged,
			snapshot.AccountPhaseRate, snapshot.ZoneList},
		Evaluate: evaluateSharedUnused,
	}
}

func evaluateSharedUnused(v *check.View) check.Outcome {
	runs := map[string]bool{}
	for phase, k := range map[string]snapshot.Key[snapshot.Ruleset]{"http_request_firewall_custom": snapshot.AccountPhaseCustom,
		"http_request_firewall_managed": snapshot.AccountPhaseManaged, "http_ratelimit": snapshot.AccountPhaseRate} {
		runs[phase] = true // this phase is read
		for _, r := range check.Read(v, k).Rules {
			if r.Enabled && r.Action == "execute" {
				runs[r.Params.ExecuteID] = true
			}
		}
	}
	j := v.Judge()
	for _, i := range check.Read(v, snapshot.AccountRulesets) {
		switch {
		case i.Kind != "custom" || !runs[i.Phase]:
		case runs[i.ID]:
			j.Pass()
		default:
			j.Fail(posture.Resource{Type: posture.ResourceRule, ID: i.ID, Name: i.Name},
				"No enabled rule of the account runs the custom ruleset "+i.Name+".",
				check.Evidence(snapshot.AccountRulesets, "/"+i.ID, "no enabled execute rule", "a rule that runs it"))
		}
	}
	return j.Done("Every custom ruleset of the account is run by a rule.", "the account has no custom ruleset for the firewall")
}

func sharedUnusedExamples() []goodtest.Example {
	custom := snapshot.AccountPhaseCustom
	there := func(phase string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccountRulesets, goodtest.Account, func(is *[]snapshot.RulesetInfo) {
				*is = append(*is, snapshot.RulesetInfo{ID: "cr", Kind: "custom", Phase: phase, Name: "Partners"})
			})
		}
	}
	firewall := there("http_request_firewall_custom")
	return []goodtest.Example{
		{Name: "deployed", Want: posture.Pass, Resource: goodtest.Account, Edit: goodtest.Edits(firewall,
			accountPhase(custom, execute("e", "cr", "true")))},
		{Name: "run by nothing", Want: posture.Fail, Resource: "cr", Edit: firewall},
		{Name: "the rule is off", Want: posture.Fail, Edit: goodtest.Edits(firewall,
			accountPhase(custom, goodtest.Off(execute("e", "cr", "true"))))},
		{Name: "another ruleset runs", Want: posture.Fail, Edit: goodtest.Edits(firewall, accountPhase(custom, execute("e", "other", "true")))},
		{Name: "rate limits that run nowhere", Want: posture.Fail, Resource: "cr", Edit: there("http_ratelimit")},
		{Name: "a phase that is not judged", Want: posture.NotApplicable, Edit: there("http_request_transform")},
		{Name: "the entry point is not readable", Want: posture.Unknown, Edit: goodtest.Edits(firewall, goodtest.Denied(custom))},
		{Name: "none", Want: posture.NotApplicable, Resource: goodtest.Account},
		{Name: "no Enterprise zone", Want: posture.NotApplicable, Edit: goodtest.Edits(firewall,
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
	}
}
