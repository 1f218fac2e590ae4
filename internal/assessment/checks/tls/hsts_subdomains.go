package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hstsSubdomains judges whether browsers also stay on HTTPS for subdomains.
func hstsSubdomains() check.Check {
	return check.Check{
		ID: "CFL-SSL-017", Title: "HSTS covers subdomains",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "HSTS without includeSubDomains protects only the host that sends the header. A cookie for the whole domain " +
			"goes to every subdomain, over plain HTTP too unless the cookie is Secure.",
		Fix: "Serve HTTPS on every subdomain, internal ones included, then turn on Include subdomains for HSTS.",
		Words: hstsTo(`{value: {strict_transport_security: (.result.value.strict_transport_security + {include_subdomains: true})}}`,
			snapshot.HSTS{MaxAge: year, IncludeSubdomains: true}, posture.Words{
				Problem: "HSTS of {zone} leaves its subdomains out",
				Impact: "Someone on the same network can answer for a subdomain over plain HTTP, and read or set cookies of the " +
					"whole domain.",
				Breaks:    "Subdomains without HTTPS become unreachable for browsers that saw the header.",
				Dashboard: "SSL/TLS › Edge Certificates › HTTP Strict Transport Security (HSTS): turn on Include subdomains.",
			}),
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Subdomains too are visited encrypted."),
			check.Supports("soc2 CC6.7", "Cookies of the domain do not leak by an unencrypted subdomain."),
			check.Supports("pci 4.2.1", "Subdomains cannot be used to downgrade visitors."),
			check.Supports("nist PR.DS-02", "Data to subdomains cannot be downgraded."),
		},
		Aliases:  []string{"cnspec:hsts-include-subdomains", "prowler:zone_hsts_enabled"},
		Needs:    switchNeeds(snapshot.ZoneSetting("security_header")),
		Optional: traffic.HSTS().Needs,
		Evaluate: func(v *check.View) check.Outcome {
			lanes, other := sentHSTS(v)
			if other != nil {
				return *other
			}
			if bare := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return h.Enabled && !h.IncludeSubdomains }); len(bare) > 0 {
				return v.Fail("The HSTS header of "+check.HostsOf(bare)+" has no includeSubDomains: "+check.ByRule(bare[0].Value.By)+" decides.",
					check.LaneEvidence(bare, "include_subdomains true")...).As(hstsWords(bare[0].Value, 0, true, false))
			}
			if d := check.DoubtOf(lanes, func(h snapshot.HSTS) bool { return !h.Enabled || h.IncludeSubdomains }); d != nil {
				return v.Doubtful(*d)
			}
			return v.Pass("HSTS covers the subdomains.")
		},
	}
}

func hstsSubdomainsExamples() []goodtest.Example {
	return remembered(
		goodtest.Example{Name: "without subdomains", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: header(snapshot.HSTS{Enabled: true, MaxAge: year})},
		goodtest.Example{Name: "a rule sends it without subdomains", Want: posture.Fail,
			Edit: entryPoint(snapshot.ZonePhaseResponse, hstsRule("true", "max-age=31536000"))},
		goodtest.Example{Name: "off, and a rule sends it complete", Want: posture.Pass, Edit: goodtest.Edits(header(snapshot.HSTS{}),
			entryPoint(snapshot.ZonePhaseResponse, hstsRule("true", "max-age=31536000; includeSubDomains; preload")))},
		goodtest.Example{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseResponse)})
}

// sentHSTS returns what browsers receive if some lane certainly sends the header, otherwise the
// outcome of the check.
func sentHSTS(v *check.View) (lanes []traffic.Lane[traffic.Value[snapshot.HSTS]], other *check.Outcome) {
	lanes = check.Lanes(v, traffic.HSTS(), v.Zone())
	sends := func(h snapshot.HSTS) bool { return h.Enabled }
	if len(check.LanesWith(lanes, sends)) > 0 {
		return lanes, nil
	}
	out := v.NotApplicable("no host sends HSTS; that is judged by CFL-SSL-004")
	if d := check.DoubtOf(lanes, sends); d != nil {
		out = v.Doubtful(*d)
	}
	return nil, &out
}

// hstsRule returns an example rule that sets the header.
func hstsRule(expression, value string) snapshot.Rule {
	return snapshot.Rule{ID: "h1", Enabled: true, Action: "rewrite", Expression: expression,
		Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{"strict-transport-security": {Operation: "set", Value: value}}}}
}

func remembered(more ...goodtest.Example) []goodtest.Example {
	return append(more,
		goodtest.Example{Name: "complete", Want: posture.Pass, Resource: goodtest.Zone},
		goodtest.Example{Name: "off", Want: posture.NotApplicable, Edit: header(snapshot.HSTS{})},
		goodtest.Example{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("security_header")},
		goodtest.Example{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()})
}
