package waf

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// rateLimit judges whether a limit is in force. Account limits live in custom
// rulesets, so those are read as well.
func rateLimit() check.Check {
	return check.Check{
		ID: "CFL-WAF-003", Title: "Rate limiting is enforced",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Without limits password guessing and scraping run at line speed.",
		Fix: "Create a rule for the most expensive or sensitive paths.",
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: posture.Controls{CIS: []string{"13.10"}, SOC2: []string{"CC6.6"}, PCI: []string{"6.4.2"}, NIST: []string{"PR.IR-01"}},
		Aliases:  []string{"prowler:zone_rate_limiting_enabled", "grclanker:CF-TRF-01", "flareinspect:CFL-WAF-003"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/rulesets/{ruleset_id}/rules", Risk: "medium", Reversible: true,
			Body: "one rule: expression given by the operator, ratelimit {characteristics: [cf.colo.id, ip.src], period, requests_per_period, " +
				"mitigation_timeout}, action block, description with our mark; if the phase has no entry point, PUT it once with this single rule",
			Inverse: "DELETE the created rule id; if the entry point was created by us and is empty, leave it empty",
			Caution: "Plan limits the number of rules and periods; thresholds come from the operator.",
			Inputs:  limitInputs(),
			Propose: proposeLimit},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseRate, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.AccountRulesets, snapshot.AccountPhaseRate, snapshot.AccountRulesetCustom},
		Evaluate: evaluateRateLimit,
	}
}

func rateLimitExamples() []goodtest.Example {
	phase, account := snapshot.ZonePhaseRate, snapshot.AccountPhaseRate
	return []goodtest.Example{
		{Name: "a limit blocks", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "an entry point without rules", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneRules(phase)},
		{Name: "the limit only counts", Want: posture.Fail, Edit: zoneRules(phase, rule("l1", "log", "true"))},
		{Name: "the limit is disabled", Want: posture.Fail, Edit: zoneRules(phase, goodtest.Off(rule("l1", "block", "true")))},
		{Name: "the account limits", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(phase),
			accountPhase(account, rule("l1", "block", "true")))},
		{Name: "a ruleset of the account limits", Want: posture.Pass,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, execute("e1", "cr", `cf.zone.name in {"shop.example"}`)),
				customRuleset("cr", rule("l1", "managed_challenge", "true")))},
		{Name: "the account limits another zone", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(phase), accountPhase(account, rule("l1", "block", `cf.zone.name eq "other.example"`)))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase), denied(account))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

// limits: a rule that logs or skips stops nothing.
func limits(r snapshot.Rule) bool { return r.Action != "log" && r.Action != "skip" && r.Action != "" }

func evaluateRateLimit(v *check.View) check.Outcome {
	if reason := check.LiveTraffic(v); reason != "" {
		return v.NotApplicable(reason)
	}
	rules := check.Read(v, snapshot.ZonePhaseRate).Rules
	for _, r := range rules {
		if r.Enabled && limits(r) {
			return v.Pass("The rate limiting rule %s is in force.", r.Name())
		}
	}
	account := accountRules(v, snapshot.AccountPhaseRate, func(r snapshot.Rule) truth.Value { return truth.Is(limits(r)) })
	switch account.counts {
	case truth.Yes:
		return v.Pass("A rate limiting rule of the account is in force on the zone.")
	case truth.No:
		return v.Fail("No rate limit is in force on "+v.Zone().Name+".",
			check.Evidence(snapshot.ZonePhaseRate, "/rules", fmt.Sprintf("%d rules, none of which limits", len(rules)),
				"an enabled rule with an action other than log"))
	}
	return v.Unknown("no rate limit of the zone is in force; whether one of the account is, is not known")
}
