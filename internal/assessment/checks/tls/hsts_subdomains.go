package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hstsSubdomains judges whether browsers keep to TLS below the zone, too.
func hstsSubdomains() check.Check {
	return check.Check{
		ID: "CFL-SSL-017", Title: "HSTS covers subdomains",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "Cookies and sessions leak through a subdomain that still answers plain HTTP.",
		Fix:        "Check all subdomains for HTTPS, then include them.",
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/"},
		Controls:   posture.Controls{CIS: []string{"3.10"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases:    []string{"cnspec:hsts-include-subdomains", "prowler:zone_hsts_enabled"},
		Needs:      switchNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			h, other := readHSTS(v)
			if other != nil {
				return *other
			}
			if h.IncludeSubdomains {
				return v.Pass("HSTS covers the subdomains.")
			}
			return v.Fail("HSTS of "+v.Zone().Name+" leaves the subdomains out.",
				check.Evidence(snapshot.ZoneSettings, "/security_header/strict_transport_security/include_subdomains", "false", "true"))
		},
	}
}

func hstsSubdomainsExamples() []goodtest.Example {
	return remembered(
		goodtest.Example{Name: "without subdomains", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: header(snapshot.HSTS{Enabled: true, MaxAge: year})})
}

// readHSTS returns the header when it is on, else what the check must say.
func readHSTS(v *check.View) (h snapshot.HSTS, other *check.Outcome) {
	say := func(o check.Outcome) (snapshot.HSTS, *check.Outcome) { return h, &o }
	if reason := check.LiveTraffic(v); reason != "" {
		return say(v.NotApplicable(reason))
	}
	h, ok := check.Read(v, snapshot.ZoneSettings).HSTS()
	switch {
	case !ok:
		return say(v.Unknown("the provider did not return the setting security_header"))
	case !h.Enabled:
		return say(v.NotApplicable("HSTS is off in the zone settings; that is judged by CFL-SSL-004"))
	}
	return h, nil
}

func remembered(more ...goodtest.Example) []goodtest.Example {
	return append(more,
		goodtest.Example{Name: "complete", Want: posture.Pass, Resource: goodtest.Zone},
		goodtest.Example{Name: "off", Want: posture.NotApplicable, Edit: header(snapshot.HSTS{})},
		goodtest.Example{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("security_header")},
		goodtest.Example{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()})
}
