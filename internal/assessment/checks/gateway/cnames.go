package gateway

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// cnames finds block rules that test only the queried name.
func cnames() check.Check {
	return check.Check{
		ID: "CFL-GW-008", Title: "DNS block policies judge the names behind a CNAME",
		Category: "gateway", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "A harmless name can be an alias of a malicious one. Gateway compares the categories of every name in the answer, unless " +
			"the policy ignores matches of CNAME records.",
		Fix: "Turn off Ignore CNAME category matches in the policy, and except the few names that need it by an Allow policy.",
		Words: posture.Words{
			Problem:   "Gateway rule {name} ignores malicious domains behind a CNAME",
			Impact:    "Someone points an unknown domain at a listed one, and people reach what the rule blocks.",
			Breaks:    "Sites whose content network has a blocked category stop resolving until an Allow policy names them.",
			Dashboard: ruleIn("DNS", "turn Ignore CNAME category matches off."),
			Call:      ruleCall(`.rule_settings.ignore_cname_category_matches = false`),
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "rule" {
  account_id    = "{account_id}"
  name          = "{name}"
  action        = "block"
  enabled       = true
  filters       = ["dns"]
  rule_settings = { ignore_cname_category_matches = false }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/traffic-policies/domain-categories/"},
		Controls: check.Controls{
			check.Supports("cis 9.2", "The DNS filter sees the domain that an answer leads to."),
			check.Supports("soc2 CC6.8", "Malicious domains are blocked behind an alias, too."),
			check.Supports("nist PR.PS-05", "Software is not fetched from a listed domain under another name."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notOnboarded,
		Evaluate: evaluateCNAMEs,
	}
}

func cnamesExamples() []goodtest.Example {
	rule := func(action, traffic string) func(*snapshot.Builder) {
		return addRule(snapshot.GatewayRule{Action: action, Filters: []string{"dns"}, Traffic: traffic, SkipsCNAMEs: true})
	}
	const threats, content = "any(dns.security_category[*] in {80 117 131})", "any(dns.content_category[*] in {125})"
	return []goodtest.Example{
		{Name: "judged", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a rule that allows", Want: posture.Pass, Edit: rule("allow", threats)},
		{Name: "a rule without categories", Want: posture.Pass, Edit: rule("block", `dns.fqdn == "a.example"`)},
		{Name: "switched off", Want: posture.Pass, Edit: goodtest.Edits(rule("block", threats), disable("r9"))},
		{Name: "threats", Want: posture.Fail, Resource: "r9", Edit: rule("block", threats)},
		{Name: "threats in the rule that is there", Want: posture.Fail, Resource: goodtest.DNSRule,
			Edit: editRule(goodtest.DNSRule, func(r *snapshot.GatewayRule) { r.SkipsCNAMEs = true })},
		{Name: "kinds of content", Want: posture.Warning, Resource: "r9", Edit: rule("block", content)},
		{Name: "Gateway has no rule", Want: posture.NotApplicable, Edit: editRules(func(rs *[]snapshot.GatewayRule) { *rs = nil })},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
	}
}

func evaluateCNAMEs(v *check.View) check.Outcome {
	j := v.Judge()
	for _, r := range check.GatewayRules(v) {
		seen := check.Evidence(snapshot.GatewayRules, "/"+r.ID+"/rule_settings/ignore_cname_category_matches", "true", "false")
		asked := r.Enabled && r.SkipsCNAMEs && r.Action == "block" && slices.Contains(r.Filters, "dns")
		switch {
		case asked && strings.Contains(r.Traffic, "security_category"):
			j.Fail(resourceOf(r), "The rule "+r.Name+" blocks malicious domains and ignores those behind a CNAME record.", seen)
		case asked && strings.Contains(r.Traffic, "category"):
			j.Warn(resourceOf(r), "The rule "+r.Name+" blocks kinds of sites and ignores those behind a CNAME record.", seen)
			j.As(posture.Words{Problem: "Gateway rule {name} ignores blocked sites behind a CNAME"})
		default:
			j.Pass()
		}
	}
	return j.Done("Block rules judge every name of an answer.", "Gateway has no rule")
}
