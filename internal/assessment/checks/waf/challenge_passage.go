package waf

import (
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// challengePassage judges how long a solved challenge is valid.
func challengePassage() check.Check {
	return check.Check{
		ID: "CFL-WAF-021", Title: "The challenge passage time is sensible",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Challenge Passage is how long a visitor who solved a challenge is not challenged again. Its cookie can be " +
			"handed to a script, which then works for that time.",
		Fix: "Set Challenge Passage to 30 minutes, and longer only where visitors fill in long forms.",
		Words: posture.Words{
			Problem:   "A solved challenge of {zone} counts for too long",
			Impact:    "Someone who solves one challenge by hand runs a script with the cookie until the time is over.",
			Breaks:    "Visitors who are challenged see the challenge more often.",
			Dashboard: "Security › Settings › Challenge Passage: 30 minutes.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/settings/challenge_ttl",
				Body: `{"value": 1800}`},
			Terraform: `resource "cloudflare_zone_setting" "challenge_ttl" {
  zone_id    = "{zone_id}"
  setting_id = "challenge_ttl"
  value      = 1800
}`},
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
		Needs:    []snapshot.Named{snapshot.ZoneSetting("challenge_ttl"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			text, _ := check.Read(v, snapshot.ZoneSettings).Text("challenge_ttl")
			seconds, err := strconv.Atoi(text)
			p, lasting := v.Policy, check.Lasting(time.Duration(seconds)*time.Second)
			seen := check.Evidence(snapshot.ZoneSettings, "/challenge_ttl", text+" s", strconv.Itoa(p.ChallengeMin)+" to "+
				strconv.Itoa(p.ChallengeMax)+
				" s")
			switch {
			case err != nil || seconds <= 0:
				return v.Unknown("Cloudflare returned no usable challenge_ttl")
			case seconds > p.ChallengeFail:
				return v.Fail("A solved challenge of "+v.Zone().Name+" counts for "+lasting+".", seen)
			case seconds < p.ChallengeMin:
				return v.Warn("Visitors of "+v.Zone().Name+" who solved a challenge are challenged again after "+lasting+".", seen).
					As(posture.Words{Problem: "A solved challenge of {zone} counts for a short time",
						Impact: "Visitors are challenged again in the middle of a visit, and some of them give up.",
						Breaks: "Nothing; a solved challenge counts for longer."})
			case seconds > p.ChallengeMax:
				return v.Warn("A solved challenge of "+v.Zone().Name+" counts for "+lasting+".", seen)
			}
			return v.Pass("A solved challenge counts for %s.", lasting)
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
