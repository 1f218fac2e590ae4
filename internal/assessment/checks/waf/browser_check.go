package waf

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// browserCheck judges the refusal of requests with the headers of common tools.
func browserCheck() check.Check {
	return check.Check{
		ID: "CFL-WAF-009", Title: "Browser integrity check is on",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "It drops requests with headers typical of simple attack tools.",
		Fix:        "Turn it on; except API paths by a configuration rule.",
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
		Needs: []snapshot.Named{snapshot.ZoneSetting("browser_check"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			return onOff(v, "browser_check", "The browser integrity check")
		},
	}
}

func browserCheckExamples() []goodtest.Example {
	return onOffExamples("browser_check")
}

// onOff judges a setting that must be on.
func onOff(v *check.View, id, what string) check.Outcome {
	if reason := check.LiveTraffic(v); reason != "" {
		return v.NotApplicable(reason)
	}
	switch value, ok := check.Read(v, snapshot.ZoneSettings).Text(id); {
	case !ok:
		return v.Unknown("the provider did not return the setting " + id)
	case value == "on":
		return v.Pass("%s is on.", what)
	case value == "off":
		return v.Fail(what+" of "+v.Zone().Name+" is off.", check.Evidence(snapshot.ZoneSettings, "/"+id, "off", "on"))
	default:
		return v.Unknown(id + " has a value this check does not know: " + value)
	}
}

func onOffExamples(id string) []goodtest.Example {
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone, Edit: goodtest.Setting(id, "on")},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting(id, "off")},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: goodtest.Setting(id, "half")},
		{Name: "not returned", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without(id) })
		}},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Setting(id, "off"), goodtest.NotProxied())},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Setting(id, "off"),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}
