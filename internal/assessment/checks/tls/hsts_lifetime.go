package tls

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Seconds of a year and of 180 days.
const (
	year     = 31536000
	halfYear = 15552000
)

// hstsLifetime judges how long browsers remember the header.
func hstsLifetime() check.Check {
	return check.Check{
		ID: "CFL-SSL-009", Title: "HSTS lasts at least a year",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "A browser keeps to HTTPS for as long as the header says. Whoever returns later starts without protection, " +
			"and the preload list asks for a year.",
		Fix: "Raise the Max Age of HSTS in steps, from 1 month to 6 months to 12 months.",
		Words: hstsTo(`{value: {strict_transport_security: (.result.value.strict_transport_security + {max_age: 31536000})}}`,
			snapshot.HSTS{MaxAge: year}, posture.Words{
				Problem: "HSTS of {zone} lasts less than a year",
				Impact: "Someone on the same network can keep a visitor on plain HTTP whose last visit is longer ago than the " +
					"lifetime.",
				Breaks:    "A host that gives up HTTPS stays unreachable for returning browsers for a year.",
				Dashboard: "SSL/TLS › Edge Certificates › HTTP Strict Transport Security (HSTS): set Max Age Header to 12 months.",
			}),
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Browsers keep to encryption for a long time."),
			check.Supports("soc2 CC6.7", "Returning visitors cannot be downgraded for a year."),
			check.Touches("pci 4.2.1", "The length of the promise adds little to encryption itself."),
			check.Supports("nist PR.DS-02", "Protection against downgrades lasts."),
		},
		Aliases: []string{"cnspec:hsts-max-age-one-year", "prowler:zone_hsts_enabled"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/security_header", Risk: "medium", Reversible: true,
			Body:    `{"value": {"strict_transport_security": <existing object with only max_age changed to 31536000>}}`,
			Inverse: "PATCH the complete captured object",
			Caution: "Browsers remember HSTS for a year; undoing it takes that long. The other members of the header stay as they " +
				"are.",
			Propose: proposeHSTSYear},
		Needs:    switchNeeds(snapshot.ZoneSetting("security_header")),
		Optional: traffic.HSTS().Needs,
		Evaluate: func(v *check.View) check.Outcome {
			lanes, other := sentHSTS(v)
			if other != nil {
				return *other
			}
			const expected = "at least 31536000 seconds"
			message := func(lanes []traffic.Lane[traffic.Value[snapshot.HSTS]]) string {
				age := lanes[0].Value.Is.MaxAge
				return fmt.Sprintf("Browsers forget HSTS of %s after %s (max-age %d): %s decides.", check.HostsOf(lanes),
					check.Lasting(time.Duration(age)*time.Second), age, check.ByRule(lanes[0].Value.By))
			}
			if short := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return h.Enabled && h.MaxAge < halfYear }); len(short) > 0 {
				return v.Fail(message(short), check.LaneEvidence(short, expected)...).As(hstsWords(short[0].Value, year, false, false))
			}
			if d := check.DoubtOf(lanes, func(h snapshot.HSTS) bool { return !h.Enabled || h.MaxAge >= year }); d != nil {
				return v.Doubtful(*d)
			}
			if short := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return h.Enabled && h.MaxAge < year }); len(short) > 0 {
				return v.Warn(message(short), check.LaneEvidence(short, expected)...).As(hstsWords(short[0].Value, year, false, false))
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
		{Name: "off, and a rule sends it for a day", Want: posture.Fail,
			Edit: goodtest.Edits(header(snapshot.HSTS{}), entryPoint(snapshot.ZonePhaseResponse, hstsRule("true", "max-age=86400")))},
		{Name: "a year, and a day by a rule", Want: posture.Fail, Edit: entryPoint(snapshot.ZonePhaseResponse,
			hstsRule("true", "max-age=86400"))},
		{Name: "a year, and a day by a rule on one path", Want: posture.Fail,
			Edit: entryPoint(snapshot.ZonePhaseResponse, hstsRule(`http.request.uri.path eq "/a"`, "max-age=86400"))},
		{Name: "a day, and a year by a rule", Want: posture.Pass, Edit: goodtest.Edits(header(snapshot.HSTS{Enabled: true, MaxAge: 86400}),
			entryPoint(snapshot.ZonePhaseResponse, hstsRule("true", "max-age=31536000")))},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseResponse)},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("security_header")},
	}
}
