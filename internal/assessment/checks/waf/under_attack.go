package waf

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// underAttack judges how long every visitor has been challenged.
func underAttack() check.Check {
	return check.Check{
		ID: "CFL-ZONE-004", Title: "Under-attack mode is not permanent",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Under Attack mode shows every visitor a page that checks the browser, and is meant for the time of an " +
			"attack. API clients, feed readers and some visitors never get past this page.",
		Fix: "Turn off Under Attack mode, and stop the attack by its own traits with custom and rate limiting rules.",
		Words: check.SettingTo("security_level", "medium", posture.Words{
			Problem:   "{zone} stays in Under Attack mode",
			Impact:    "Visitors and API clients are held up or shut out, and exceptions made for them open gaps for attackers.",
			Breaks:    "When the attack still goes on, its requests reach the origin again.",
			Dashboard: "Overview › Quick Actions › Under Attack Mode: Off.",
		}),
		References: []string{"https://developers.cloudflare.com/rules/configuration-rules/", "https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "An emergency mode is not the baseline."),
			check.Touches("soc2 CC8.1", "That a mode was left on hints at changes without an end; it shows no process."),
			check.Touches("pci 6.5.1", "It finds a change that was not undone, not how changes are controlled."),
			check.Supports("nist PR.PS-01", "The configuration is back at its baseline."),
		},
		Aliases:  []string{"prowler:zone_security_under_attack_disabled"},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("security_level"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.Setting("security_level").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			settings := check.Read(v, snapshot.ZoneSettings)
			if _, ok := settings.Text("security_level"); !ok {
				return v.NotApplicable("Cloudflare does not return the setting; it sets the level itself")
			}
			lanes := check.Lanes(v, traffic.Setting("security_level"), v.Zone())
			isAttacked := func(level string) bool { return level == "under_attack" }
			if d := check.DoubtOf(lanes, isAttacked); d != nil {
				return v.Doubtful(*d)
			}
			attacked := check.LanesWith(lanes, isAttacked)
			byRule := !slices.ContainsFunc(attacked, func(l traffic.Lane[traffic.Value[string]]) bool { return l.Value.By.Rule == "" })
			if len(attacked) == 0 || byRule && len(attacked) < len(lanes) {
				return v.Pass("The zone is not in Under Attack mode.") // for part of the traffic, a rule sets it deliberately
			}
			changed := settings.Modified("security_level")
			longest := time.Duration(v.Policy.UnderAttackHours) * time.Hour
			seen := check.LaneEvidence(attacked, "another level when the attack is over")
			switch {
			case byRule:
				return v.Warn("All traffic of "+v.Zone().Name+" is in Under Attack mode by "+check.ByRule(attacked[0].Value.By)+".", seen...).
					As(check.ByRuleWords(attacked[0].Value.By).Or(posture.Words{Problem: "A rule keeps {zone} in Under Attack mode"}))
			case changed.IsZero():
				return v.Unknown("the zone is in Under Attack mode and Cloudflare returned no date of the change")
			case v.Now().Sub(changed.Time) > longest:
				return v.Fail("The zone "+v.Zone().Name+" has been in Under Attack mode since "+check.Day(changed)+".", seen...)
			}
			return v.Warn("The zone "+v.Zone().Name+" is in Under Attack mode.", seen...).
				As(posture.Words{Problem: "{zone} is in Under Attack mode"})
		},
	}
}

func underAttackExamples() []goodtest.Example {
	since := func(level string, ago time.Duration) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) {
				*s = s.With("security_level", level)
				for i := range *s {
					if (*s)[i].ID == "security_level" {
						(*s)[i].ModifiedOn = snapshot.At(goodtest.Now().Add(-ago))
					}
				}
			})
		}
	}
	return []goodtest.Example{
		{Name: "medium", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "since a week", Want: posture.Fail, Resource: goodtest.Zone, Edit: since("under_attack", 7*24*time.Hour)},
		{Name: "since a day", Want: posture.Warning, Resource: goodtest.Zone, Edit: since("under_attack", 24*time.Hour)},
		{Name: "a longer time was allowed", Want: posture.Warning, Edit: since("under_attack", 7*24*time.Hour),
			Policy: func(p *policy.Policy) { p.UnderAttackHours = 200 }},
		{Name: "by a rule for everything", Want: posture.Warning, Edit: levelRule("true", "under_attack")},
		{Name: "by a rule for the login", Want: posture.Pass, Edit: levelRule(`http.request.uri.path eq "/login"`, "under_attack")},
		{Name: "since a week, and lowered by a rule for everything", Want: posture.Pass,
			Edit: goodtest.Edits(since("under_attack", 7*24*time.Hour), levelRule("true", "high"))},
		{Name: "since a week, and lowered by a rule for a path", Want: posture.Fail,
			Edit: goodtest.Edits(since("under_attack", 7*24*time.Hour), levelRule(`http.request.uri.path eq "/api"`, "high"))},
		{Name: "since a week, and once more by a rule for a path", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.Edits(since("under_attack", 7*24*time.Hour), levelRule(`http.request.uri.path eq "/a"`, "under_attack"))},
		{Name: "since a week, by a rule for a path, and lowered by one for another", Want: posture.Fail,
			Edit: goodtest.Edits(since("under_attack", 7*24*time.Hour), levelRule(`http.request.uri.path eq "/a"`, "under_attack"),
				func(b *snapshot.Builder) {
					snapshot.Edit(b, snapshot.ZonePhaseConfig, goodtest.Zone, func(r *snapshot.Ruleset) {
						r.Rules = append(r.Rules, goodtest.ConfigRule("c2", `http.request.uri.path eq "/z"`, snapshot.ConfigParams{SecurityLevel: "high"}))
					})
				})},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseConfig)},
		{Name: "no date", Want: posture.Unknown, Edit: goodtest.Setting("security_level", "under_attack")},
		{Name: "not returned", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without("security_level") })
		}},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(since("under_attack", 7*24*time.Hour),
			goodtest.NotProxied())},
	}
}
