package bot

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// likely judges the middle band of bot scores.
func likely() check.Check {
	return check.Check{
		ID: "CFL-BOT-004", Title: "Likely automated traffic is challenged",
		Category: "bot", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"business", "enterprise"},
		Why:   "Most credential stuffing and scraping comes from clients that Cloudflare scores as likely automated.",
		Fix:   "Set Likely automated to Managed Challenge, after a skip rule that lets your own API clients through.",
		Words: posture.Words{
			Problem: "Likely automated traffic is allowed on {zone}",
			Impact: "Scripts can try stolen passwords and copy content without meeting a challenge, as long as they look a little " +
				"like a browser.",
			Breaks:    "API clients, feed readers and monitoring that match no skip rule are challenged and fail.",
			Dashboard: "Security › Settings › Bot traffic › Super Bot Fight Mode › Likely automated: Managed Challenge.",
			Call:      posture.Call{Method: "PUT", Path: "/zones/{zone_id}/bot_management", Body: `{"sbfm_likely_automated": "managed_challenge"}`},
			Terraform: `resource "cloudflare_bot_management" "zone" {
  zone_id               = "{zone_id}"
  sbfm_likely_automated = "managed_challenge"
}`},
		References: []string{"https://developers.cloudflare.com/bots/plans/bm-subscription/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Likely automated requests are challenged at the application layer."),
			check.Supports("soc2 CC6.6", "Automated attacks from outside meet a challenge."),
			check.Supports("pci 6.4.2", "Credential stuffing and scraping are among the attacks to be stopped automatically."),
			check.Supports("nist PR.IR-01", "Automated misuse is kept from the application."),
		},
		Aliases: []string{},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/bot_management", Risk: "medium", Reversible: true,
			Body:    `{"sbfm_likely_automated": "managed_challenge"}`,
			Inverse: "PUT the captured value",
			Caution: "Watch the false-positive share for a day.",
			Propose: proposeMember("sbfm_likely_automated", "managed_challenge", "block")},
		Needs:    []snapshot.Named{snapshot.ZoneBotManagement, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateLikely,
	}
}

// evaluateLikely judges Super Bot Fight Mode where the zone has it. With Bot Management the zone
// has scores instead, which custom rules act on.
func evaluateLikely(v *check.View) check.Outcome {
	name, c := v.Zone().Name, check.Read(v, snapshot.ZoneBotManagement)
	switch a := c.LikelyAutomated; {
	case a == "managed_challenge" || a == "block":
		return metByMode(v, "likely", a)
	case a == "allow":
		return v.Fail("Requests to "+name+" that are likely automated are let through.",
			check.Evidence(snapshot.ZoneBotManagement, "/sbfm_likely_automated", a, "managed_challenge or block"))
	case a != "":
		return v.Unknown("sbfm_likely_automated has a value this check does not know: " + a)
	case v.Zone().Plan != "enterprise":
		return v.NotApplicable("the zone does not have Super Bot Fight Mode")
	}
	stops, _, doubt := onScore(v, "lt 30")
	switch stops {
	case truth.Yes:
		return v.Pass("A rule acts on the bot score.")
	case truth.No:
		return v.NotApplicable("the zone has Bot Management in place of Super Bot Fight Mode, and no rule reads its score (CFL-BOT-001)")
	}
	if doubt != nil {
		return v.Doubtful(*doubt)
	}
	return v.Unknown("a custom rule cannot be read, so whether one acts on the bot score is not known")
}

func likelyExamples() []goodtest.Example {
	action := func(value string) func(*snapshot.Builder) {
		return config(func(c *snapshot.BotManagement) { c.LikelyAutomated = value })
	}
	return []goodtest.Example{
		{Name: "challenged", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "blocked", Want: posture.Pass, Edit: action("block")},
		{Name: "challenged, and skipped for everyone", Want: posture.Fail, Edit: skipMode("true")},
		{Name: "allowed", Want: posture.Fail, Resource: goodtest.Zone, Edit: action("allow")},
		{Name: "Bot Management, a rule on the score", Want: posture.Pass, Edit: action("")},
		{Name: "Bot Management, no rule on the score", Want: posture.NotApplicable, Edit: goodtest.Edits(action(""), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{ID: "r"})
		})},
		{Name: "Bot Management, the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(action(""), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePhaseCustom.Source(), snapshot.Denied, "WAF Read", "")
		})},
		{Name: "business, without the field", Want: posture.NotApplicable, Edit: goodtest.Edits(action(""), goodtest.Plan("business"))},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: action("smile")},
		{Name: "pro plan", Want: posture.NotApplicable, Edit: goodtest.Edits(action("allow"), goodtest.Plan("pro"))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}
