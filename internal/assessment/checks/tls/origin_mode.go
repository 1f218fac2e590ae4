package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originMode judges how the edge talks to the origin.
func originMode() check.Check {
	return check.Check{
		ID: "CFL-SSL-001", Title: "Traffic to the origin is encrypted and its certificate checked",
		Category: "ssl", Severity: posture.Critical, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Below strict, anyone between edge and origin reads or alters traffic while visitors see a padlock.",
		Fix: "Install a publicly trusted or Origin CA certificate, then choose the strict mode.",
		References: []string{"https://developers.cloudflare.com/ssl/origin-configuration/ssl-modes/",
			"https://developers.cloudflare.com/ssl/origin-configuration/"},
		Controls: posture.Controls{CIS: []string{"3.10"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases: []string{"prowler:zone_ssl_strict", "cnspec:ssl-strict", "cnspec:ssl-not-off", "cfsi:missing-tls", "grclanker:CF-ZONE-02",
			"flareinspect:CFL-SSL-001"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/ssl", Risk: "high", Reversible: true,
			Body:    `{"value": "strict"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Every proxied host must present a valid certificate, otherwise visitors get error 526. Probe each proxied host for a valid " +
				"chain from outside or require the operator to confirm; configuration rules and page rules that set ssl still win.",
			Propose: propose.Setting("ssl", "strict", "origin_pull")},
		Needs: []snapshot.Named{snapshot.ZoneSettings, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if reason := check.LiveTraffic(v); reason != "" {
				return v.NotApplicable(reason)
			}
			mode, ok := check.Read(v, snapshot.ZoneSettings).Text("ssl")
			seen := check.Evidence(snapshot.ZoneSettings, "/ssl", mode, "strict or origin_pull")
			switch {
			case !ok:
				return v.Unknown("the provider did not return the setting ssl")
			case mode == "strict" || mode == "origin_pull":
				return v.Pass("The edge checks the certificate of the origin.")
			case mode == "off" || mode == "flexible":
				return v.Fail("Traffic of "+v.Zone().Name+" to the origin is not encrypted: the mode is "+mode+".", seen)
			case mode == "full":
				return v.Warn("Traffic of "+v.Zone().Name+" to the origin is encrypted, but any certificate is accepted.", seen)
			default:
				return v.Unknown("ssl has a value this check does not know: " + mode)
			}
		},
	}
}

func originModeExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "strict", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "strict, origin pull", Want: posture.Pass, Edit: goodtest.Setting("ssl", "origin_pull")},
		{Name: "flexible", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting("ssl", "flexible")},
		{Name: "off", Want: posture.Fail, Edit: goodtest.Setting("ssl", "off")},
		{Name: "plain full is no pass", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Setting("ssl", "full")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("ssl")},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: goodtest.Setting("ssl", "stricter")},
	}
}
