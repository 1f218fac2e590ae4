package ddos

import (
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// httpFloods judges the overrides of a zone's HTTP protection.
func httpFloods() check.Check {
	return check.Check{
		ID: "CFL-DDOS-001", Title: "HTTP DDoS overrides do not lower protection",
		Category: "ddos", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "HTTP DDoS protection is on for every zone. An override can lower its sensitivity or turn a mitigation into " +
			"a log entry.",
		Fix: "Remove the override, or limit it to the path and the rule that misfired.",
		Words: posture.Words{
			Problem:   "HTTP DDoS protection of {zone} is weakened by an override",
			Impact:    "An attacker who floods the site reaches the origin with traffic that Cloudflare would have stopped.",
			Breaks:    "Legitimate bursts that were the reason for the override may be mitigated again.",
			Dashboard: "Security › Settings › DDoS › HTTP DDoS attack protection: delete the override or set it back to the default.",
		},
		References: []string{"https://developers.cloudflare.com/ddos-protection/managed-rulesets/http/",
			"https://developers.cloudflare.com/ddos-protection/"},
		Controls: check.Controls{
			check.Supports("cis 13.8", "HTTP floods are blocked at the sensitivity that Cloudflare chose."),
			check.Touches("soc2 CC7.2", "It acts on anomalies in traffic; nobody is told of them by it."),
			check.Supports("soc2 A1.1", "Capacity is not given away to floods."),
			check.Shows("nist PR.IR-04", "Capacity is kept available because floods are blocked in full."),
		},
		Aliases: []string{"flareinspect:CFL-DDOS-001", "union:ddos-sensitivity"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}", Risk: "medium", Reversible: true,
			Body:    "the whole rule as read without the weakening override members",
			Inverse: "PATCH the captured rule",
			Caution: "Legitimate bursts that caused the override may be mitigated again.",
			Propose: proposeFloods},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseDDoS, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: append(traffic.Reaches("").Needs, snapshot.AccountRulesets, snapshot.AccountPhaseDDoSL7),
		Evaluate: func(v *check.View) check.Outcome {
			phase, rules := snapshot.ZonePhaseDDoS, check.Read(v, snapshot.ZonePhaseDDoS)
			whose, words, known := "An override", posture.Words{}, true
			// Overrides of the account are for zones without any of their own
			// (developers.cloudflare.com/ddos-protection/managed-rulesets/http/http-overrides/configure-api/).
			if !slices.ContainsFunc(rules.Rules, func(r snapshot.Rule) bool { return r.Enabled }) && v.Zone().MayHave("enterprise") {
				phase, whose, words = snapshot.AccountPhaseDDoSL7, "An override of the account", ofAccount()
				rules, known = check.EntryPoint(v, snapshot.AccountRulesets, phase, v.Account().ID)
			}
			g, blamed, observed, open := worst(rules, func(condition string, others []string) traffic.Coverage {
				return check.Reaches(v, v.Zone(), traffic.Except(condition, others))
			})
			seen := check.Evidence(phase, "/rules/"+blamed+"/action_parameters/overrides", observed, "no override that lowers the protection")
			switch {
			case !known:
				return v.Unknown("the zone has no override; whether one of the account weakens the protection is not known")
			case g == removed:
				return v.Fail(whose+" takes HTTP flood protection of "+v.Zone().Name+" out of force.", seen).As(words)
			case g == lowered:
				return v.Warn(whose+" weakens HTTP flood protection of "+v.Zone().Name+".", seen).As(words)
			case open:
				return v.Unknown("it is not known which requests an override is for, or what it does")
			default:
				return v.Pass("HTTP flood protection is at full strength.")
			}
		},
	}
}

// ofAccount returns the words for an override of the account, which is changed there.
func ofAccount() posture.Words {
	return posture.Words{ByHand: true, Problem: "An account override weakens HTTP DDoS protection of {zone}",
		Breaks: "Legitimate bursts of any zone that were the reason for the override may be mitigated again.",
		Dashboard: "Security › Settings › DDoS › HTTP DDoS attack protection: an override of the zone replaces those of the account. To " +
			"remove that of the account, use the API, in the phase ddos_l7."}
}

