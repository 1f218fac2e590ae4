package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// leakedDetection judges whether leaked passwords are detected at the login.
func leakedDetection() check.Check {
	return check.Check{
		ID: "CFL-LEAK-001", Title: "Leaked credentials are detected",
		Category: "credentials", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Attackers try user names and passwords from data breaches on other sites. Cloudflare compares the " +
			"credentials of a login request with known breaches and marks it for rules and for the origin.",
		Fix: "Turn leaked credentials detection on, then add a rule that acts on its fields.",
		Words: posture.Words{
			Problem: "Logins to {zone} are not checked for leaked credentials",
			Impact: "Anyone with a list of leaked passwords takes over the accounts that still use them, and nothing marks these " +
				"logins.",
			Breaks:    "Nothing; the detection only adds fields to requests.",
			Dashboard: "Security › Settings › Leaked credentials detection: On.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/leaked-credential-checks",
				Body: `{"enabled": true}`},
			Terraform: `resource "cloudflare_leaked_credential_check" "zone" {
  zone_id = "{zone_id}"
  enabled = true
}`},
		References: []string{"https://developers.cloudflare.com/waf/",
			"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Logins are matched against known leaks at the application layer."),
			check.Supports("soc2 CC6.1", "Use of a leaked password can be seen."),
			check.Touches("pci 6.4.2", "Detection alone blocks nothing."),
			check.Supports("nist DE.CM-01", "Logins are watched for leaked passwords."),
		},
		Aliases: []string{"flareinspect:CFL-LEAK-001", "union:exposed-credential-check"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/leaked-credential-checks", Risk: "low", Reversible: true,
			Body: `{"enabled": true}`,
			Inverse: `POST {"enabled": <captured value>}: when it was off before, the inverse switches it off again; when it was on, nothing was ` +
				`changed and nothing is undone`,
			Caution: "Detection only adds a signal; blocking needs CFL-LEAK-002.",
			Propose: propose.Members("POST", "/zones/{zone_id}/leaked-credential-checks", map[string]any{"enabled": true})},
		Needs:    []snapshot.Named{snapshot.ZoneLeakedCredentials, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			if out := withoutLogin(v); out != nil {
				return *out
			}
			switch on := check.Read(v, snapshot.ZoneLeakedCredentials).Enabled; {
			case on == nil:
				return v.Unknown("Cloudflare did not say whether the detection is on")
			case *on:
				return v.Pass("Leaked credentials are detected.")
			}
			return v.Fail("Leaked credentials detection of "+v.Zone().Name+" is off.", check.Evidence(snapshot.ZoneLeakedCredentials, "/enabled",
				"false", "true"))
		},
	}
}

func leakedDetectionExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: detection(truth.Is(false))},
		{Name: "not returned", Want: posture.Unknown, Edit: detection(truth.Undecided)},
		{Name: "no login", Want: posture.NotApplicable, Edit: detection(truth.No),
			Policy: func(p *policy.Policy) { p.LoginlessZones = []string{goodtest.Domain} }},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(detection(truth.No), goodtest.NotProxied())},
	}
}

// withoutLogin is NoTraffic, but also excludes zones that the operator declared to have no login.
func withoutLogin(v *check.View) *check.Outcome {
	if slices.ContainsFunc(v.Policy.LoginlessZones, func(name string) bool { return exposure.Same(name, v.Zone().Name) }) {
		out := v.NotApplicable("the zone is declared to have no login")
		return &out
	}
	return check.NoTraffic(v)
}

// detection is an example edit; Undecided means that nothing is returned.
func detection(on truth.Value) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		s := snapshot.Switch{}
		if on != truth.Undecided {
			enabled := on == truth.Yes
			s.Enabled = &enabled
		}
		snapshot.Put(b, snapshot.ZoneLeakedCredentials, goodtest.Zone, s)
	}
}
