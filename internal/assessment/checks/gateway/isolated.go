package gateway

import (
	"math"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// isolated judges whether risky pages open in an isolated browser.
func isolated() check.Check {
	return check.Check{
		ID: "CFL-RBI-001", Title: "Risky sites open in an isolated browser",
		Category: "rbi", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Browser Isolation runs the code of a page at Cloudflare and sends only what is drawn to the device. " +
			"Malicious code and downloads do not reach it.",
		Fix: "Turn on TLS decryption, then isolate security risks and new domains with uploads and downloads disabled.",
		Words: posture.Words{
			Problem: "Risky sites open without isolation in this account",
			Impact: "Someone who sends a link to a new domain runs code in the browser of a person, or takes their password " +
				"there.",
			Breaks: "Isolated sites feel slower, and people cannot upload or download files there.",
			Dashboard: "Zero Trust › Traffic policies › Firewall policies › HTTP › Add a policy: Content Categories in Security " +
				"Risks, action Isolate, with uploads and downloads disabled.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/gateway/rules",
				Body: `{"name": "Isolate risky sites", "action": "isolate", "enabled": true, "filters": ["http"], "traffic": ` +
					`"any(http.request.uri.content_category[*] in {32 169 177 128})", "rule_settings": {"biso_admin_controls": {"version": "v2", ` +
					`"upload": "disabled", "download": "disabled"}}}`},
			Terraform: `resource "cloudflare_zero_trust_gateway_policy" "risky_sites" {
  account_id = "{account_id}"
  name       = "Isolate risky sites"
  action     = "isolate"
  enabled    = true
  filters    = ["http"]
  traffic    = "any(http.request.uri.content_category[*] in {32 169 177 128})"
  rule_settings = {
    biso_admin_controls = {
      version  = "v2"
      upload   = "disabled"
      download = "disabled"
    }
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Supports("cis 9.3", "Risky sites run in a remote browser and not on the device."),
			check.Supports("soc2 CC6.8", "Malicious pages cannot install anything."),
			check.Supports("pci 5.2.1", "Isolation supports anti-malware on the devices."),
			check.Supports("nist PR.PS-05", "Code of risky sites does not run on devices."),
		},
		Aliases:  []string{"flareinspect:CFL-RBI-001"},
		Needs:    []snapshot.Named{snapshot.GatewayRules, snapshot.GatewayConfig},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Evaluate: evaluateIsolated,
	}
}

func isolatedExamples() []goodtest.Example {
	rule := func(change func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
		return editRule(goodtest.IsolateRule, change)
	}
	traffic := func(text string) func(*snapshot.Builder) {
		return rule(func(r *snapshot.GatewayRule) { r.Traffic = text })
	}
	controls := func(names ...string) func(*snapshot.Builder) {
		return rule(func(r *snapshot.GatewayRule) { r.Restricts = names })
	}
	flags := func(i *snapshot.GatewayIsolation) func(*snapshot.Builder) {
		return editConfig(func(s *snapshot.GatewaySettings) { s.Isolation = i })
	}
	return []goodtest.Example{
		{Name: "risky sites without transfer", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "only uploads are stopped", Want: posture.Pass, Edit: controls("upload")},
		{Name: "every site", Want: posture.Pass, Edit: traffic("")},
		{Name: "sites of unknown kind", Want: posture.Pass, Edit: traffic("not any(http.request.uri.content_category[*] in {1 2 3})")},
		{Name: "newly seen sites by content category", Want: posture.Pass, Edit: traffic("any(http.request.uri.content_category[*] in {177})")},
		{Name: "a rule without the switches of the settings", Want: posture.Pass, Edit: flags(nil)},
		{Name: "risky sites for one person", Want: posture.Warning, Resource: goodtest.Account, Edit: editRule(goodtest.IsolateRule,
			func(r *snapshot.GatewayRule) { r.Identity = `identity.email == "a@shop.example"` })},
		{Name: "risky sites in some hours", Want: posture.Warning, Edit: editRule(goodtest.IsolateRule,
			func(r *snapshot.GatewayRule) { r.Scheduled = true })},
		{Name: "offered and no rule", Want: posture.Fail, Resource: goodtest.Account, Edit: disable(goodtest.IsolateRule)},
		{Name: "offered to guests and no rule", Want: posture.Fail, Edit: goodtest.Edits(disable(goodtest.IsolateRule),
			flags(&snapshot.GatewayIsolation{NonIdentity: true}))},
		{Name: "nothing is inspected by a rule behind it", Want: posture.Warning, Edit: goodtest.Edits(
			addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}}),
			editRule("r9", func(r *snapshot.GatewayRule) { r.Precedence = 9999 }))},
		{Name: "everything is allowed, which is asked later", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "allow", Filters: []string{"http"}})},
		{Name: "nothing is isolated by a rule before it", Want: posture.Warning,
			Edit: addRule(snapshot.GatewayRule{Action: "noisolate", Filters: []string{"http"}})},
		{Name: "encrypted traffic is not seen", Want: posture.Warning,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = nil })},
		{Name: "data may leave", Want: posture.Warning, Resource: goodtest.Account, Edit: controls()},
		{Name: "only copying is stopped", Want: posture.Warning, Edit: controls("copy")},
		{Name: "one host", Want: posture.Warning, Resource: goodtest.Account, Edit: traffic(`http.request.host == "news.example"`)},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: traffic("http.request.uri.security_category ???")},
		{Name: "nothing of it", Want: posture.NotApplicable, Edit: goodtest.Edits(disable(goodtest.IsolateRule), flags(nil))},
		{Name: "offered to nobody and no rule", Want: posture.NotApplicable, Edit: goodtest.Edits(disable(goodtest.IsolateRule),
			flags(&snapshot.GatewayIsolation{}))},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
	}
}

// evaluateIsolated warns about a rule that only prevents copying, because files can still be moved.
func evaluateIsolated(v *check.View) check.Outcome {
	if notOnboarded(v) != "" || v.StatusOf(snapshot.GatewayConfig) != snapshot.OK {
		return v.NotApplicable("Gateway is not in use")
	}
	i := check.Read(v, snapshot.GatewayConfig).Isolation
	offered := i != nil && (i.URL || i.NonIdentity)
	everyRule := check.GatewayRules(v)
	rules := admission.EnabledRules(everyRule, "", "isolate")
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.GatewayRules, "", observed, "an isolate rule for risky sites that stops uploads or downloads")
	}
	switch {
	case !offered && len(rules) == 0:
		return v.NotApplicable("browser isolation is not in use")
	case len(rules) == 0:
		return v.Fail("Browser Isolation is available and no enabled rule isolates a site.",
			seen("no isolate rule")).As(isolateWords(everyRule, ""))
	}
	good, whole, behind := truth.No, truth.No, ""
	for _, r := range rules {
		restricts := slices.Contains(r.Restricts, "upload") || slices.Contains(r.Restricts, "download")
		right := truth.And(truth.Is(restricts && slices.Contains(r.Filters, "http")), risky(r))
		never := overtaken(r, "http", everyRule, everything)
		if truth.And(right, never) == truth.Yes {
			behind = r.Name
		}
		isolates := truth.And(right, truth.Not(never))
		good, whole = truth.Or(good, isolates), truth.Or(whole, truth.And(isolates, truth.Is(!admission.Limited(r))))
	}
	switch {
	case good == truth.Yes && !decrypts(v):
		return v.Warn("TLS decryption is off, so sites with HTTPS open without isolation.", notDecrypted()).
			As(decryptWords("HTTPS sites open without isolation in this account"))
	case good == truth.Yes && whole == truth.No:
		return v.Warn("Risky sites open in an isolated browser for some people, devices or hours only.", seen("only rules with a limit")).
			As(posture.Words{ByHand: true, Problem: "Risky sites are isolated for some people of this account only",
				Dashboard: "Zero Trust › Traffic policies › Firewall policies › HTTP › the isolate policy › Edit: remove the identity, the device " +
					"posture or the schedule."})
	case whole == truth.Yes:
		return v.Pass("Risky sites open in an isolated browser.")
	case good != truth.No:
		return v.Unknown("the expression of an isolate rule is not one this check can read")
	}
	if behind != "" {
		return v.Warn("The rule "+behind+" isolates risky sites and never applies: a rule before it matches all traffic.",
			seen("a rule behind one that takes all traffic")).As(neverAsked("The isolation rule of this account never applies"))
	}
	return v.Warn("No rule isolates risky sites and also disables uploads or downloads.", seen("no rule does both")).
		As(isolateWords(everyRule, "Isolation of this account leaves risky sites or files out"))
}

// risky reports whether a rule is about risk categories, or about uncategorised sites.
func risky(r admission.Rule) truth.Value {
	if strings.TrimSpace(r.Traffic) == "" {
		return truth.Yes
	}
	return admission.Tests(r, "category", func(e expression.Expr, negated bool) bool {
		m, ok := admission.MemberOf(e)
		switch {
		case !ok:
			return false
		case strings.HasSuffix(m.Field, "security_category"):
			return !negated
		default:
			return strings.HasSuffix(m.Field, "content_category") && (negated || m.Holds(risks()...))
		}
	})
}

// risks are Cloudflare's numbers of risk categories, which content rules may name too: threats and
// risks as groups, parked, new and newly seen domains.
func risks() []expression.Operand {
	return []expression.Operand{allThreats, expression.Number(32), expression.Number(128), expression.Number(169), expression.Number(177)}
}

// isolateWords returns the words for an account without such a rule. A new rule comes last among
// the isolation rules.
func isolateWords(rules []admission.Rule, problem string) posture.Words {
	last := admission.RuleOf(snapshot.GatewayRule{Action: "isolate", Precedence: math.Inf(1)}, nil)
	return posture.Words{Problem: problem, ByHand: overtaken(last, "http", rules, everything) != truth.No}
}
