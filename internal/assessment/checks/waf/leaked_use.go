package waf

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// credentialHeader is the managed transform that tells the origin about a leaked password
// (developers.cloudflare.com/rules/transform/managed-transforms/reference/).
const credentialHeader = "add_waf_credential_check_status_header"

// leakedUse judges whether anything acts on a leaked password: a rule, or the origin, which
// receives a header.
func leakedUse() check.Check {
	custom, rate := snapshot.ZonePhaseCustom, snapshot.ZonePhaseRate
	return check.Check{
		ID: "CFL-LEAK-002", Title: "The leaked-credential signal is acted on",
		Category: "credentials", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Leaked credentials detection only marks a request. A rule has to challenge or limit it, or the application " +
			"has to read the mark and demand a new password.",
		Fix: "Pass the result to the application in a header, or challenge logins with leaked passwords by a custom rule.",
		Words: posture.Words{
			Problem:   "Nothing acts on leaked credentials on {zone}",
			Impact:    "Someone who logs in with a leaked password is recognised and let in all the same.",
			Breaks:    "Nothing by the header alone; a rule challenges visitors whose password was leaked.",
			Dashboard: "Rules › Settings › Managed Transforms › Add Leaked Credentials Checks Header: On.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/managed_headers",
				Body: `{"managed_request_headers": [{"id": "add_waf_credential_check_status_header", "enabled": true}],
  "managed_response_headers": []}`},
			Terraform: `# The resource holds all rules of the phase.
resource "cloudflare_ruleset" "custom" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_request_firewall_custom"
  rules = [{
    action      = "managed_challenge"
    expression  = "cf.waf.credential_check.password_leaked"
    description = "Challenge leaked passwords"
    enabled     = true
  }]
}`},
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/rules/transform/managed-transforms/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Logins with a leaked password are challenged or blocked."),
			check.Supports("soc2 CC6.1", "A leaked password alone does not open the application."),
			check.Supports("pci 6.4.2", "Credential stuffing is stopped automatically; other attacks are for the WAF."),
			check.Supports("nist PR.AA-03", "A login with a leaked password has to prove more."),
		},
		Needs: []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZoneLeakedCredentials, custom, rate, snapshot.ZoneManagedHeaders,
			snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateLeakedUse,
	}
}

func evaluateLeakedUse(v *check.View) check.Outcome {
	switch on := check.Read(v, snapshot.ZoneLeakedCredentials).Enabled; {
	case on == nil:
		return v.Unknown("Cloudflare did not say whether the detection is on")
	case !*on:
		return v.NotApplicable("leaked credentials are not detected (CFL-LEAK-001)")
	}
	if check.Read(v, snapshot.ZoneManagedHeaders).Request[credentialHeader] {
		return v.Pass("The origin is told about leaked credentials.")
	}
	if nothingPasses(firewall(v, traffic.CustomRules)) {
		return v.Pass("Custom rules block every request to the zone.")
	}
	use := usesOf(v, leakedCredential, traffic.CustomRules, traffic.RateLimits)
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePhaseCustom, "/rules", observed, "a rule that acts on a leaked-credential field, or the "+
			"managed header "+
			credentialHeader)
	}
	switch {
	case use.acts == truth.Yes:
		return v.Pass("A rule acts on leaked credentials.")
	case use.acts == truth.Undecided || use.logs == truth.Undecided:
		return undecided(v, firewall(v, traffic.RateLimits), "a rule could not be read, so whether one acts on leaked credentials is not known")
	case use.logs == truth.Yes:
		return v.Warn("The rules of "+v.Zone().Name+" that read leaked credentials only log.", seen("only rules that log")).
			As(posture.Words{Problem: "Leaked credentials on {zone} are only logged"})
	}
	return v.Fail("Leaked credentials are detected on "+v.Zone().Name+", and no rule reads the result.", seen("no rule reads such a field"))
}

