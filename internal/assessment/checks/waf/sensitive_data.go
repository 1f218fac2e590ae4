package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// sensitiveData judges whether responses are scanned for data that should not be in them. Whether
// the zone has the add-on is known from the list of rulesets, which includes those the zone can
// deploy.
func sensitiveData() check.Check {
	return check.Check{
		ID: "CFL-WAF-027", Title: "Sensitive Data Detection runs where the zone has it",
		Category: "waf", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"enterprise"},
		Why: "Sensitive Data Detection searches answers for card numbers, personal data and keys, and logs what it finds. It runs outside " +
			"the path of the answer, so that it delays and blocks nothing.",
		Fix: "Deploy Sensitive Data Detection on all requests, then turn on the rules for the kinds of data that you hold.",
		Words: posture.Words{
			Problem: "Nobody sees when {zone} answers with sensitive data",
			Impact: "Someone who finds a flaw that returns records of others can copy them for as long as nobody sees it in the logs of the " +
				"application.",
			Breaks:    "Nothing that visitors see; the rules only log.",
			Dashboard: "Security › Settings › Web application exploits › Sensitive data detection: On.",
			Call:      detecting(),
			Terraform: `# The resource holds all rules of the phase.
resource "cloudflare_ruleset" "responses" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_response_firewall_managed"
  rules = [{
    action            = "execute"
    expression        = "true"
    enabled           = true
    action_parameters = { id = "` + snapshot.SensitiveDataRulesetID + `" }
  }]
}`},
		References: []string{"https://developers.cloudflare.com/waf/managed-rules/reference/sensitive-data-detection/"},
		Controls: check.Controls{
			check.Supports("cis 3.13", "Sensitive data in answers is detected."),
			check.Supports("soc2 CC7.2", "Answers that leak data are seen."),
			check.Supports("nist DE.CM-01", "Data that leaves with answers is monitored."),
		},
		Needs: []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseLeaks, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: append(slices.Clone(traffic.Reaches("").Needs),
			snapshot.AccountRulesets),
		Evaluate: evaluateSensitiveData,
	}
}

func sensitiveDataGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.ZoneRulesets, goodtest.Zone, func(infos *[]snapshot.RulesetInfo) {
		*infos = append(*infos, snapshot.RulesetInfo{ID: snapshot.SensitiveDataRulesetID, Kind: "managed",
			Phase: "http_response_firewall_managed"})
	})
	zoneRules(snapshot.ZonePhaseLeaks, execute("s1", snapshot.SensitiveDataRulesetID, "true"))(b)
}