func httpFloodsExamples() []goodtest.Example {
	put := func(o *snapshot.Overrides) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePhaseDDoS, goodtest.Zone, execute(o)) }
	}
	scoped := func(expression string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			entry := execute(&snapshot.Overrides{Action: "log"})
			entry.Rules[0].Expression = expression
			snapshot.Put(b, snapshot.ZonePhaseDDoS, goodtest.Zone, entry)
		}
	}
	shared := func(o *snapshot.Overrides) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AccountPhaseDDoSL7, goodtest.Account, execute(o)) }
	}
	unread := func(b *snapshot.Builder) {
		b.Mark(snapshot.AccountRulesets.Source(), snapshot.Denied, "Account Rulesets Read", "")
	}
	ofAccount := []goodtest.Example{
		{Name: "the account logs", Want: posture.Fail, Resource: goodtest.Zone, Edit: shared(&snapshot.Overrides{Action: "log"})},
		{Name: "the account is less sensitive", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: shared(&snapshot.Overrides{Sensitivity: "low"})},
		{Name: "the account logs, and the zone has an override of its own", Want: posture.Pass,
			Edit: goodtest.Edits(shared(&snapshot.Overrides{Action: "log"}), put(&snapshot.Overrides{Sensitivity: "default"}))},
		{Name: "the account logs, and the override of the zone is off", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(
			shared(&snapshot.Overrides{Action: "log"}), put(&snapshot.Overrides{Sensitivity: "default"}), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.ZonePhaseDDoS, goodtest.Zone, func(r *snapshot.Ruleset) { r.Rules[0].Enabled = false })
			})},
		{Name: "the account logs, below enterprise", Want: posture.Pass, Edit: goodtest.Edits(shared(&snapshot.Overrides{Action: "log"}),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
		{Name: "overrides of the account are not readable", Want: posture.Unknown, Edit: unread},
		{Name: "overrides of the account are not readable, and the zone has one", Want: posture.Pass,
			Edit: goodtest.Edits(unread, put(&snapshot.Overrides{Sensitivity: "default"}))},
	}
	after := func(first, second string) func(*snapshot.Builder) {
		return behind(snapshot.ZonePhaseDDoS, goodtest.Zone, first, second)
	}
	twoLog := func(first, second string) func(*snapshot.Builder) {
		return goodtest.Edits(after(first, second), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZonePhaseDDoS, goodtest.Zone, func(r *snapshot.Ruleset) { r.Rules[0].Params.Overrides.Action = "log" })
		})
	}
	order := append(orderExamples(snapshot.ZonePhaseDDoS, goodtest.Zone),
		goodtest.Example{Name: "one rule logs a part, and another one the rest", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: twoLog(`http.request.uri.path eq "/a"`, `http.request.uri.path ne "/a"`)},
		goodtest.Example{Name: "one rule logs a part, and another one the same", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: twoLog(`http.request.uri.path eq "/a"`, `http.request.uri.path eq "/a"`)},
		goodtest.Example{Name: "logs for a path below one that an earlier rule blocks", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: after(`starts_with(http.request.uri.path, "/api/")`, `http.request.uri.path eq "/api/hook"`)},
		goodtest.Example{Name: "logs for more than an earlier rule blocks", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: after(`http.request.uri.path eq "/api/hook"`, `starts_with(http.request.uri.path, "/api/")`)},
		goodtest.Example{Name: "logs behind a rule that nobody can read", Want: posture.Unknown, Edit: after("odd(", "true")})
	return append(append(append(overrideExamples(put, goodtest.Zone), order...), ofAccount...), goodtest.Example{Name: "logs for one path",
		Want: posture.Warning, Resource: goodtest.Zone, Edit: scoped(`http.request.uri.path eq "/webhook"`)},
		goodtest.Example{Name: "logs for a host of another zone", Want: posture.Pass, Edit: scoped(`http.host eq "www.other.example"`)},
		goodtest.Example{Name: "logs by an expression nobody can read", Want: posture.Unknown, Edit: scoped("odd(")},
		goodtest.Example{Name: "no proxied record", Want: posture.NotApplicable,
			Edit: goodtest.Edits(put(&snapshot.Overrides{Action: "log"}), goodtest.NotProxied())})
}

// proposeFloods removes the overrides that weaken the protection, with one edit for each rule that
// has any.
func proposeFloods(c *propose.Case) ([]change.Edit, error) {
	const phase = "ddos_l7"
	entry, rules, err := c.Rules(phase)
	if err != nil {
		return nil, err
	}
	var edits []change.Edit
	for _, rule := range rules {
		written := propose.Copy(rule)
		parameters, _ := written["action_parameters"].(map[string]any)
		overrides, _ := parameters["overrides"].(map[string]any)
		if !propose.Flag(rule, "enabled") || !strengthen(overrides) {
			continue
		}
		if len(overrides) == 0 {
			delete(parameters, "overrides")
		}
		e := c.PatchRule(phase, entry, rule, written, "action_parameters")
		e.Label = propose.Text(rule, "id")
		edits = append(edits, e)
	}
	if source, _ := c.Cause(); len(edits) == 0 && source == snapshot.AccountPhaseDDoSL7.Source() {
		return nil, propose.Refuse("An override of the account weakens the protection of every zone without one of its own; change it there by " +
			"hand.")
	}
	return edits, nil
}

// strengthen removes the override members that weaken the protection, and entries that are then
// empty. It reports whether there were any.
func strengthen(overrides map[string]any) bool {
	changed := dropWeak(overrides)
	for _, list := range []string{"categories", "rules"} {
		all := propose.Objects(overrides[list])
		var kept []any
		for _, one := range all {
			if dropWeak(one) {
				changed = true
				if len(propose.Without(one, "id", "category")) == 0 {
					continue
				}
			}
			kept = append(kept, one)
		}
		if len(all) > 0 {
			overrides[list] = kept
		}
		if len(kept) == 0 {
			delete(overrides, list)
		}
	}
	return changed
}

func dropWeak(override map[string]any) bool {
	n := len(override)
	maps.DeleteFunc(override, func(name string, value any) bool {
		return name == "action" && value == "log" || name == "enabled" && value == false || name == "sensitivity_level" && value != "default"
	})
	return len(override) < n
}
