package tls

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originMode judges how the edge connects to the origin.
func originMode() check.Check {
	return check.Check{
		ID: "CFL-SSL-001", Title: "Traffic to the origin is encrypted and its certificate checked",
		Category: "ssl", Severity: posture.Critical, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "In Off and Flexible mode requests cross the internet to the origin unencrypted, while visitors see a " +
			"padlock. Full mode encrypts, but accepts a certificate of anyone.",
		Fix: "Install a publicly trusted or Origin CA certificate on every origin, then set the mode to Full (strict).",
		Words: check.SettingTo("ssl", "strict", posture.Words{
			Problem: "Traffic between Cloudflare and the origin of {zone} is unencrypted",
			Impact: "Anyone on the network path between Cloudflare and the origin can read and change requests and answers, " +
				"passwords and session cookies included.",
			Breaks:    "Visitors get error 526 from hosts whose origin has no valid certificate.",
			Dashboard: "SSL/TLS › Overview › Configure › Custom SSL/TLS › Full (strict).",
		}),
		References: []string{"https://developers.cloudflare.com/ssl/origin-configuration/ssl-modes/",
			"https://developers.cloudflare.com/ssl/origin-configuration/"},
		Controls: check.Controls{
			check.Shows("cis 3.10", "Traffic between edge and origin is encrypted, and the origin is checked."),
			check.Shows("soc2 CC6.7", "Data is protected on its way from the edge to the origin."),
			check.Shows("pci 4.2.1", "Card data crosses the internet to the origin encrypted, with a checked certificate."),
			check.Shows("nist PR.DS-02", "Data between edge and origin is protected on the wire."),
		},
		Aliases: []string{"prowler:zone_ssl_strict", "cnspec:ssl-strict", "cnspec:ssl-not-off", "cfsi:missing-tls", "grclanker:CF-ZONE-02",
			"flareinspect:CFL-SSL-001"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/ssl", Risk: "high", Reversible: true,
			Body:    `{"value": "strict"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Hosts whose origin has no valid certificate answer with error 526: check every proxied host first. " +
				"Configuration rules and page rules that set the mode still override it.",
			Propose: propose.Setting("ssl", "strict", "origin_pull")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("ssl"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.OriginTLS().Needs,
		Evaluate: evaluateOriginMode,
	}
}

func evaluateOriginMode(v *check.View) check.Outcome {
	lanes := check.Lanes(v, traffic.OriginTLS().Of("", traffic.Encrypted), v.Zone())
	if len(lanes) == 0 {
		return v.Pass("No host has a server that Cloudflare connects to by this mode: they are tunnels, Pages, R2, Workers or placeholders.")
	}
	grade := func(modes ...string) []traffic.Lane[traffic.Value[string]] {
		return check.LanesWith(lanes, func(mode string) bool { return slices.Contains(modes, mode) })
	}
	if clear := grade("off", "flexible"); len(clear) > 0 {
		return v.Fail("Traffic of "+check.HostsOf(clear)+" to the origin is not encrypted: "+modeSet(clear[0].Value)+".",
			check.LaneEvidence(clear, "strict or origin_pull")...).As(check.ByRuleWords(clear[0].Value.By))
	}
	for _, l := range lanes {
		if d := l.Value.Doubt; d != nil && l.Value.Holds(verifiedMode) != truth.Yes {
			return v.Doubtful(*d)
		}
	}
	if full := grade("full"); len(full) > 0 {
		return v.Warn("Traffic of "+check.HostsOf(full)+" to the origin is encrypted, but any certificate is accepted: "+
			modeSet(full[0].Value)+".", check.LaneEvidence(full, "strict or origin_pull")...).
			As(check.ByRuleWords(full[0].Value.By).Or(posture.Words{Problem: "Cloudflare does not check the origin certificate of {zone}",
				Impact: "Someone who can redirect traffic between Cloudflare and the origin can pose as the origin and read and change everything."}))
	}
	return v.Pass("Cloudflare checks the certificate of the origin on every host.")
}

// modeSet says what sets the encryption mode and to which, as the dashboard spells it.
func modeSet(mode traffic.Value[string]) string {
	title := strings.ToUpper(mode.Is[:1]) + mode.Is[1:]
	if mode.By.Rule == "" {
		return "the zone's encryption mode is " + title
	}
	return check.ByRule(mode.By) + " sets the mode to " + title
}

func verifiedMode(mode string) bool { return mode == "strict" || mode == "origin_pull" }

// customHostname is an example edit that adds a customer's hostname to the zone.
func customHostname(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{{ID: "c1", Hostname: "shop.customer.example",
		Status: "active"}})
}
