package gateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// inspected judges whether Gateway sees into encrypted traffic.
func inspected() check.Check {
	return check.Check{
		ID: "CFL-GW-002", Title: "Encrypted traffic is inspected and scanned",
		Category: "gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why:        "Most malware arrives over HTTPS and stays invisible otherwise.",
		Fix:        "Roll out the root certificate, then enable decryption and scanning.",
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Supports("cis 10.1", "Downloads are scanned for malware in encrypted traffic too."),
			check.Supports("cis 9.3", "Without inspection a filter sees names and not addresses."),
			check.Shows("soc2 CC6.8", "Malicious software is looked for in what users fetch."),
			check.Supports("pci 5.2.1", "Traffic is scanned; systems need protection of their own as well."),
			check.Supports("nist PR.PS-05", "Unauthorised software is found while it is being fetched."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayConfig},
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
	switch {
	case s.TLSDecrypt == nil || !*s.TLSDecrypt:
		return v.Fail("Gateway does not look into encrypted traffic.", seen("tls_decrypt", "off", "on"))
	case s.Antivirus == nil:
		return v.Warn("Gateway scans no files.", seen("antivirus", "null", "on for downloads and uploads"))
	case !s.Antivirus.Download || !s.Antivirus.Upload:
		return v.Warn("Gateway scans files in one direction at most.", seen("antivirus", "off in one phase", "on for downloads and uploads"))
	case !s.Antivirus.FailClosed:
		return v.Warn("Files that Gateway cannot scan pass.", seen("antivirus/fail_closed", "false", "true"))
	}
	return v.Pass("Encrypted traffic is inspected and scanned.")
}
