package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// securityLevel judges whether addresses with a bad reputation are challenged.
func securityLevel() check.Check {
	return check.Check{
		ID: "CFL-WAF-001", Title: "The security level is not switched off",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "The security level decides from which reputation on an address is challenged. With Off and Essentially Off " +
			"hardly any address is, and with Low only the worst are.",
		Fix: "Set the security level back to medium, and make exceptions by configuration rules for the paths that need " +
			"them.",
		Words: check.SettingTo("security_level", "medium", posture.Words{
			Problem:   "The security level of {zone} is off",
			Impact:    "Addresses that Cloudflare knows from attacks reach the site without a challenge.",
			Breaks:    "Visitors and API clients from addresses with a bad reputation meet a challenge.",
			Dashboard: "Security › Settings › Security Level: Medium. Where the dashboard shows no levels, use the API.",
		}),
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
			Caution: "Visitors with a bad reputation may see a challenge. Under Attack mode stays as it is.",
			Propose: func(c *propose.Case) ([]change.Edit, error) {
				edits, err := propose.Setting("security_level", "medium", "high", "under_attack")(c)
				if len(edits) > 0 && change.Holds(edits[0].Before, map[string]any{"value": "low"}) {
					return nil, propose.Refuse("The level low is a choice somebody made; raise it by hand when nobody needs it.")
				}
				return edits, err
			}},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("security_level"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.Setting("security_level").Needs,
		Evaluate: judgeSecurityLevel,
	}
}

func goodLevel(level string) bool {
	return level == "medium" || level == "high" || level == "under_attack"
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
		{Name: "off by a rule for everything", Want: posture.Fail, Edit: levelRule("true", "off")},
		{Name: "off by a rule for everything, and low by one for a path", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: zoneRules(snapshot.ZonePhaseConfig, goodtest.ConfigRule("c1", "true", snapshot.ConfigParams{SecurityLevel: "off"}),
				goodtest.ConfigRule("c2", `http.request.uri.path eq "/api"`, snapshot.ConfigParams{SecurityLevel: "low"}))},
		{Name: "off by a rule for a path", Want: posture.Pass, Edit: levelRule(`starts_with(http.request.uri.path, "/api/")`, "essentially_off")},
		{Name: "off by a rule for a host of another zone", Want: posture.Pass, Edit: levelRule(`http.host eq "other.example"`, "off")},
		{Name: "off, and high by a rule for everything", Want: posture.Pass, Edit: goodtest.Edits(level("off"), levelRule("true", "high"))},
		{Name: "off, and high by a rule for a path", Want: posture.Fail,
			Edit: goodtest.Edits(level("off"), levelRule(`http.request.uri.path eq "/login"`, "high"))},
		{Name: "off by a page rule for everything", Want: posture.Fail,
			Edit: goodtest.SetByPageRule("*"+goodtest.Domain+"/*", "security_level", "essentially_off")},
		{Name: "low by a page rule for a path", Want: posture.Pass,
			Edit: goodtest.SetByPageRule(goodtest.Domain+"/feed*", "security_level", "low")},
		{Name: "the page rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePageRules)},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseConfig)},
		{Name: "Cloudflare sets it itself", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.Without("security_level") })
		}},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

// levelRule is an example edit that adds a configuration rule for the security level.
func levelRule(expression, level string) func(*snapshot.Builder) {
	return zoneRules(snapshot.ZonePhaseConfig, goodtest.ConfigRule("c1", expression, snapshot.ConfigParams{SecurityLevel: level}))
}

func judgeSecurityLevel(v *check.View) check.Outcome {
	if _, ok := check.Read(v, snapshot.ZoneSettings).Text("security_level"); !ok {
		return v.NotApplicable("Cloudflare does not return the setting; it sets the level itself")
	}
	lanes := check.Lanes(v, traffic.Setting("security_level"), v.Zone())
	at := func(levels ...string) []traffic.Lane[traffic.Value[string]] {
		return check.LanesWith(lanes, func(level string) bool { return slices.Contains(levels, level) })
	}
	off, low := at("off", "essentially_off"), at("low")
	say := func(lanes []traffic.Lane[traffic.Value[string]]) (string, []posture.Evidence) {
		return "The security level of " + check.HostsOf(lanes) + " is " + lanes[0].Value.Is + ": " + check.ByRule(lanes[0].Value.By) +
			" says so for " + lanes[0].Example().Describe() + ".", check.LaneEvidence(lanes, "medium or higher")
	}
	lower := slices.Concat(off, low)
	bySetting := func(l traffic.Lane[traffic.Value[string]]) bool { return l.Value.By.Rule == "" }
	usual := len(lower) < len(lanes) || slices.ContainsFunc(lower, bySetting) // rules do not lower everything
	exceptions := func(of []traffic.Lane[traffic.Value[string]]) bool {       // CFL-CFRULE-001 and CFL-RULES-002 judge the rules
		return usual && !slices.ContainsFunc(of, bySetting)
	}
	if len(off) > 0 && !exceptions(off) {
		message, seen := say(off)
		return v.Fail(message, seen...).As(check.ByRuleWords(off[0].Value.By))
	}
	for _, l := range lanes {
		if d := l.Value.Doubt; d != nil && l.Value.Holds(goodLevel) != truth.Yes {
			return v.Doubtful(*d)
		}
		if !slices.Contains(traffic.SecurityLevels(), l.Value.Is) {
			return v.Unknown("security_level has a value this check does not know: " + l.Value.Is)
		}
	}
	if len(low) > 0 && !exceptions(low) {
		message, seen := say(low)
		return v.Warn(message, seen...).As(check.ByRuleWords(low[0].Value.By).Or(posture.Words{Problem: "The security level of {zone} is low"}))
	}
	if len(lower) > 0 {
		return v.Pass("The security level is medium or higher, except where %s decides otherwise.", check.ByRule(lower[0].Value.By))
	}
	return v.Pass("The security level is medium or higher.")
}
