package tls

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Seconds of a year and of 180 days.
const (
	year     = 31536000
	halfYear = 15552000
)

// hstsLifetime judges for how long browsers remember the header.
func hstsLifetime() check.Check {
	return check.Check{
		ID: "CFL-SSL-009", Title: "HSTS lasts at least a year",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "A short lifetime leaves returning visitors unprotected.",
		Fix:        "Raise max_age in steps to one year.",
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/"},
		Controls:   posture.Controls{CIS: []string{"3.10"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases:    []string{"cnspec:hsts-max-age-one-year", "prowler:zone_hsts_enabled"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/security_header", Risk: "medium", Reversible: true,
			Body:    `{"value": {"strict_transport_security": <existing object with only max_age changed to 31536000>}}`,
			Inverse: "PATCH the complete captured object",
			Caution: "Merge, never replace; only when HSTS is already on.",
			Propose: proposeHSTSYear},
		Needs: []snapshot.Named{snapshot.ZoneSettings, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if reason := check.LiveTraffic(v); reason != "" {
				return v.NotApplicable(reason)
			}
			h, ok := check.Read(v, snapshot.ZoneSettings).HSTS()
			message := fmt.Sprintf("Browsers remember HSTS of %s for %d seconds only.", v.Zone().Name, h.MaxAge)
			seen := check.Evidence(snapshot.ZoneSettings, "/security_header/strict_transport_security/max_age", fmt.Sprint(h.MaxAge),
				fmt.Sprintf("at least %d", year))
			switch {
			case !ok:
				return v.Unknown("the provider did not return the setting security_header")
			case !h.Enabled:
				return v.NotApplicable("HSTS is off in the zone settings; that is judged by CFL-SSL-004")
			case h.MaxAge < halfYear:
				return v.Fail(message, seen)
			case h.MaxAge < year:
				return v.Warn(message, seen)
			}
			return v.Pass("Browsers remember HSTS for a year or longer.")
		},
	}
}

func hstsLifetimeExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "a year", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a day", Want: posture.Fail, Resource: goodtest.Zone, Edit: header(snapshot.HSTS{Enabled: true, MaxAge: 86400})},
		{Name: "just below 180 days", Want: posture.Fail, Edit: header(snapshot.HSTS{Enabled: true, MaxAge: halfYear - 1})},
		{Name: "180 days", Want: posture.Warning, Resource: goodtest.Zone, Edit: header(snapshot.HSTS{Enabled: true, MaxAge: halfYear})},
		{Name: "off", Want: posture.NotApplicable, Edit: header(snapshot.HSTS{})},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("security_header")},
	}
}