func sensitiveDataExamples() []goodtest.Example {
	phase, no, yes := snapshot.ZonePhaseLeaks, false, true
	on := func(expression string) snapshot.Rule {
		return execute("s1", snapshot.SensitiveDataRulesetID, expression)
	}
	with := func(o snapshot.Overrides) func(*snapshot.Builder) {
		r := on("true")
		r.Params.Overrides = &o
		return zoneRules(phase, r)
	}
	partly := on("true")
	partly.Params.Overrides = &snapshot.Overrides{Categories: []snapshot.CategoryOverride{{Category: "pii", Enabled: &no}}}
	except := func(id, expression string) snapshot.Rule {
		r := rule("x", "skip", expression)
		r.Params.Rulesets = []string{id}
		return r
	}
	unlisted := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneRulesets, goodtest.Zone, func(infos *[]snapshot.RulesetInfo) {
			*infos = slices.DeleteFunc(*infos, func(i snapshot.RulesetInfo) bool { return i.ID == snapshot.SensitiveDataRulesetID })
		})
	}
	ofAccount := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountRulesets, goodtest.Account, func(infos *[]snapshot.RulesetInfo) {
			*infos = append(*infos, snapshot.RulesetInfo{ID: "rs", Kind: "root", Phase: "http_response_firewall_managed"})
		})
	}
	return []goodtest.Example{
		{Name: "on all requests", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "on two halves", Want: posture.Pass, Edit: zoneRules(phase, on(`starts_with(http.request.uri.path, "/api/")`),
			on(`not starts_with(http.request.uri.path, "/api/")`))},
		{Name: "chosen rules only", Want: posture.Pass, Edit: with(snapshot.Overrides{Enabled: &no,
			Rules: []snapshot.RuleOverride{{ID: "r", Enabled: &yes}}})},
		{Name: "one rule off", Want: posture.Pass, Edit: with(snapshot.Overrides{Rules: []snapshot.RuleOverride{{ID: "r", Enabled: &no}}})},
		{Name: "a category is off by one rule, and on by a later one", Want: posture.Pass, Edit: zoneRules(phase, partly, on("true"))},
		{Name: "a category is off by one rule, and on by an earlier one", Want: posture.Pass, Edit: zoneRules(phase, on("true"), partly)},
		{Name: "a category is off by one rule, and on by a later one for a path", Want: posture.Warning,
			Edit: zoneRules(phase, partly, on(`http.request.uri.path eq "/a"`))},
		{Name: "not deployed", Want: posture.Fail, Severity: posture.Low, Resource: goodtest.Zone, Edit: zoneRules(phase)},
		{Name: "the rule is off", Want: posture.Fail, Edit: zoneRules(phase, goodtest.Off(on("true")))},
		{Name: "every rule of it is off", Want: posture.Fail, Edit: with(snapshot.Overrides{Enabled: &no})},
		{Name: "for hosts of another zone", Want: posture.Fail, Edit: zoneRules(phase, on(`http.host eq "other.test"`))},
		{Name: "an exception takes all", Want: posture.Fail,
			Edit: zoneRules(phase, except(snapshot.SensitiveDataRulesetID, "true"), on("true"))},
		{Name: "an exception behind it", Want: posture.Pass,
			Edit: zoneRules(phase, on("true"), except(snapshot.SensitiveDataRulesetID, "true"))},
		{Name: "an exception for another ruleset", Want: posture.Pass, Edit: zoneRules(phase, except("f00", "true"), on("true"))},
		{Name: "on one path", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneRules(phase, on(`http.request.uri.path eq "/a"`))},
		{Name: "an exception takes a path", Want: posture.Warning,
			Edit: zoneRules(phase, except(snapshot.SensitiveDataRulesetID, `http.request.uri.path eq "/a"`), on("true"))},
		{Name: "a category is off", Want: posture.Warning, Resource: goodtest.Zone, Edit: with(snapshot.Overrides{
			Categories: []snapshot.CategoryOverride{{Category: "pii", Enabled: &no}}})},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: goodtest.Zone, Edit: zoneRules(phase, on("odd("))},
		{Name: "the account has rules there", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(phase), ofAccount)},
		{Name: "the account is not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(phase), goodtest.Denied(snapshot.AccountRulesets))},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(phase)},
		{Name: "the zone does not have it", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneRules(phase), unlisted)},
		{Name: "another plan", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneRules(phase), goodtest.Plan("business"))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateSensitiveData(v *check.View) check.Outcome {
	list := check.Read(v, snapshot.ZoneRulesets)
	offered := slices.ContainsFunc(list, func(i snapshot.RulesetInfo) bool { return i.ID == snapshot.SensitiveDataRulesetID })
	var skipped, searched, whole []string // conditions; whole of those without a category that is off
	deployed, category := false, ""
	for _, r := range check.Read(v, snapshot.ZonePhaseLeaks).Rules {
		switch p := r.Params; {
		case r.Action == "skip" && r.Enabled && (p.Ruleset == "current" || p.RestOfPhase() ||
			slices.Contains(p.Rulesets, snapshot.SensitiveDataRulesetID)):
			skipped = append(skipped, "("+r.Expression+")")
		case r.Action == "execute" && p.ExecuteID == snapshot.SensitiveDataRulesetID:
			deployed = true
			if !r.Enabled || silent(p.Overrides) {
				continue
			}
			text := "(" + r.Expression + ")"
			if len(skipped) > 0 {
				text = "(" + text + " and not (" + strings.Join(skipped, " or ") + "))"
			}
			searched = append(searched, text)
			if off := categoryOff(p.Overrides); off != "" {
				category = off
			} else {
				whole = append(whole, text)
			}
		}
	}
	if !offered && !deployed {
		return v.NotApplicable("the list of rulesets does not offer Sensitive Data Detection to the zone, which is an add-on")
	}
	reach := func(conditions []string) traffic.Coverage {
		if len(conditions) == 0 {
			return traffic.Coverage{All: truth.No, Some: truth.No}
		}
		return check.Reaches(v, v.Zone(), strings.Join(conditions, " or "))
	}
	cover := reach(searched)
	if cover.All == truth.Yes && reach(whole).All == truth.Yes {
		return v.Pass("Answers are searched for sensitive data.")
	}
	if all, ok := check.ReadOptionalAt(v, snapshot.AccountRulesets, v.Account().ID); !ok ||
		slices.ContainsFunc(all, func(i snapshot.RulesetInfo) bool {
			return i.Kind == "root" && i.Phase == "http_response_firewall_managed"
		}) {
		return v.Unknown("the account may search answers by rules of its own, which are not read")
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePhaseLeaks, "/rules", observed, "the ruleset on all requests")
	}
	words := posture.Words{Call: firstRule(snapshot.ZonePhaseLeaks, list, searching)}
	switch {
	case cover.Some == truth.No && !deployed:
		return v.Fail("Sensitive Data Detection is not deployed on "+v.Zone().Name+", which has it.",
			seen("no rule executes the ruleset")).As(words)
	case cover.Some == truth.No:
		return v.Fail("Sensitive Data Detection is deployed on "+v.Zone().Name+", and rules or overrides keep it from every request.",
			seen("deployed and off")).As(posture.Words{Problem: "Sensitive Data Detection of {zone} is off", ByHand: len(skipped) > 0})
	case cover.All == truth.Yes:
		return v.Warn("Sensitive Data Detection of "+v.Zone().Name+" does not look for the category "+category+".",
			seen("category "+category+" off")).As(posture.Words{Problem: "A part of Sensitive Data Detection is off for {zone}",
			Call: editRules(snapshot.ZonePhaseLeaks, `map(if .action_parameters.id == "`+snapshot.SensitiveDataRulesetID+
				`" then .action_parameters.overrides.categories |= map(select(.enabled != false)) else . end)`),
			Breaks: "Nothing that visitors see; the logs get more entries."})
	case cover.Some == truth.Yes && cover.All == truth.No:
		return v.Warn("Sensitive Data Detection searches only some answers of "+v.Zone().Name+".", seen("the ruleset on some requests")).
			As(posture.Words{Problem: "Only some answers of {zone} are searched for sensitive data", ByHand: len(skipped) > 0})
	}
	return v.Unknown("whether requests to the zone meet the rule that deploys Sensitive Data Detection is not known")
}

