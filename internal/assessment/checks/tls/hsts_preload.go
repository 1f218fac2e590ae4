package tls

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hstsPreload judges whether browsers could know of HSTS before the first visit,
// by the demands of hstspreload.org.
func hstsPreload() check.Check {
	return check.Check{
		ID: "CFL-SSL-018", Title: "HSTS is ready for the preload list",
		Category: "ssl", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "An invalid preload flag misleads owners; a valid one protects first visits.",
		Fix:        "Correct the combination or clear the flag.",
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/"},
		Controls:   posture.Controls{CIS: []string{"3.10"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases:    []string{"cnspec:hsts-preload"},
		Needs:      switchNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			h, other := readHSTS(v)
			if other != nil {
				return *other
			}
			seen := check.Evidence(snapshot.ZoneSettings, "/security_header/strict_transport_security",
				fmt.Sprintf("preload %t, include_subdomains %t, max_age %d", h.Preload, h.IncludeSubdomains, h.MaxAge),
				fmt.Sprintf("preload and include_subdomains true, max_age %d or more", year))
			switch {
			case h.Preload && h.IncludeSubdomains && h.MaxAge >= year:
				return v.Pass("HSTS is ready for the preload list.")
			case h.Preload:
				return v.Fail("HSTS of "+v.Zone().Name+" asks for preloading and does not meet its demands.", seen)
			}
			return v.Warn("HSTS of "+v.Zone().Name+" does not ask for preloading.", seen)
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
