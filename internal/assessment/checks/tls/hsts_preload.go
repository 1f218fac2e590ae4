package tls

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hstsPreload judges whether browsers could know about HSTS before the first visit, by the
// requirements of hstspreload.org.
func hstsPreload() check.Check {
	return check.Check{
		ID: "CFL-SSL-018", Title: "HSTS is ready for the preload list",
		Category: "ssl", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Browsers ship with a list of domains that they open over HTTPS only, from the first visit on. The list " +
			"takes a domain whose header has preload, includeSubDomains and max-age 31536000 or more.",
		Fix: "Serve HTTPS on every subdomain, set 12 months, Include subdomains and Preload, and submit the domain at " +
			"hstspreload.org.",
		Words: hstsTo(`.result.value.strict_transport_security | {value: {strict_transport_security: (. + {max_age: `+
			`([.max_age, 31536000] | max), include_subdomains: true, preload: true})}}`,
			snapshot.HSTS{MaxAge: year, IncludeSubdomains: true, Preload: true}, posture.Words{
				Problem:   "HSTS of {zone} does not ask for preloading",
				Impact:    "Someone on the same network can keep the first visit of a browser on plain HTTP, before the header was seen.",
				Breaks:    "Subdomains without HTTPS become unreachable, and to leave the preload list takes months.",
				Dashboard: "SSL/TLS › Edge Certificates › HTTP Strict Transport Security (HSTS): set 12 months, Include subdomains and Preload.",
			}),
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "A preloaded site is encrypted from the first visit."),
			check.Supports("soc2 CC6.7", "The first visit cannot be downgraded either, once the list has the site."),
			check.Touches("pci 4.2.1", "Being ready for a list is not yet encryption."),
			check.Supports("nist PR.DS-02", "The first visit can be protected as well."),
		},
		Aliases:  []string{"cnspec:hsts-preload"},
		Needs:    switchNeeds(snapshot.ZoneSetting("security_header")),
		Optional: traffic.HSTS().Needs,
		Evaluate: func(v *check.View) check.Outcome {
			lanes, other := sentHSTS(v)
			if other != nil {
				return *other
			}
			expected := fmt.Sprintf("preload and include_subdomains true, max_age %d or more", year)
			ready := func(h snapshot.HSTS) bool { return h.Preload && h.IncludeSubdomains && h.MaxAge >= year }
			if wrong := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return h.Preload && !ready(h) }); len(wrong) > 0 {
				return v.Fail("The HSTS header of "+check.HostsOf(wrong)+" has preload without what the preload list asks for: includeSubDomains and "+
					"max-age 31536000 or more.", check.LaneEvidence(wrong, expected)...).As(hstsWords(wrong[0].Value, year, true, true).Or(posture.Words{
					Problem: "HSTS of {zone} asks for preloading and would be refused"}))
			}
			if d := check.DoubtOf(lanes, ready); d != nil {
				return v.Doubtful(*d)
			}
			if without := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return !h.Preload }); len(without) > 0 {
				return v.Warn("Answers of "+check.HostsOf(without)+" carry no HSTS header with preload.", check.LaneEvidence(without, expected)...).
					As(hstsWords(without[0].Value, year, true, true))
			}
			return v.Pass("HSTS is ready for the preload list.")
		},
	}
}

func hstsPreloadExamples() []goodtest.Example {
	return remembered(
		goodtest.Example{Name: "preload without subdomains", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: header(snapshot.HSTS{Enabled: true, MaxAge: year, Preload: true})},
		goodtest.Example{Name: "preload for a month", Want: posture.Fail,
			Edit: header(snapshot.HSTS{Enabled: true, MaxAge: 2592000, IncludeSubdomains: true, Preload: true})},
		goodtest.Example{Name: "no preload", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: header(snapshot.HSTS{Enabled: true, MaxAge: year, IncludeSubdomains: true})})
}
