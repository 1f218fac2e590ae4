package gateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// inspected judges whether Gateway inspects encrypted traffic.
func inspected() check.Check {
	return check.Check{
		ID: "CFL-GW-002", Title: "Encrypted traffic is inspected and scanned",
		Category: "gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Without TLS decryption Gateway sees the hostname of an HTTPS request and nothing of its content. HTTP " +
			"policies, DLP and antivirus need the content.",
		Fix: "Install the Gateway root certificate on devices, then turn on TLS decryption and antivirus scanning.",
		Words: posture.Words{
			Problem: "Gateway does not inspect HTTPS traffic in this account",
			Impact:  "Someone who hosts malware on an HTTPS site, or sends data out to one, passes every HTTP policy and scan.",
			Breaks: "Applications with pinned certificates and devices without the root certificate fail; files that cannot " +
				"be scanned are blocked.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › Proxy and inspection › Inspect HTTPS requests with " +
				"TLS decryption: On, then antivirus inspection.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/gateway/configuration",
				Body: `{"settings": {"tls_decrypt": {"enabled": true}, "antivirus": {"enabled_download_phase": true, "enabled_upload_phase": ` +
					`true, "fail_closed": true}}}`},
			Terraform: `resource "cloudflare_zero_trust_gateway_settings" "gateway" {
  account_id = "{account_id}"
  settings = {
    tls_decrypt = { enabled = true }
    antivirus = {
      enabled_download_phase = true
      enabled_upload_phase   = true
      fail_closed            = true
    }
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Supports("cis 10.1", "Downloads are scanned for malware in encrypted traffic too."),
			check.Supports("cis 9.3", "Without inspection a filter sees names and not addresses."),
			check.Shows("soc2 CC6.8", "Malicious software is looked for in what users fetch."),
			check.Supports("pci 5.2.1", "Traffic is scanned; systems need protection of their own as well."),
			check.Supports("nist PR.PS-05", "Unauthorised software is found while it is being fetched."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayConfig, snapshot.GatewayRules},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Evaluate: evaluateInspected,
	}
}

func inspectedExamples() []goodtest.Example {
	off := false
	scan := func(change func(*snapshot.GatewayAntivirus)) func(*snapshot.Builder) {
		return editConfig(func(s *snapshot.GatewaySettings) { change(s.Antivirus) })
	}
	return []goodtest.Example{
		{Name: "inspected and scanned", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a rule excepts everything of healthy devices", Want: posture.Pass, Edit: addRule(snapshot.GatewayRule{Action: "off",
			Filters: []string{"http"}, DevicePosture: `any(device_posture.checks.passed[*] in {"d"})`})},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Account,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = &off })},
		{Name: "never set", Want: posture.Fail, Resource: goodtest.Account,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = nil })},
		{Name: "no scan", Want: posture.Warning, Resource: goodtest.Account,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.Antivirus = nil })},
		{Name: "uploads are not scanned", Want: posture.Warning, Resource: goodtest.Account,
			Edit: scan(func(a *snapshot.GatewayAntivirus) { a.Upload = false })},
		{Name: "downloads are not scanned", Want: posture.Warning, Resource: goodtest.Account,
			Edit: scan(func(a *snapshot.GatewayAntivirus) { a.Download = false })},
		{Name: "what cannot be scanned passes", Want: posture.Warning, Resource: goodtest.Account,
			Edit: scan(func(a *snapshot.GatewayAntivirus) { a.FailClosed = false })},
		{Name: "a rule excepts everything", Want: posture.Fail, Edit: addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}})},
		{Name: "a rule excepts everything by a pattern", Want: posture.Fail,
			Edit: addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}, Traffic: `http.request.host matches ".*"`})},
		{Name: "a rule excepts everything of some people", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}, Identity: `identity.email == "ann@shop.example"`})},
		{Name: "a rule excepts all but one site", Want: posture.Warning, Resource: goodtest.Account,
			Edit: addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}, Traffic: `not(http.request.host == "bank.example")`})},
		{Name: "a rule excepts one site", Want: posture.Pass,
			Edit: addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}, Traffic: `http.request.host == "bank.example"`})},
		{Name: "a rule keeps all files from the scan", Want: posture.Warning,
			Edit: addRule(snapshot.GatewayRule{Action: "noscan", Filters: []string{"http"}})},
		{Name: "an exception nobody can read", Want: posture.Unknown,
			Edit: addRule(snapshot.GatewayRule{Action: "off", Filters: []string{"http"}, Traffic: "odd("})},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
		{Name: "Gateway has no configuration", Want: posture.NotApplicable,
			Edit: func(b *snapshot.Builder) { b.Mark(snapshot.GatewayConfig.Source(), snapshot.Absent, "", "") }},
	}
}

func evaluateInspected(v *check.View) check.Outcome {
	if v.StatusOf(snapshot.GatewayConfig) != snapshot.OK {
		return v.NotApplicable("Gateway is not in use")
	}
	s := check.Read(v, snapshot.GatewayConfig)
	seen := func(member, observed, expected string) posture.Evidence {
		return check.Evidence(snapshot.GatewayConfig, "/"+member, observed, expected)
	}
	uninspected, by := exceptsAll(check.GatewayRules(v), "off", everything)
	nearly, most := exceptsAll(check.GatewayRules(v), "off", mostly)
	unscanned, of := exceptsAll(check.GatewayRules(v), "noscan", everything)
	rule := func(r admission.Rule) posture.Evidence {
		return shown(check.Evidence(snapshot.GatewayRules, "/"+r.ID+"/traffic", r.Traffic, "a condition that names what is excepted"))
	}
	switch {
	case s.TLSDecrypt == nil || !*s.TLSDecrypt:
		return v.Fail("TLS decryption is off in Gateway.", seen("tls_decrypt", "off", "on"))
	case uninspected == truth.Yes:
		return v.Fail("The rule "+by.Name+" keeps Gateway from inspecting any traffic.", rule(by)).
			As(neverAsked("A rule turns TLS inspection off for this account"))
	case nearly == truth.Yes:
		return v.Warn("The rule "+most.Name+" keeps Gateway from inspecting all traffic but what it names.", rule(most)).
			As(neverAsked("A rule of this account leaves nearly all traffic uninspected"))
	case s.Antivirus == nil:
		return v.Warn("Antivirus scanning was never turned on in Gateway.", seen("antivirus", "null", "on for downloads and uploads")).
			As(scanWords("Gateway scans no files in this account"))
	case !s.Antivirus.Download || !s.Antivirus.Upload:
		return v.Warn("Antivirus scanning is off for uploads, for downloads or for both.",
			seen("antivirus", "off in one phase", "on for downloads and uploads")).As(scanWords("Gateway does not scan all files in this account"))
	case !s.Antivirus.FailClosed:
		return v.Warn("Files that Gateway cannot scan are let through.", seen("antivirus/fail_closed", "false", "true")).
			As(scanWords("Files that cannot be scanned pass in this account"))
	case unscanned == truth.Yes:
		return v.Warn("The rule "+of.Name+" keeps Gateway from scanning any file.", rule(of)).
			As(neverAsked("A rule turns antivirus scanning off for this account"))
	case uninspected == truth.Undecided || unscanned == truth.Undecided:
		return v.Unknown("the expression of a rule that excepts traffic is not one this check can read")
	}
	return v.Pass("Encrypted traffic is inspected and scanned.")
}

// exceptsAll looks for an HTTP rule with the given action that exempts all traffic of everyone, as
// a fact tells.
func exceptsAll(rules []admission.Rule, action string, fact func(expression.Expr) exposure.Fact) (truth.Value, admission.Rule) {
	out, by := truth.No, admission.Rule{}
	for _, r := range admission.EnabledRules(rules, "http", action) {
		if whole := admission.Covers(r, fact).All; !admission.Limited(r) && whole != truth.No && out != truth.Yes {
			out, by = whole, r
		}
	}
	return out, by
}

// decrypts reports whether Gateway decrypts traffic, which rules on content and isolation need
// (developers.cloudflare.com/cloudflare-one/traffic-policies/http-policies/tls-decryption/).
func decrypts(v *check.View) bool {
	on := check.Read(v, snapshot.GatewayConfig).TLSDecrypt
	return v.StatusOf(snapshot.GatewayConfig) != snapshot.OK || on != nil && *on
}

func notDecrypted() posture.Evidence {
	return check.Evidence(snapshot.GatewayConfig, "/tls_decrypt", "off", "on")
}

func scanWords(problem string) posture.Words {
	return posture.Words{Problem: problem,
		Impact: "Someone who hosts malware, or sends it in a file, gets it onto a device past Gateway.",
		Breaks: "Files that cannot be scanned, such as very large or encrypted ones, are blocked.",
		Dashboard: "Zero Trust › Traffic policies › Traffic settings › Policy settings › Scan files for malware: On for uploads and " +
			"downloads, and block files that cannot be scanned."}
}
