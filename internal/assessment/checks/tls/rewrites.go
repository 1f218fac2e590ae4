package tls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// rewrites judges whether plain HTTP links are rewritten to HTTPS.
func rewrites() check.Check {
	return check.Check{
		ID: "CFL-SSL-007", Title: "Insecure links are rewritten to HTTPS",
		Category: "ssl", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "An http:// image or script in an https:// page is fetched unencrypted, or blocked by the browser as mixed " +
			"content. Cloudflare can rewrite such links where the host is known to serve HTTPS.",
		Fix: "Turn on Automatic HTTPS Rewrites, then correct the links that remain in your pages.",
		Words: check.SettingTo("automatic_https_rewrites", "on", posture.Words{
			Problem:   "Insecure links on {zone} are not rewritten",
			Impact:    "Someone on the same network can see and replace what a page loads over plain HTTP, such as images.",
			Breaks:    "Nothing for links to hosts that serve the same content over HTTP and HTTPS.",
			Dashboard: "SSL/TLS › Edge Certificates › Automatic HTTPS Rewrites: On.",
		}),
		References: []string{"https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Parts of a page are not fetched unencrypted."),
			check.Supports("soc2 CC6.7", "What a page loads is protected on its way."),
			check.Touches("pci 4.2.1", "It mends links in pages; it is not what encrypts card data."),
			check.Supports("nist PR.DS-02", "Parts of pages are protected on the wire."),
		},
		Aliases: []string{"prowler:zone_automatic_https_rewrites_enabled", "cnspec:automatic-https-rewrites", "flareinspect:CFL-SSL-007"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/automatic_https_rewrites", Risk: "low", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Only links known to work over HTTPS are rewritten.",
			Propose: propose.Setting("automatic_https_rewrites", "on")},
		Needs:    switchNeeds(snapshot.ZoneSetting("automatic_https_rewrites")),
		Optional: traffic.Setting("automatic_https_rewrites").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			return check.OnOff(v, "automatic_https_rewrites", "on", "Automatic HTTPS Rewrites is off for "+v.Zone().Name+".")
		},
	}
}

func rewritesExamples() []goodtest.Example {
	return slices.Concat(goodtest.OnOff("automatic_https_rewrites", "on"),
		goodtest.OnOffByRule("automatic_https_rewrites", "on", "automatic_https_rewrites"))
}
