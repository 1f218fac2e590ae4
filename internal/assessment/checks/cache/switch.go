package cache

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const inverseSetting = "PATCH the same setting with the value captured before the change, only if the live value still equals the value " +
	"we wrote"

// alwaysOnline judges copies of an archive that stand in during an outage.
func alwaysOnline() check.Check {
	return check.Check{
		ID: "CFL-ZONE-005", Title: "Stale copies are not served by default",
		Category: "cache", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "Archived pages may show withdrawn or personal content during an outage.",
		Fix:        "Turn it off, or accept it on purpose.",
		References: []string{docsRules, "Cloudflare docs: Always Online"},
		Controls:   posture.Controls{CIS: []string{"4.8"}, SOC2: []string{"PI1.3"}, PCI: []string{"2.2.4"}, NIST: []string{"PR.PS-01"}},
		Aliases:    []string{"prowler:zone_always_online_disabled"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/always_online", Risk: "low", Reversible: true,
			Body: `{"value": "off"}`, Inverse: inverseSetting,
			Caution: "Visitors see an error page during an outage instead of an archive copy.",
			Propose: propose.Setting("always_online", "off")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("always_online"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.Setting("always_online").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			return check.OnOff(v, "always_online", "off", "Always Online of "+v.Zone().Name+" serves archived pages.")
		},
	}
}

func alwaysOnlineExamples() []goodtest.Example {
	return slices.Concat(goodtest.OnOff("always_online", "off"), goodtest.OnOffByPageRule("always_online", "off"))
}

// mailAddresses judges whether pages hide mail addresses from harvesters.
func mailAddresses() check.Check {
	return check.Check{
		ID: "CFL-PERF-006", Title: "Mail addresses are hidden from harvesters",
		Category: "performance", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "Harvested addresses feed phishing.",
		Fix:        "Turn it on.",
		References: []string{"https://developers.cloudflare.com/rules/configuration-rules/"},
		Controls:   posture.Controls{CIS: []string{}, SOC2: []string{"CC6.6"}, PCI: []string{"5.4.1"}, NIST: []string{"PR.PS-01"}},
		Aliases:    []string{"prowler:zone_email_obfuscation_enabled", "cnspec:email-obfuscation", "flareinspect:CFL-PERF-006"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/email_obfuscation", Risk: "low", Reversible: true,
			Body: `{"value": "on"}`, Inverse: inverseSetting,
			Caution: "Needs JavaScript in the browser; a strict content policy may need an entry.",
			Propose: propose.Setting("email_obfuscation", "on")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("email_obfuscation"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.Setting("email_obfuscation").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			return check.OnOff(v, "email_obfuscation", "on", "Pages of "+v.Zone().Name+" show mail addresses as they are.")
		},
	}
}

func mailAddressesExamples() []goodtest.Example {
	return slices.Concat(goodtest.OnOff("email_obfuscation", "on"), goodtest.OnOffByRule("email_obfuscation", "on", "email_obfuscation"))
}
