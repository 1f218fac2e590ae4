package rule

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// configRules judges rules that change settings for some requests.
func configRules() check.Check {
	return check.Check{
		ID: "CFL-CFRULE-001", Title: "Configuration rules do not weaken security",
		Category: "rules", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "A configuration rule overrides the settings of the zone for the requests that it matches. The page of the " +
			"setting still shows the value of the zone, so the exception is overlooked.",
		Fix: "Remove the weakening setting from the rule, and delete the rule when nothing else is left; give the origin " +
			"a valid certificate first.",
		Words: posture.Words{
			Problem:   "Configuration rule {name} weakens {zone}",
			Impact:    "Requests that match the rule get less protection than the settings of the zone promise.",
			Breaks:    "Visitors get error 526 where the SSL mode is raised and the origin has no valid certificate.",
			Dashboard: "Rules › Overview › {name}: remove the setting, or limit the rule to the requests that need the exception.",
			Call: configCall(`["ssl", "off"]`, `["ssl", "flexible"]`, `["ssl", "full"]`, `["security_level", "off"]`,
				`["security_level", "essentially_off"]`, `["security_level", "low"]`, `["bic", false]`, `["automatic_https_rewrites", false]`),
		},
		References: []string{"https://developers.cloudflare.com/rules/configuration-rules/",
			"https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Rules do not take parts of a site out of the baseline."),
			check.Supports("soc2 CC6.7", "No path loses its encryption by a rule."),
			check.Touches("soc2 CC8.1", "The result of changes is seen, not whether they were approved."),
			check.Supports("pci 2.2.1", "Exceptions do not undo the hardened settings."),
			check.Touches("pci 6.5.1", "The result of changes is seen, not their process."),
			check.Supports("nist PR.PS-01", "No rule overrides the secure configuration."),
		},
		Aliases: []string{"flareinspect:CFL-CFRULE-001", "union:effective-config"},
		Paths:   []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}", Risk: "medium", Reversible: true,
			Body:    "the whole rule as read without the weakening members of action_parameters (or enabled false when nothing else is left)",
			Inverse: "PATCH the captured rule",
			Caution: "Find out first why the rule exists: hosts whose origin has no valid certificate break when their encryption " +
				"mode is raised.",
			Propose: proposeConfig},
		Edge:     true,
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseConfig},
		Optional: traffic.Sources(traffic.OriginTLS().Needs, traffic.Reaches("").Needs),
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			all := check.Read(v, snapshot.ZonePhaseConfig).Rules
			left := check.Left(v, v.Zone(), check.Conditions(all))
			for i, r := range all {
				if r.Enabled {
					judgeConfig(v, j, r, all[i+1:], left, resource(v, r))
				}
			}
			return j.Done("No configuration rule weakens security.", "the zone has no enabled configuration rule")
		},
	}
}

