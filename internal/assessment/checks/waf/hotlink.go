package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hotlink judges whether other sites may embed the images of the zone.
func hotlink() check.Check {
	return check.Check{
		ID: "CFL-WAF-022", Title: "Hotlink protection is on",
		Category: "waf", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Hotlink Protection refuses images to pages of other sites. Without it such pages show your images at the " +
			"cost of your bandwidth.",
		Fix: "Turn Hotlink Protection on, and exempt images that are meant to be shared with a configuration rule.",
		Words: check.SettingTo("hotlink_protection", "on", posture.Words{
			Problem:   "Other sites can embed images of {zone}",
			Impact:    "Anyone can embed the images in their own pages, imitations of the site included, and you carry the traffic.",
			Breaks:    "Images in newsletters, feeds and partner pages no longer load.",
			Dashboard: "Scrape Shield › Hotlink Protection: On.",
		}),
		References: []string{"https://developers.cloudflare.com/rules/configuration-rules/", "https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Touches("cis 4.8", "Foreign pages that show pictures are no service of one's own."),
			check.Touches("soc2 CC6.6", "Hotlinks cost traffic; they are no threat at the boundary."),
			check.Touches("nist PR.PS-01", "It is one setting of the baseline."),
		},
		Aliases: []string{"prowler:zone_hotlink_protection_enabled", "cnspec:hotlink"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/hotlink_protection", Risk: "low", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Images embedded on partner sites, in mail or feeds stop loading.",
			Propose: propose.Setting("hotlink_protection", "on")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("hotlink_protection"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.Setting("hotlink_protection").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			if slices.Contains(v.Policy.EmbeddedZones, v.Zone().Name) {
				return v.NotApplicable("the images of the zone are declared to be embedded elsewhere")
			}
			return check.OnOff(v, "hotlink_protection", "on", "Hotlink Protection of "+v.Zone().Name+" is off.")
		},
	}
}

func hotlinkExamples() []goodtest.Example {
	return append(slices.Concat(goodtest.OnOff("hotlink_protection", "on"),
		goodtest.OnOffByRule("hotlink_protection", "on", "hotlink_protection")), goodtest.Example{Name: "images are meant to be embedded",
		Want: posture.NotApplicable,
		Edit: goodtest.Setting("hotlink_protection", "off"), Policy: func(p *policy.Policy) { p.EmbeddedZones = []string{goodtest.Domain} }})
}
