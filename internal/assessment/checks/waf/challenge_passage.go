package waf

import (
	"strconv"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// challengePassage judges for how long a solved challenge counts.
func challengePassage() check.Check {
	return check.Check{
		ID: "CFL-WAF-021", Title: "The challenge passage time is sensible",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "A very long passage lets one solved challenge serve a whole attack.",
		Fix:        "Choose 30 minutes.",
		References: []string{"https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "A solved challenge is not valid for too long."),
			check.Touches("soc2 CC6.6", "How long a pass holds changes little at the boundary."),
			check.Touches("nist PR.IR-01", "How long a pass holds changes little for the network."),
		},
		Aliases: []string{"prowler:zone_challenge_passage_configured"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/challenge_ttl", Risk: "low", Reversible: true,
			Body:    `{"value": 1800}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Visitors may see a challenge more often.",
			Propose: propose.Setting("challenge_ttl", 1800)},
		Needs: []snapshot.Named{snapshot.ZoneSetting("challenge_ttl"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			if reason := check.LiveTraffic(v); reason != "" {
				return v.NotApplicable(reason)
			}
			text, _ := check.Read(v, snapshot.ZoneSettings).Text("challenge_ttl")
			seconds, err := strconv.Atoi(text)
			p := v.Policy
			seen := check.Evidence(snapshot.ZoneSettings, "/challenge_ttl", text+" s", strconv.Itoa(p.ChallengeMin)+" to "+
				strconv.Itoa(p.ChallengeMax)+
				" s")
			switch {
			case err != nil || seconds <= 0:
				return v.Unknown("the provider returned no usable challenge_ttl")
			case seconds > p.ChallengeFail:
				return v.Fail("A solved challenge of "+v.Zone().Name+" counts for "+text+" seconds.", seen)
			case seconds < p.ChallengeMin:
				return v.Warn("Visitors of "+v.Zone().Name+" are challenged again after "+text+" seconds.", seen)
			case seconds > p.ChallengeMax:
				return v.Warn("A solved challenge of "+v.Zone().Name+" counts for "+text+" seconds.", seen)
			}
			return v.Pass("A solved challenge counts for %d seconds.", seconds)
		},
	}
}

func challengePassageExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "half an hour", Want: posture.Pass, Resource: goodtest.Zone, Edit: goodtest.Setting("challenge_ttl", 1800)},
		{Name: "the shortest", Want: posture.Pass, Edit: goodtest.Setting("challenge_ttl", 900)},
		{Name: "the longest", Want: posture.Pass, Edit: goodtest.Setting("challenge_ttl", 2700)},
		{Name: "a week", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting("challenge_ttl", 604800)},
		{Name: "a day", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Setting("challenge_ttl", 86400)},
		{Name: "five minutes", Want: posture.Warning, Edit: goodtest.Setting("challenge_ttl", 300)},
		{Name: "another limit", Want: posture.Pass, Edit: goodtest.Setting("challenge_ttl", 3600),
			Policy: func(p *policy.Policy) { p.ChallengeMax = 3600 }},
		{Name: "no number", Want: posture.Unknown, Edit: goodtest.Setting("challenge_ttl", "long")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Setting("challenge_ttl", 604800),
			goodtest.NotProxied())},
	}
}