func configRulesExamples() []goodtest.Example {
	no := false
	sets := func(c snapshot.ConfigParams) snapshot.Rule {
		return snapshot.Rule{ID: "c1", Enabled: true, Action: "set_config", Expression: "true", Params: snapshot.RuleParams{Config: &c}}
	}
	with := func(c snapshot.ConfigParams) func(*snapshot.Builder) { return rules(snapshot.ZonePhaseConfig, sets(c)) }
	return []goodtest.Example{
		{Name: "stricter", Want: posture.Pass, Resource: goodtest.Zone, Edit: with(snapshot.ConfigParams{SSL: "strict", SecurityLevel: "high"})},
		{Name: "flexible", Want: posture.Fail, Resource: "c1", Edit: with(snapshot.ConfigParams{SSL: "flexible"})},
		{Name: "no TLS", Want: posture.Fail, Edit: with(snapshot.ConfigParams{SSL: "off"})},
		{Name: "security off", Want: posture.Fail, Edit: with(snapshot.ConfigParams{SecurityLevel: "essentially_off"})},
		{Name: "full", Want: posture.Warning, Resource: "c1", Edit: with(snapshot.ConfigParams{SSL: "full"})},
		{Name: "low", Want: posture.Warning, Edit: with(snapshot.ConfigParams{SecurityLevel: "low"})},
		{Name: "full where the zone has flexible", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: goodtest.Edits(with(snapshot.ConfigParams{SSL: "full"}), goodtest.Setting("ssl", "flexible"))},
		{Name: "flexible where the zone has full", Want: posture.Fail, Resource: "c1",
			Edit: goodtest.Edits(with(snapshot.ConfigParams{SSL: "flexible"}), goodtest.Setting("ssl", "full"))},
		{Name: "full where the mode of the zone is not known", Want: posture.Unknown, Resource: "c1",
			Edit: goodtest.Edits(with(snapshot.ConfigParams{SSL: "full"}), goodtest.MissingSetting("ssl"))},
		{Name: "no TLS where the mode of the zone is not known", Want: posture.Fail, Resource: "c1",
			Edit: goodtest.Edits(with(snapshot.ConfigParams{SSL: "off"}), goodtest.MissingSetting("ssl"))},
		{Name: "full and no browser check where the mode of the zone is not known", Want: posture.Warning, Resource: "c1",
			Edit: goodtest.Edits(with(snapshot.ConfigParams{SSL: "full", BrowserCheck: &no}), goodtest.MissingSetting("ssl"))},
		{Name: "no browser check", Want: posture.Warning, Edit: with(snapshot.ConfigParams{BrowserCheck: &no})},
		{Name: "no rewrites", Want: posture.Warning, Edit: with(snapshot.ConfigParams{AutomaticHTTPSRewrites: &no})},
		{Name: "something else is set", Want: posture.Pass, Edit: rules(snapshot.ZonePhaseConfig, snapshot.Rule{ID: "c1", Enabled: true,
			Action: "set_config"})},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: rules(snapshot.ZonePhaseConfig,
			goodtest.Off(sets(snapshot.ConfigParams{SSL: "off"})))},
		{Name: "no rule", Want: posture.NotApplicable},
		{Name: "flexible for a host that is not there", Want: posture.Pass, Resource: goodtest.Zone, Edit: rules(snapshot.ZonePhaseConfig,
			goodtest.ConfigRule("c1", `http.host eq "gone.other.example"`, snapshot.ConfigParams{SSL: "flexible"}))},
		{Name: "flexible for requests over plain HTTP, which are in the clear in any case", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: rules(snapshot.ZonePhaseConfig, goodtest.ConfigRule("c1", "not ssl", snapshot.ConfigParams{SSL: "flexible"}))},
		{Name: "flexible for one path", Want: posture.Fail, Resource: "c1", Edit: rules(snapshot.ZonePhaseConfig,
			goodtest.ConfigRule("c1", `http.request.uri.path eq "/api"`, snapshot.ConfigParams{SSL: "flexible"}))},
		{Name: "flexible, and a later rule sets it right", Want: posture.Pass, Resource: goodtest.Zone, Edit: rules(snapshot.ZonePhaseConfig,
			sets(snapshot.ConfigParams{SSL: "flexible"}), goodtest.ConfigRule("c2", "true", snapshot.ConfigParams{SSL: "strict"}))},
		{Name: "flexible after a rule that sets it right", Want: posture.Fail, Resource: "c1", Edit: rules(snapshot.ZonePhaseConfig,
			goodtest.ConfigRule("c2", "true", snapshot.ConfigParams{SSL: "strict"}), sets(snapshot.ConfigParams{SSL: "flexible"}))},
		{Name: "security off, and a later rule sets it right for a path", Want: posture.Fail, Resource: "c1",
			Edit: rules(snapshot.ZonePhaseConfig, sets(snapshot.ConfigParams{SecurityLevel: "off"}),
				goodtest.ConfigRule("c2", `http.request.uri.path eq "/login"`, snapshot.ConfigParams{SecurityLevel: "high"}))},
		{Name: "security off, by an expression nobody can read", Want: posture.Unknown, Resource: "c1", Edit: rules(snapshot.ZonePhaseConfig,
			goodtest.ConfigRule("c1", `odd(`, snapshot.ConfigParams{SecurityLevel: "off"}))},
		{Name: "an SSL mode nobody knows", Want: posture.Unknown, Resource: "c1", Edit: with(snapshot.ConfigParams{SSL: "odd"})},
		{Name: "a security level nobody knows", Want: posture.Unknown, Resource: "c1", Edit: with(snapshot.ConfigParams{SecurityLevel: "odd"})},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(with(snapshot.ConfigParams{SSL: "off"}),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
	}
}

// relaxed is a value that a configuration rule sets below the default, its member, and the
// consequence.
type relaxed struct {
	member, does, observed, expected string
	mild                             bool
	words                            posture.Words
}