// silent reports whether overrides disable every rule. Many are off by default, and some are meant
// to be enabled selectively.
func silent(o *snapshot.Overrides) bool {
	on := func(enabled *bool) bool { return enabled != nil && *enabled }
	return o != nil && o.Enabled != nil && !*o.Enabled &&
		!slices.ContainsFunc(o.Categories, func(c snapshot.CategoryOverride) bool { return on(c.Enabled) }) &&
		!slices.ContainsFunc(o.Rules, func(r snapshot.RuleOverride) bool { return on(r.Enabled) })
}

// categoryOff returns a category that overrides disable, "" when there is none.
func categoryOff(o *snapshot.Overrides) string {
	if o != nil {
		for _, c := range o.Categories {
			if c.Enabled != nil && !*c.Enabled {
				return c.Category
			}
		}
	}
	return ""
}

// searching is a rule, as JSON, that scans all responses.
const searching = `{"action": "execute", "expression": "true", "action_parameters": {"id": "` + snapshot.SensitiveDataRulesetID + `"}}`

// detecting returns the call that scans all responses: with the rules that already do so, or with a
// new one.
func detecting() posture.Call {
	return editRules(snapshot.ZonePhaseLeaks, `def runs: .action_parameters.id == "`+
		snapshot.SensitiveDataRulesetID+`"; if any(runs) then map(if runs then .enabled = true | .expression = "true" | `+
		`if .action_parameters.overrides.enabled == false then del(.action_parameters.overrides.enabled) else . end else . end) `+
		`else . + [`+searching+`] end`)
}
