package waf

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// providerRuleset judges whether the Cloudflare Managed Ruleset runs. Overrides that weaken it are
// judged by another check (CFL-WAF-013).
func providerRuleset() check.Check {
	return check.Check{
		ID: "CFL-WAF-006", Title: "Cloudflare managed ruleset is deployed",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "The Cloudflare Managed Ruleset is maintained by Cloudflare's security team, and gets rules for newly " +
			"published flaws first. Other rulesets do not have these rules.",
		Fix: "Deploy the Cloudflare Managed Ruleset in log mode, look at its events for a week, then remove the log " +
			"action.",
		Words: posture.Words{
			Problem:   "{zone} does not run the Cloudflare Managed Ruleset",
			Impact:    "Anyone can use a newly published flaw against the application until the software is patched.",
			Breaks:    "Nothing while the ruleset logs; later, requests that its rules take for an attack are blocked.",
			Dashboard: "Security › Settings › Web application exploits: turn on the Cloudflare Managed Ruleset.",
			Call:      deployment(snapshot.ManagedRulesetID),
			Terraform: deploymentTerraform(snapshot.ManagedRulesetID)},
		References: []string{"https://developers.cloudflare.com/waf/managed-rules/reference/cloudflare-managed-ruleset/",
			"https://developers.cloudflare.com/waf/managed-rules/deploy-api/"},
		Controls: check.Controls{
			check.Shows("cis 13.8", "Cloudflare's rules block known intrusions."),
			check.Supports("soc2 CC6.6", "Known attacks stop at the boundary."),
			check.Shows("pci 6.4.2", "Cloudflare's WAF runs before the application and its rules are kept current."),
			check.Supports("nist PR.IR-01", "Known attacks are kept from the application."),
		},
		Aliases: []string{"cfsi:managed-rules-not-deployed", "flareinspect:CFL-WAF-006"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/rulesets/{ruleset_id}/rules", Risk: "medium", Reversible: true,
			Body: `one rule appended to the existing entry point: {action: execute, expression: "true", enabled: true, action_parameters: {id: ` +
				`"efb7b8c949ac4650a09736fc376e9aee", overrides: {action: "log"}}, ref: <our mark>}; when the phase has no entry point, PUT it once ` +
				`with this single rule`,
			Inverse: "DELETE /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id} of the created rule only",
			Caution: "The ruleset is added beside what is deployed; existing rules and exceptions stay. It only logs and blocks " +
				"nothing until you remove the log action (CFL-WAF-008).",
			Propose: proposeDeployment(snapshot.ManagedRulesetID)},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: traffic.FirewallNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			return judgeDeployment(v, "the Cloudflare Managed Ruleset", snapshot.ManagedRulesetID, runsRuleset(snapshot.ManagedRulesetID))
		},
	}
}

func providerRulesetExamples() []goodtest.Example {
	return deploymentExamples(snapshot.ManagedRulesetID)
}

// runsRuleset returns a condition for rules that execute one ruleset.
func runsRuleset(id string) func(snapshot.Rule, []snapshot.RulesetInfo) truth.Value {
	return func(r snapshot.Rule, _ []snapshot.RulesetInfo) truth.Value { return truth.Is(r.Params.ExecuteID == id) }
}

func deploymentExamples(id string) []goodtest.Example {
	phase, account := snapshot.ZonePhaseManaged, snapshot.AccountPhaseManaged
	return []goodtest.Example{
		{Name: "it runs", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "nothing is deployed", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneRules(phase)},
		{Name: "the rule is disabled", Want: posture.Fail, Edit: zoneRules(phase, goodtest.Off(execute("m1", id, "true")))},
		{Name: "another ruleset runs", Want: posture.Fail, Edit: zoneRules(phase, execute("m1", "8ac8bc2a661e475d940980f9317f28e1", "true"))},
		{Name: "it runs on one host", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: zoneRules(phase, execute("m1", id, `http.host eq "shop.example"`))},
		{Name: "it leaves a path out", Want: posture.Warning,
			Edit: zoneRules(phase, execute("m1", id, `not http.request.uri.path contains "/api"`))},
		{Name: "part of the traffic, and the account is not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(phase, execute("m1", id, `http.host eq "shop.example"`)), goodtest.Denied(account))},
		{Name: "the account runs it", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			accountPhase(account, execute("m1", id, `(cf.zone.plan eq "ENT")`)))},
		{Name: "the account runs it on other zones", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, execute("m1", id, `cf.zone.name eq "other.example"`)))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase), goodtest.Denied(account))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: zoneRules(phase, execute("m1", id, "odd("))},
		{Name: "the free plan cannot deploy it", Want: posture.NotApplicable,
			Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "free" })},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

// proposeDeployment appends a rule that runs a ruleset for all traffic in log mode, so that nothing
// is blocked before someone has reviewed the log (CFL-WAF-008).
func proposeDeployment(id string) propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		const phase = "http_request_firewall_managed"
		entry, rules, err := c.Rules(phase)
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			runs := propose.Flag(r, "enabled") && propose.Member(r, "action_parameters.id") == id
			if runs && exposure.Cover(propose.Text(r, "expression"), exposure.OfZone(c.Zone())).All == truth.Yes {
				return nil, nil
			}
		}
		return c.AppendMarked(phase, entry, map[string]any{"action": "execute", "expression": "true", "enabled": true, "description": c.Mark(),
			"action_parameters": map[string]any{"id": id, "overrides": map[string]any{"action": "log"}}})
	}
}