// relaxes lists what a rule sets below the default, worst first.
func relaxes(r snapshot.Rule) (out []relaxed) {
	if r.Params.Config == nil {
		return nil
	}
	c := *r.Params.Config
	off := func(b *bool) bool { return b != nil && !*b }
	unchallenged := posture.Words{Impact: "Addresses with a bad reputation reach the pages that the rule matches without a challenge.",
		Breaks: "Visitors and API clients from addresses with a bad reputation meet a challenge on these pages."}
	ssl := relaxed{member: "ssl", does: "sets the SSL mode to " + c.SSL, observed: c.SSL, expected: "strict"}
	level := relaxed{member: "security_level", does: "sets the security level to " + c.SecurityLevel,
		observed: c.SecurityLevel, expected: "medium or higher", words: unchallenged}
	if c.SSL == "off" || c.SSL == "flexible" {
		ssl.words.Impact = "Anyone on the network path between Cloudflare and the origin can read and change the requests that match, " +
			"session cookies included."
		out = append(out, ssl)
	}
	if c.SecurityLevel == "off" || c.SecurityLevel == "essentially_off" {
		out = append(out, level)
	}
	ssl.mild, level.mild = true, true
	if c.SSL == "full" {
		ssl.words.Impact = "Someone who can redirect traffic between Cloudflare and the origin can pose as the origin for the requests that " +
			"match."
		out = append(out, ssl)
	}
	if c.SecurityLevel == "low" {
		out = append(out, level)
	}
	if off(c.BrowserCheck) {
		out = append(out, relaxed{"bic", "turns off Browser Integrity Check", "false", "true", true,
			posture.Words{Impact: "Simple bots that send odd or no browser headers reach the pages that the rule matches.",
				Breaks: "API clients and monitors without the usual headers of a browser are refused on these pages."}})
	}
	if off(c.AutomaticHTTPSRewrites) {
		out = append(out, relaxed{"automatic_https_rewrites", "turns off Automatic HTTPS Rewrites", "false", "true",
			true, posture.Words{Impact: "Someone on the same network can see and replace what these pages load over plain HTTP.",
				Breaks: "Nothing for links to hosts that serve the same content over HTTP and HTTPS."}})
	}
	return out
}

// withoutMembers returns the call that removes members from a rule, and keeps what the rule sets above
// the zone.
func withoutMembers(weak []relaxed) posture.Call {
	var pairs []string
	for _, w := range weak {
		value := `"` + w.observed + `"`
		if w.observed == "false" {
			value = w.observed
		}
		pairs = append(pairs, `["`+w.member+`", `+value+`]`)
	}
	return configCall(pairs...)
}

// configCall returns the call that removes members with certain values from the rule of a finding, and
// the rule when nothing else is left.
func configCall(pairs ...string) posture.Call {
	const path = "/zones/{zone_id}/rulesets/phases/http_config_settings/entrypoint"
	return posture.Call{Method: "PUT", Path: path, From: path,
		Body: `{rules: (.result.rules | map(if .id == "{id}" then (.action_parameters |= with_entries(select([.key, .value] | ` +
			`IN(` + strings.Join(pairs, ", ") + `) | not)) | select(.action_parameters != {})) else . end))}`}
}

// judgeConfig reports the worst setting that a rule applies to some request. A setting that applies
// to no request, or that a later rule overrides, has no effect
// (developers.cloudflare.com/rules/configuration-rules/).
func judgeConfig(v *check.View, j *check.Judgement, r snapshot.Rule, later []snapshot.Rule, left check.Remainder, res posture.Resource) {
	unread, undecided, doubt := false, false, (*traffic.Doubt)(nil)
	weak := slices.DeleteFunc(relaxes(r), func(w relaxed) bool {
		raised := raises(v, w.member, w.observed)
		unread = unread || raised == truth.Undecided
		return raised != truth.No
	})
	for _, w := range weak {
		switch lasts, why := lasting(v, r, later, left, w.member); lasts {
		case truth.No:
			continue
		case truth.Undecided:
			undecided, doubt = true, cmp.Or(doubt, why)
			continue
		}
		record := j.Fail
		if w.mild {
			record = j.Warn
		}
		record(res, "The configuration rule "+res.Name+" "+w.does+" for the requests that it matches.",
			check.Evidence(snapshot.ZonePhaseConfig, "/rules/"+r.ID+"/action_parameters/"+w.member, w.observed, w.expected))
		w.words.Problem, w.words.Call = "Configuration rule {name} "+w.does, withoutMembers(weak)
		j.As(w.words)
		return
	}
	switch {
	case undecided && doubt != nil:
		j.Doubtful(res, *doubt)
	case unread:
		j.Unclear(res, "whether the SSL mode of the rule is below that of the zone is not known")
	case undecided:
		j.ReachUnknown(res, v.Zone())
	case strange(r.Params.Config):
		j.Unclear(res, "the rule sets the SSL mode or the security level to a value that is not known here")
	default:
		j.Pass()
	}
}

