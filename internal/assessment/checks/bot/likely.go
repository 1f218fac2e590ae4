package bot

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// likely judges the middle band of bot scores.
func likely() check.Check {
	return check.Check{
		ID: "CFL-BOT-004", Title: "Likely automated traffic is challenged",
		Category: "bot", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans:      []string{"business", "enterprise"},
		Why:        "The middle band of bot scores carries most credential stuffing.",
		Fix:        "Challenge it.",
		References: []string{"https://developers.cloudflare.com/bots/plans/bm-subscription/"},
		Controls:   posture.Controls{CIS: []string{"13.10"}, SOC2: []string{"CC6.6"}, PCI: []string{"6.4.2"}, NIST: []string{"PR.IR-01"}},
		Aliases:    []string{},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/bot_management", Risk: "medium", Reversible: true,
			Body:    `{"sbfm_likely_automated": "managed_challenge"}`,
			Inverse: "PUT the captured value",
			Caution: "Watch the false-positive share for a day.",
			Propose: proposeMember("sbfm_likely_automated", "managed_challenge", "block")},
		Needs: []snapshot.Named{snapshot.ZoneBotManagement, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if reason := check.LiveTraffic(v); reason != "" {
				return v.NotApplicable(reason)
			}
			switch a := check.Read(v, snapshot.ZoneBotManagement).LikelyAutomated; a {
			case "":
				return v.Unknown("the provider did not return sbfm_likely_automated")
			case "managed_challenge", "block":
				return v.Pass("Requests that are likely automated meet the action %s.", a)
			case "allow":
				return v.Fail("Requests to "+v.Zone().Name+" that are likely automated are let through.",
					check.Evidence(snapshot.ZoneBotManagement, "/sbfm_likely_automated", a, "managed_challenge or block"))
			default:
				return v.Unknown("sbfm_likely_automated has a value this check does not know: " + a)
			}
		},
	}
}

func likelyExamples() []goodtest.Example {
	action := func(value string) func(*snapshot.Builder) {
		return config(func(c *snapshot.BotManagement) { c.LikelyAutomated = value })
	}
	return []goodtest.Example{
		{Name: "challenged", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "blocked", Want: posture.Pass, Edit: action("block")},
		{Name: "allowed", Want: posture.Fail, Resource: goodtest.Zone, Edit: action("allow")},
		{Name: "not returned", Want: posture.Unknown, Edit: action("")},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: action("smile")},
		{Name: "pro plan", Want: posture.NotApplicable, Edit: goodtest.Edits(action("allow"), goodtest.Plan("pro"))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}