func leakedUseExamples() []goodtest.Example {
	custom, rate := snapshot.ZonePhaseCustom, snapshot.ZonePhaseRate
	signal := "cf.waf.credential_check.password_leaked"
	none := goodtest.Edits(zoneRules(custom), zoneRules(rate))
	return []goodtest.Example{
		{Name: "a rule challenges", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Zone, Edit: none},
		{Name: "a rate limit acts", Want: posture.Pass, Edit: goodtest.Edits(none, zoneRules(rate, rule("l", "block", signal)))},
		{Name: "a rule for what is not leaked", Want: posture.Fail, Edit: goodtest.Edits(none, zoneRules(custom,
			rule("c", "block", "not "+signal+` and http.request.uri.path eq "/x"`)))},
		{Name: "a rule for what is not leaked, compared", Want: posture.Fail, Edit: goodtest.Edits(none, zoneRules(custom,
			rule("c", "block", signal+` eq false and http.request.uri.path eq "/x"`)))},
		{Name: "a rule for what is leaked, negated twice", Want: posture.Pass, Edit: goodtest.Edits(none, zoneRules(custom,
			rule("c", "block", "not "+signal+" eq false")))},
		{Name: "a rule for what is not leaked, or for a path", Want: posture.Fail, Edit: goodtest.Edits(none, zoneRules(custom,
			rule("c", "block", signal+` ne true or http.request.uri.path eq "/x"`)))},
		{Name: "a limit that nobody reaches", Want: posture.Fail, Edit: goodtest.Edits(none, zoneRules(rate, limited(signal, 1_000_000, 10)))},
		{Name: "the origin is told", Want: posture.Pass, Edit: goodtest.Edits(none, requestHeader(credentialHeader, true))},
		{Name: "only logged", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: goodtest.Edits(none, zoneRules(custom, rule("c", "log", signal)))},
		{Name: "the rule is off", Want: posture.Fail, Edit: goodtest.Edits(none, zoneRules(custom, goodtest.Off(rule("c", "block", signal))))},
		{Name: "the field in a text is no test", Want: posture.Fail,
			Edit: goodtest.Edits(none, zoneRules(custom, rule("c", "block", `http.user_agent contains "`+signal+`"`)))},
		{Name: "an expression nobody can read", Want: posture.Unknown,
			Edit: goodtest.Edits(none, zoneRules(custom, rule("c", "block", "odd("+signal)))},
		{Name: "a rule of the account challenges", Want: posture.Pass,
			Edit: goodtest.Edits(none, accountPhase(snapshot.AccountPhaseCustom, rule("a", "managed_challenge", signal)))},
		{Name: "a ruleset of the account challenges", Want: posture.Pass, Edit: goodtest.Edits(none,
			accountPhase(snapshot.AccountPhaseCustom, execute("e", "cr", "true")), customRuleset("cr", rule("a", "block", signal)))},
		{Name: "a rule of the account for another zone", Want: posture.Fail, Edit: goodtest.Edits(none,
			accountPhase(snapshot.AccountPhaseCustom, rule("a", "block", signal+` and cf.zone.name eq "other.example"`)))},
		{Name: "a rule of the account, on a plan without them", Want: posture.Fail, Edit: goodtest.Edits(none, goodtest.Plan("pro"),
			accountPhase(snapshot.AccountPhaseCustom, rule("a", "block", signal)))},
		{Name: "a rule after one that skips the rest for everybody", Want: posture.Fail,
			Edit: goodtest.Edits(none, zoneRules(custom, skipRest("true"), rule("c", "block", signal)))},
		{Name: "custom rules block all", Want: posture.Pass, Edit: goodtest.Edits(none, zoneRules(custom, rule("c", "block", "true")))},
		{Name: "the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(none, goodtest.Denied(snapshot.AccountPhaseCustom))},
		{Name: "detection is off", Want: posture.NotApplicable, Edit: goodtest.Edits(none, detection(truth.No))},
		{Name: "not returned", Want: posture.Unknown, Edit: detection(truth.Undecided)},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(none, goodtest.NotProxied())},
	}
}
