package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// browserCheck judges whether requests with the headers of common attack tools are blocked.
func browserCheck() check.Check {
	return check.Check{
		ID: "CFL-WAF-009", Title: "Browser integrity check is on",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Browser Integrity Check refuses requests without a user agent or with headers that simple attack tools " +
			"send. It is part of every plan.",
		Fix: "Turn Browser Integrity Check on, and exempt API paths with a configuration rule.",
		Words: check.SettingTo("browser_check", "on", posture.Words{
			Problem:   "Browser Integrity Check of {zone} is off",
			Impact:    "Scanners and spam tools that do not imitate a browser reach the application.",
			Breaks:    "Clients other than browsers with unusual headers are refused.",
			Dashboard: "Security › Settings › Browser Integrity Check: On.",
		}),
		References: []string{"https://developers.cloudflare.com/waf/", "https://developers.cloudflare.com/rules/configuration-rules/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Requests with broken headers are filtered."),
			check.Supports("soc2 CC6.6", "Simple automated attacks stop at the boundary."),
			check.Touches("pci 6.4.2", "It refuses odd headers; attacks on the application are for the WAF."),
			check.Supports("nist PR.IR-01", "Simple attack tools are kept away."),
		},
		Aliases: []string{"prowler:zone_browser_integrity_check_enabled", "cnspec:browser-check", "flareinspect:CFL-WAF-009"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/browser_check", Risk: "low", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Non-browser clients with odd headers may be refused.",
			Propose: propose.Setting("browser_check", "on")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("browser_check"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.Setting("browser_check").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			return check.OnOff(v, "browser_check", "on", "The Browser Integrity Check of "+v.Zone().Name+" is off.")
		},
	}
}

func browserCheckExamples() []goodtest.Example {
	return slices.Concat(goodtest.OnOff("browser_check", "on"), goodtest.OnOffByRule("browser_check", "on", "bic"))
}
