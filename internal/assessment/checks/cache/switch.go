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

// alwaysOnline judges archived copies that are served during an outage.
func alwaysOnline() check.Check {
	return check.Check{
		ID: "CFL-ZONE-005", Title: "Stale copies are not served by default",
		Category: "cache", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "During an outage Always Online shows copies from the Internet Archive. They may hold content that was " +
			"withdrawn since.",
		Fix: "Turn Always Online off, or accept it for a site whose pages are all public and lasting.",
		Words: check.SettingTo("always_online", "off", posture.Words{
			Problem:   "Always Online serves archived pages of {zone}",
			Impact:    "Visitors read prices, texts or names that were taken down, whenever the origin does not answer.",
			Breaks:    "During an outage visitors see an error page instead of an archived copy.",
			Dashboard: "Caching › Configuration › Always Online: Off.",
		}),
		References: []string{docsRules, "Cloudflare docs: Always Online"},
		Controls: check.Controls{
			check.Touches("cis 4.8", "Archived copies are a convenience that is not needed by default, and no service that listens."),
			check.Supports("soc2 PI1.3", "Visitors get current content and not what was true before."),
			check.Touches("pci 2.2.4", "It is a function that is not needed by default; what it may show is content that was withdrawn."),
			check.Supports("nist PR.PS-01", "The setting is that of the baseline."),
		},
		Aliases: []string{"prowler:zone_always_online_disabled"},
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
		Why: "Programs collect mail addresses from pages and sell them to senders of spam and phishing.",
		Fix: "Turn Email Address Obfuscation on, which hides addresses from programs and shows them to people.",
		Words: check.SettingTo("email_obfuscation", "on", posture.Words{
			Problem: "Mail addresses on {zone} can be harvested",
			Impact:  "Anyone can collect the mail addresses on the pages and send phishing to the people behind them.",
			Breaks: "Addresses need JavaScript to be shown; a strict Content Security Policy needs an entry for " +
				"/cdn-cgi/scripts/.",
			Dashboard: "Security › Settings › Email Address Obfuscation: On.",
		}),
		References: []string{"https://developers.cloudflare.com/rules/configuration-rules/"},
		Controls: check.Controls{
			check.Touches("soc2 CC6.6", "Harvesters find fewer addresses; the boundary is not otherwise changed."),
			check.Touches("pci 5.4.1", "Fewer harvested addresses make for less phishing, but nobody is shielded from it."),
			check.Touches("nist PR.PS-01", "It is one setting of the baseline."),
		},
		Aliases: []string{"prowler:zone_email_obfuscation_enabled", "cnspec:email-obfuscation", "flareinspect:CFL-PERF-006"},
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
