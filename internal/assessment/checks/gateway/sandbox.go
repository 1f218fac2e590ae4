package gateway

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// sandboxed judges what happens to files that the sandbox cannot run.
func sandboxed() check.Check {
	return check.Check{
		ID: "CFL-GW-010", Title: "Files that cannot be sandboxed are held back",
		Category: "gateway", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Quarantine policy sends files that were never seen before to a sandbox. The fallback action decides about files that " +
			"it cannot open, such as encrypted archives.",
		Fix: "Set the fallback action of file sandboxing to Block, and tell people how to ask for a file.",
		Words: posture.Words{
			Problem: "Files that the sandbox cannot open pass in this account",
			Impact:  "Someone who sends malware in an archive with a password gets it onto a device past the sandbox.",
			Breaks:  "Downloads of encrypted or very large files are blocked.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › Policy settings › File sandboxing: Block requests for files " +
				"that cannot be scanned.",
			Call: posture.Call{Method: "PATCH", Path: configPath,
				Body: `{"settings": {"sandbox": {"enabled": true, "fallback_action": "block"}}}`},
			Terraform: `resource "cloudflare_zero_trust_gateway_settings" "gateway" {
  account_id = "{account_id}"
  settings   = { sandbox = { enabled = true, fallback_action = "block" } }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/traffic-policies/http-policies/file-sandboxing/"},
		Controls: check.Controls{
			check.Supports("cis 10.1", "Files that cannot be examined do not reach a device."),
			check.Supports("soc2 CC6.8", "Malicious software is kept out when it cannot be recognised."),
			check.Touches("pci 5.2.1", "It adds to the protection of systems and is none by itself."),
		},
		Needs:    []snapshot.Named{snapshot.GatewayConfig, snapshot.GatewayRules},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Unless:   notDecrypting,
		Evaluate: evaluateSandboxed,
	}
}

func sandboxedExamples() []goodtest.Example {
	quarantine := addRule(snapshot.GatewayRule{Action: "quarantine", Filters: []string{"http"}})
	set := func(on bool, fallback string) func(*snapshot.Builder) {
		return goodtest.Edits(quarantine, editConfig(func(s *snapshot.GatewaySettings) {
			s.Sandbox = &snapshot.GatewaySandbox{Enabled: on, Fallback: fallback}
		}))
	}
	return []goodtest.Example{
		{Name: "held back", Want: posture.Pass, Resource: goodtest.Account, Edit: set(true, "block")},
		{Name: "held back, in capitals", Want: posture.Pass, Edit: set(true, "BLOCK")},
		{Name: "let through", Want: posture.Fail, Resource: goodtest.Account, Edit: set(true, "allow")},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: set(true, "")},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: set(true, "ask")},
		{Name: "the sandbox is off", Want: posture.NotApplicable, Edit: set(false, "allow")},
		{Name: "no rule sends files", Want: posture.NotApplicable, Edit: goodtest.Edits(set(true, "allow"), disable("r9"))},
		{Name: "encrypted traffic is not seen", Want: posture.NotApplicable,
			Edit: goodtest.Edits(set(true, "allow"), editConfig(func(s *snapshot.GatewaySettings) { s.TLSDecrypt = nil }))},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
	}
}

func evaluateSandboxed(v *check.View) check.Outcome {
	s := check.Read(v, snapshot.GatewayConfig).Sandbox
	if s == nil || !s.Enabled || len(admission.EnabledRules(check.GatewayRules(v), "http", "quarantine")) == 0 {
		return v.NotApplicable("no rule sends files to the sandbox")
	}
	switch strings.ToLower(s.Fallback) {
	case "block":
		return v.Pass("Files that the sandbox cannot open are blocked.")
	case "allow":
		return v.Fail("Files that the sandbox cannot open are let through.",
			check.Evidence(snapshot.GatewayConfig, "/sandbox/fallback_action", "allow", "block"))
	}
	return v.Unknown("Cloudflare did not return what happens to files that the sandbox cannot open")
}