// strange reports whether a rule sets a value that Cloudflare does not publish.
func strange(c *snapshot.ConfigParams) bool {
	return c != nil && (c.SSL != "" && !slices.Contains(traffic.OriginModes(), c.SSL) ||
		c.SecurityLevel != "" && !slices.Contains(traffic.SecurityLevels(), c.SecurityLevel))
}

// lasting reports whether a member of a rule takes effect for some request: one that matches the
// rule and no later rule with that member.
func lasting(v *check.View, r snapshot.Rule, later []snapshot.Rule, left check.Remainder, member string) (truth.Value, *traffic.Doubt) {
	if member == "ssl" {
		return modeOf(v, r.Expression, snapshot.ZonePhaseConfig, r.ID)
	}
	return left(r.Expression, setting(later, member)), nil
}

// setting lists the conditions of the enabled configuration rules that set a member.
func setting(rules []snapshot.Rule, member string) (out []string) {
	for _, r := range rules {
		c := r.Params.Config
		if r.Enabled && c != nil && (member == "security_level" && c.SecurityLevel != "" || member == "bic" && c.BrowserCheck != nil ||
			member == "automatic_https_rewrites" && c.AutomaticHTTPSRewrites != nil) {
			out = append(out, r.Expression)
		}
	}
	return out
}

// modeOf reports whether a rule with a condition decides the TLS mode to an origin for some request.
func modeOf(v *check.View, condition string, source snapshot.Named, rule string) (truth.Value, *traffic.Doubt) {
	_, unread := check.Hosts(v, v.Zone())
	among := func(of traffic.Aspect[traffic.Value[string]]) (truth.Value, *traffic.Doubt) {
		out, doubt := truth.If(unread == nil, false), unread
		for _, l := range check.Lanes(v, of, v.Zone()) {
			switch {
			case l.Value.Doubt != nil:
				out, doubt = truth.Undecided, cmp.Or(doubt, l.Value.Doubt)
			case l.Value.By.Source == source && l.Value.By.Rule == rule:
				return truth.Yes, nil
			}
		}
		return out, doubt
	}
	if out, _ := among(traffic.OriginTLS().Of("", traffic.Encrypted)); out != truth.Undecided {
		return out, nil
	}
	return among(traffic.OriginTLS().Of("", "("+condition+") and "+traffic.Encrypted)) // without what is not known about other requests
}

// proposeConfig removes the weakening members from the rule, and disables it when it sets nothing
// else.
func proposeConfig(c *propose.Case) ([]change.Edit, error) {
	var unread error
	edits, err := c.ReplaceRule("http_config_settings", func(rule map[string]any) bool {
		parameters, _ := rule["action_parameters"].(map[string]any)
		kept := maps.Clone(parameters)
		var zone any
		if _, sets := kept["ssl"]; sets {
			zone, unread = c.Value("ssl")
		}
		maps.DeleteFunc(kept, func(name string, value any) bool {
			mode, _ := value.(string)
			return weakens(name, value) && !(name == "ssl" && above(mode, zone))
		})
		switch {
		case !propose.Flag(rule, "enabled") || len(kept) == len(parameters):
			return false
		case len(kept) == 0: // a rule must set something, so the members stay
			rule["enabled"] = false
		default:
			rule["action_parameters"] = kept
		}
		return true
	}, "enabled", "action_parameters")
	if unread != nil {
		return nil, unread
	}
	return edits, err
}

// weakens reports whether a member of a configuration rule is below the default.
func weakens(name string, value any) bool {
	weak := map[string][]any{"ssl": {"off", "flexible", "full"}, "security_level": {"off", "essentially_off", "low"}, "bic": {false},
		"automatic_https_rewrites": {false}}
	return slices.Contains(weak[name], value)
}
