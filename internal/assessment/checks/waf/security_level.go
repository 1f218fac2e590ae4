package waf

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// securityLevel judges the challenge of addresses with a bad name.
func securityLevel() check.Check {
	return check.Check{
		ID: "CFL-WAF-001", Title: "The security level is not switched off",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "The lowest levels let known bad addresses through unchallenged.",
		Fix:        "Return to the default level.",
		References: []string{"https://developers.cloudflare.com/waf/", "https://developers.cloudflare.com/rules/configuration-rules/"},
		Controls: check.Controls{
			check.Touches("cis 13.10", "The level challenges few visitors; Cloudflare sets it by itself today."),
			check.Supports("soc2 CC6.6", "Addresses of bad reputation meet a challenge."),
			check.Touches("pci 6.4.2", "Reputation of addresses recognises no attack on an application."),
			check.Touches("nist PR.IR-01", "It keeps few visitors away."),
		},
		Aliases: []string{"cnspec:security-level-not-off", "flareinspect:CFL-WAF-001"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/security_level", Risk: "low", Reversible: true,
			Body:    `{"value": "medium"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Only raises off or essentially_off; a value of under_attack is never touched.",
			Propose: func(c *propose.Case) ([]change.Edit, error) {
				edits, err := propose.Setting("security_level", "medium", "high", "under_attack")(c)
				if len(edits) > 0 && change.Holds(edits[0].Before, map[string]any{"value": "low"}) {
					return nil, propose.Refuse("The level low is a choice somebody made; raise it by hand when nobody needs it.")
				}
				return edits, err
			}},
		Needs: []snapshot.Named{snapshot.ZoneSetting("security_level"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if reason := check.LiveTraffic(v); reason != "" {
				return v.NotApplicable(reason)
			}
			value, ok := check.Read(v, snapshot.ZoneSettings).Text("security_level")
			seen := check.Evidence(snapshot.ZoneSettings, "/security_level", value, "medium or higher")
			switch {
			case !ok:
				return v.NotApplicable("the provider does not return the setting; it sets the level itself")
			case value == "medium" || value == "high" || value == "under_attack":
				return v.Pass("The security level is %s.", value)
			case value == "off" || value == "essentially_off":
				return v.Fail("The security level of "+v.Zone().Name+" is "+value+".", seen)
			case value == "low":
				return v.Warn("The security level of "+v.Zone().Name+" is low.", seen)
			default:
				return v.Unknown("security_level has a value this check does not know: " + value)
			}
		},
	}
}

func securityLevelExamples() []goodtest.Example {
	level := func(value string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.With("security_level", value) })
		}
	}
	return []goodtest.Example{
		{Name: "medium", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "under attack", Want: posture.Pass, Edit: level("under_attack")},
		{Name: "essentially off", Want: posture.Fail, Resource: goodtest.Zone, Edit: level("essentially_off")},
		{Name: "off", Want: posture.Fail, Edit: level("off")},
		{Name: "low", Want: posture.Warning, Resource: goodtest.Zone, Edit: level("low")},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: level("lowest")},
		{Name: "the provider sets it itself", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without("security_level") })
		}},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}
