package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redirect judges whether plain HTTP is redirected to HTTPS, by the setting, a redirect rule or a
// page rule.
func redirect() check.Check {
	return check.Check{
		ID: "CFL-SSL-005", Title: "Plain HTTP is always redirected",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "A page that is served over plain HTTP can be read and changed by anyone between the browser and Cloudflare. " +
			"HSTS begins to protect only with the first visit over HTTPS.",
		Fix: "Turn on Always Use HTTPS, once a certificate is active and the SSL/TLS mode is Full or Full (strict).",
		Words: check.SettingTo("always_use_https", "on", posture.Words{
			Problem: "{zone} serves pages over plain HTTP",
			Impact: "Someone on the same network, such as an open Wi-Fi, can read what visitors send, change pages and take " +
				"session cookies.",
			Breaks:    "Old devices and scripts that use plain HTTP and follow no redirect stop working.",
			Dashboard: "SSL/TLS › Edge Certificates › Always Use HTTPS: On.",
		}),
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/always-use-https/"},
		Controls: check.Controls{
			check.Shows("cis 3.10", "Visitors are always led to the encrypted site."),
			check.Shows("soc2 CC6.7", "Nothing but a redirect is sent unencrypted."),
			check.Shows("pci 4.2.1", "Card data cannot be entered on an unencrypted page."),
			check.Shows("nist PR.DS-02", "Data between visitor and edge is always encrypted."),
		},
		Aliases: []string{"prowler:zone_https_redirect_enabled", "cnspec:always-use-https", "cfsi:no-always-https", "grclanker:CF-ZONE-04",
			"flareinspect:CFL-SSL-005"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/always_use_https", Risk: "medium", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Clients that speak only HTTP lose access, and pages with mixed content may break. Not planned without an active " +
				"certificate, nor while the encryption mode is Off or Flexible, which causes redirect loops (CFL-SSL-001).",
			Propose: proposeRedirect},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneSetting("always_use_https"), snapshot.ZoneDNSRecords},
		Optional: traffic.Sources(traffic.PlainHTTP().Needs, traffic.BlockedNeeds()),
		Evaluate: evaluateRedirect,
	}
}

// notACME excludes the challenge that a certificate authority requests over plain HTTP, which must
// be answered there (RFC 8555, section 8.3).
const notACME = `not starts_with(http.request.uri.path, "/.well-known/acme-challenge/")`

func evaluateRedirect(v *check.View) check.Outcome {
	lanes := check.Lanes(v, traffic.PlainHTTP().Of("", notACME), v.Zone())
	secure := func(is string) bool { return is == traffic.ToHTTPS }
	open := func(is string) bool { return is == traffic.InClear }
	clear, known := check.LanesWith(lanes, open), true
	if len(clear) > 0 { // unless a custom rule blocks the requests
		var blocked []string
		if blocked, known = check.Blocked(v, v.Zone()); len(blocked) > 0 {
			lanes = check.Lanes(v, traffic.PlainHTTP().Of("", traffic.Except(notACME, blocked)), v.Zone())
			clear = check.LanesWith(lanes, open)
		}
	}
	maybe := func(o check.Outcome) check.Outcome {
		if known {
			return o
		}
		return v.Provisional(o)
	}
	d := check.DoubtOf(lanes, secure)
	switch {
	case len(clear) > 0 && len(clear) == traffic.Listed(lanes):
		return maybe(v.Fail("Plain HTTP requests to "+v.Zone().Name+" are served without a redirect.",
			check.LaneEvidence(clear, "a redirect to HTTPS")...).As(check.ByRuleWords(clear[0].Value.By)))
	case len(clear) > 0 && len(check.LanesWith(lanes, secure)) > 0:
		return maybe(v.Warn("Plain HTTP is redirected on a part of "+v.Zone().Name+" only; the request "+clear[0].Example().Describe()+" is not.",
			check.LaneEvidence(clear, "a redirect to HTTPS")...).As(check.ByRuleWords(clear[0].Value.By).Or(posture.Words{
			Problem: "A part of {zone} is served over plain HTTP"})))
	case d != nil:
		return v.Doubtful(*d)
	}
	return v.Pass("Every plain HTTP request is redirected to HTTPS or blocked.")
}
