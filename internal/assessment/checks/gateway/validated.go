package gateway

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// validated finds rules that accept forged answers of signed zones.
func validated() check.Check {
	return check.Check{
		ID: "CFL-GW-007", Title: "DNS policies keep DNSSEC validation on",
		Category: "gateway", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "The resolver of Gateway refuses answers whose DNSSEC signature is wrong. An Allow policy can switch that off for the " +
			"names it matches, which is meant for domains whose signatures are broken.",
		Fix: "Turn DNSSEC validation on again in the policy, or narrow the policy to the domain whose signatures are broken.",
		Words: posture.Words{
			Problem:   "Gateway rule {name} turns DNSSEC validation off",
			Impact:    "Someone who forges answers of a signed domain on the way to Gateway sends people to another server.",
			Breaks:    "Domains with broken signatures do not resolve until a narrow policy names them.",
			Dashboard: ruleIn("DNS", "turn Disable DNSSEC validation off."),
			Call:      ruleCall(`.rule_settings.insecure_disable_dnssec_validation = false`),
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "rule" {
  account_id    = "{account_id}"
  name          = "{name}"
  action        = "allow"
  enabled       = true
  filters       = ["dns"]
  rule_settings = { insecure_disable_dnssec_validation = false }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/traffic-policies/dns-policies/"},
		Controls: check.Controls{
			check.Supports("cis 9.2", "Names are resolved by a service that checks its answers."),
			check.Supports("soc2 CC6.6", "Forged answers from outside are refused."),
			check.Supports("nist PR.DS-02", "Answers of signed domains are checked on their way."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notOnboarded,
		Evaluate: evaluateValidated,
	}
}

func validatedExamples() []goodtest.Example {
	rule := func(action, traffic string) func(*snapshot.Builder) {
		return addRule(snapshot.GatewayRule{Action: action, Filters: []string{"dns"}, Traffic: traffic, NoDNSSEC: true})
	}
	return []goodtest.Example{
		{Name: "validated", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one domain", Want: posture.Pass, Edit: rule("allow", `any(dns.domains[*] in {"broken.example"})`)},
		{Name: "a rule that blocks", Want: posture.Pass, Edit: rule("block", "")},
		{Name: "switched off", Want: posture.Pass, Edit: goodtest.Edits(rule("allow", ""), disable("r9"))},
		{Name: "every name", Want: posture.Fail, Resource: "r9", Edit: rule("allow", "")},
		{Name: "every name by a pattern", Want: posture.Fail, Resource: "r9", Edit: rule("allow", `dns.fqdn matches ".*"`)},
		{Name: "a top-level domain", Want: posture.Warning, Resource: "r9", Edit: rule("allow", `any(dns.domains[*] in {"example"})`)},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "r9", Edit: rule("allow", "???")},
		{Name: "Gateway has no rule", Want: posture.NotApplicable, Edit: editRules(func(rs *[]snapshot.GatewayRule) { *rs = nil })},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
	}
}

func evaluateValidated(v *check.View) check.Outcome {
	rules := check.GatewayRules(v)
	j := v.Judge()
	for _, r := range rules {
		if !r.Enabled || !r.NoDNSSEC || r.Action != "allow" || !slices.Contains(r.Filters, "dns") {
			j.Pass()
			continue
		}
		seen := check.Evidence(snapshot.GatewayRules, "/"+r.ID+"/rule_settings/insecure_disable_dnssec_validation", "true for "+matched(r),
			"false")
		switch reachOf(r, "dns", rules) {
		case all:
			j.Fail(resourceOf(r), "The rule "+r.Name+" turns DNSSEC validation off for every name.", seen)
		case some:
			j.Warn(resourceOf(r), "The rule "+r.Name+" turns DNSSEC validation off for many names, or for all names of some people.", seen)
		case unclear:
			j.Unclear(resourceOf(r), "the expression of the rule is not one this check can read")
		default:
			j.Pass()
		}
	}
	return j.Done("No rule turns DNSSEC validation off for many names.", "Gateway has no rule")
}
