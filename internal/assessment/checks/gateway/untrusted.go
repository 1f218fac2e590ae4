package gateway

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// untrusted finds rules that accept any certificate of a site. A browser behind Gateway sees only
// Gateway's certificate, so nothing else verifies it.
func untrusted() check.Check {
	return check.Check{
		ID: "CFL-GW-006", Title: "HTTP policies refuse sites with an invalid certificate",
		Category: "gateway", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "With TLS decryption, Gateway checks the certificate of a site in place of the browser. A policy that passes untrusted " +
			"certificates through switches that check off, and the browser shows a valid certificate of Gateway.",
		Fix: "Set the untrusted certificate action of the policy to Error or Block, or narrow the policy to the hosts that need it.",
		Words: posture.Words{
			Problem: "Gateway rule {name} accepts sites with any certificate",
			Impact: "Someone on the way between Cloudflare and a site answers in its place, and people see a padlock while passwords " +
				"and downloads are theirs.",
			Breaks:    "Sites with an expired or self-signed certificate show an error page until a narrow policy names them.",
			Dashboard: ruleIn("HTTP", "Untrusted certificate action: Error or Block."),
			Call:      ruleCall(`.rule_settings.untrusted_cert = {action: "error"}`),
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "rule" {
  account_id    = "{account_id}"
  name          = "{name}"
  action        = "allow"
  enabled       = true
  filters       = ["http"]
  rule_settings = { untrusted_cert = { action = "error" } }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/traffic-policies/http-policies/#untrusted-certificates"},
		Controls: check.Controls{
			check.Supports("cis 9.3", "Traffic goes to the site that was asked for."),
			check.Supports("soc2 CC6.7", "Data that people send is protected on its way to the right site."),
			check.Touches("pci 4.2.1", "It is about certificates of sites that people visit, not about those of the payment service."),
			check.Supports("nist PR.DS-02", "Data on the wire goes to a server whose certificate was checked."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayRules, snapshot.GatewayConfig},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notDecrypting,
		Evaluate: evaluateUntrusted,
	}
}

func untrustedExamples() []goodtest.Example {
	rule := func(action, traffic string, changes ...func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
		r := snapshot.GatewayRule{Action: "allow", Filters: []string{"http"}, Traffic: traffic, Untrusted: action}
		for _, change := range changes {
			change(&r)
		}
		return addRule(r)
	}
	host := `http.request.host == "printer.example"`
	return []goodtest.Example{
		{Name: "no rule says so", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one host", Want: posture.Pass, Edit: rule("pass_through", host)},
		{Name: "blocked", Want: posture.Pass, Edit: rule("block", "")},
		{Name: "an error page", Want: posture.Pass, Edit: rule("error", "")},
		{Name: "switched off", Want: posture.Pass, Edit: goodtest.Edits(rule("pass_through", ""), disable("r9"))},
		{Name: "nothing is inspected before it", Want: posture.Pass, Edit: goodtest.Edits(rule("pass_through", ""),
			addRule(snapshot.GatewayRule{ID: "r8", Name: "Off", Action: "off", Filters: []string{"http"}}))},
		{Name: "everything is blocked before it", Want: posture.Pass, Edit: goodtest.Edits(rule("pass_through", ""),
			addRule(snapshot.GatewayRule{ID: "r8", Name: "Closed", Action: "block", Filters: []string{"http"}}),
			editRule("r8", func(r *snapshot.GatewayRule) { r.Precedence = 1 }))},
		{Name: "every address by a pattern", Want: posture.Fail, Resource: "r9",
			Edit: rule("pass_through", `http.request.uri matches "^https://"`)},
		{Name: "every site", Want: posture.Fail, Resource: "r9", Edit: rule("pass_through", "")},
		{Name: "every site, in capitals", Want: posture.Fail, Resource: "r9", Edit: rule("PASS_THROUGH", "")},
		{Name: "every site by a pattern", Want: posture.Fail, Resource: "r9", Edit: rule("pass_through", `http.request.host matches ".*"`)},
		{Name: "every site of some people", Want: posture.Warning, Resource: "r9",
			Edit: rule("pass_through", "", func(r *snapshot.GatewayRule) { r.Identity = `identity.email == "a@shop.example"` })},
		{Name: "a top-level domain", Want: posture.Warning, Resource: "r9",
			Edit: rule("pass_through", `any(http.conn.domains[*] in {"example"})`)},
		{Name: "an action nobody knows", Want: posture.Unknown, Resource: "r9", Edit: rule("ask", "")},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "r9", Edit: rule("pass_through", "???")},
		{Name: "browsers check for themselves", Want: posture.NotApplicable, Edit: goodtest.Edits(rule("pass_through", ""),
			editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = nil }))},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
	}
}

func evaluateUntrusted(v *check.View) check.Outcome {
	rules := check.GatewayRules(v)
	j := v.Judge()
	for _, r := range rules {
		action := strings.ToLower(r.Untrusted)
		if !r.Enabled || slices.Contains([]string{"", "error", "block"}, action) || !slices.Contains(r.Filters, "http") {
			j.Pass()
			continue
		}
		seen := check.Evidence(snapshot.GatewayRules, "/"+r.ID+"/rule_settings/untrusted_cert", action+" for "+matched(r), "error or block")
		switch reach := reachOf(r, "http", rules); {
		case action != "pass_through" || reach == unclear:
			j.Unclear(resourceOf(r), "the action or the expression of the rule is not one this check can read")
		case reach == all:
			j.Fail(resourceOf(r), "The rule "+r.Name+" accepts any certificate of any site.", seen)
		case reach == some:
			j.Warn(resourceOf(r), "The rule "+r.Name+" accepts any certificate of many sites, or of all sites for some people.", seen)
		default:
			j.Pass()
		}
	}
	return j.Done("Sites with an invalid certificate are refused.", "Gateway has no rule")
}

// notDecrypting returns the reason when Gateway does not decrypt traffic, or "".
func notDecrypting(v *check.View) string {
	if notOnboarded(v) != "" || v.StatusOf(snapshot.GatewayConfig) != snapshot.OK {
		return "Gateway is not in use"
	}
	if !decrypts(v) {
		return "TLS decryption is off, which CFL-GW-002 judges"
	}
	return ""
}
