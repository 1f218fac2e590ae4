package waf

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// overrideOff judges whether overrides disable managed rules.
func overrideOff() check.Check {
	return check.Check{
		ID: "CFL-WAF-013", Title: "Overrides do not switch managed rules off",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "An override turns managed rules off or lets them only log. The overview still shows the ruleset as " +
			"deployed, although the overridden rules stop nothing.",
		Fix: "Remove the override, or limit the override to the rule and the path that misfires.",
		Words: posture.Words{
			Problem:   "Rule {name} overrides managed rules",
			Impact:    "Anyone can send the attacks that the overridden rules would have stopped.",
			Breaks:    "Requests that were the reason for the override may be blocked again.",
			Dashboard: "Security › Security rules › Managed rules › {name}: set rules, categories and action back to their defaults.",
			Call:      withoutOverrides(snapshot.ZonePhaseManaged),
		},
		References: []string{"https://developers.cloudflare.com/ruleset-engine/managed-rulesets/override-managed-ruleset/",
			"https://developers.cloudflare.com/waf/managed-rules/"},
		Controls: check.Controls{
			check.Supports("cis 13.8", "Rules that block intrusions are not switched off."),
			check.Supports("soc2 CC6.6", "The boundary has no hole made by an override."),
			check.Supports("pci 6.4.2", "The solution blocks what its vendor meant it to block."),
			check.Supports("nist PR.IR-01", "Known attacks are kept from the application."),
		},
		Aliases:  []string{"union:disabled-managed-rules-count"},
		Needs:    []snapshot.Named{snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			return eachManaged(v, "No override takes managed rules out of force.", judgeOverrides)
		},
	}
}

func overrideOffExamples() []goodtest.Example {
	no, yes := false, true
	category := func(name, action string, on *bool) snapshot.Overrides {
		return snapshot.Overrides{Categories: []snapshot.CategoryOverride{{Category: name, Action: action, Enabled: on}}}
	}
	rules := func(n int) (o snapshot.Overrides) {
		for i := range n {
			o.Rules = append(o.Rules, snapshot.RuleOverride{ID: fmt.Sprintf("x%d", i), Enabled: &no})
		}
		return o
	}
	managed, owasp := snapshot.ManagedRulesetID, snapshot.OWASPRulesetID
	offFor := execute("m1", managed, `http.request.uri.path eq "/healthz"`)
	offFor.Params.Overrides = &snapshot.Overrides{Enabled: &no}
	challenging, partly := execute("m2", managed, "true"), execute("m2", managed, "true")
	challenging.Params.Overrides = &snapshot.Overrides{Action: "managed_challenge"}
	withoutOne := category("sqli", "", &no)
	partly.Params.Overrides = &withoutOne
	return []goodtest.Example{
		{Name: "no overrides", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the whole ruleset is off", Want: posture.Fail, Resource: "m1", Edit: overridden(managed, snapshot.Overrides{Enabled: &no}, 1)},
		{Name: "a chosen part runs", Want: posture.Warning, Resource: "m1",
			Edit: overridden(managed, snapshot.Overrides{Enabled: &no,
				Categories: []snapshot.CategoryOverride{{Category: "wordpress", Enabled: &yes}}}, 1)},
		{Name: "the whole ruleset is off for a path", Want: posture.Fail, Severity: posture.Low, Resource: "m1",
			Edit: rulesetOff(`http.request.uri.path eq "/healthz"`)},
		{Name: "the whole ruleset is off for a path, before an exception for the others", Want: posture.Fail, Severity: posture.Low,
			Resource: "m1", Edit: rulesetOff(`http.request.uri.path eq "/healthz"`, skipRest(`http.request.uri.path ne "/healthz"`))},
		{Name: "the whole ruleset is off for a path, behind an exception for the others", Want: posture.Fail, Severity: posture.High,
			Resource: "m1", Edit: zoneRules(snapshot.ZonePhaseManaged, skipRest(`http.request.uri.path ne "/healthz"`), offFor)},
		{Name: "the whole ruleset is off for a host of another zone", Want: posture.Pass, Edit: rulesetOff(`http.host eq "other.example"`)},
		{Name: "the whole ruleset is off, and on by another rule", Want: posture.Pass,
			Edit: rulesetOff("true", execute("m2", managed, "ssl or not ssl"))},
		{Name: "the whole ruleset is off, and challenges by another rule", Want: posture.Pass, Edit: rulesetOff("true", challenging)},
		{Name: "the whole ruleset is off, and in part by another rule", Want: posture.Fail, Resource: "m1", Edit: rulesetOff("true", partly)},
		{Name: "a category is off", Want: posture.Fail, Resource: "m1", Edit: overridden(managed, category("sqli", "", &no), 1)},
		{Name: "a category only logs", Want: posture.Fail, Edit: overridden(managed, category("sqli", "log", nil), 1)},
		{Name: "the paranoia level is chosen", Want: posture.Pass, Edit: overridden(owasp, category("paranoia-level-3", "", &no), 1)},
		{Name: "the core level is off", Want: posture.Fail, Edit: overridden(owasp, category("paranoia-level-1", "", &no), 1)},
		{Name: "a level of another ruleset is a category like any", Want: posture.Fail,
			Edit: overridden(managed, category("paranoia-level-3", "", &no), 1)},
		{Name: "the score rule is off", Want: posture.Fail,
			Edit: overridden(owasp, snapshot.Overrides{Rules: []snapshot.RuleOverride{{ID: snapshot.OWASPScoreRuleID, Enabled: &no}}}, 1)},
		{Name: "the score rule only logs", Want: posture.Fail,
			Edit: overridden(owasp, snapshot.Overrides{Rules: []snapshot.RuleOverride{{ID: snapshot.OWASPScoreRuleID, Action: "log"}}}, 1)},
		{Name: "the score that nothing reaches", Want: posture.Warning, Resource: "m1", Edit: overridden(owasp,
			snapshot.Overrides{Rules: []snapshot.RuleOverride{{ID: snapshot.OWASPScoreRuleID, ScoreThreshold: 100_000}}}, 1)},
		{Name: "all of it only logs", Want: posture.Warning, Resource: "m1", Edit: overridden(managed, snapshot.Overrides{Action: "log"}, 1)},
		{Name: "six rules are off", Want: posture.Warning, Resource: "m1", Edit: overridden(managed, rules(6), 1)},
		{Name: "five rules are off", Want: posture.Pass, Edit: overridden(managed, rules(5), 1)},
		{Name: "the account weakens it", Want: posture.Fail, Resource: "m1", Edit: accountOverridden(snapshot.Overrides{Enabled: &no}, 1)},
		{Name: "the account weakens it, and the zone runs it in full", Want: posture.Pass, Edit: goodtest.Edits(
			accountOverridden(snapshot.Overrides{Enabled: &no}, 1), zoneRules(snapshot.ZonePhaseManaged, execute("m2", managed, "true")))},
		{Name: "the account weakens it, and the zone is not readable", Want: posture.Unknown, Resource: "m1", Edit: goodtest.Edits(
			accountOverridden(snapshot.Overrides{Enabled: &no}, 1), goodtest.Denied(snapshot.ZonePhaseManaged))},
		{Name: "the account does it for a zone that is gone", Want: posture.Pass,
			Edit: accountRule(snapshot.Overrides{Enabled: &no}, `cf.zone.name eq "gone.example"`)},
		{Name: "the account does it for this zone", Want: posture.Fail, Resource: "m1",
			Edit: accountRule(snapshot.Overrides{Enabled: &no}, `cf.zone.name eq "shop.example"`)},
		{Name: "the account does it for a zone that is not part of the run", Want: posture.Fail, Resource: "m1",
			Edit: goodtest.Edits(accountRule(snapshot.Overrides{Enabled: &no}, `cf.zone.name eq "next.example"`),
				listed("next.example", "enterprise"))},
		{Name: "a zone that is not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Denied(snapshot.ZoneRulesets)},
		{Name: "the account is not readable", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Denied(snapshot.AccountPhaseManaged)},
		{Name: "the free plan has no overrides", Want: posture.NotApplicable,
			Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "free" })},
		{Name: "nothing is deployed, no enterprise zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneRules(snapshot.ZonePhaseManaged), goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
	}
}

// rulesetOff is an example edit: the managed ruleset disabled for some requests, and more rules.
func rulesetOff(expression string, more ...snapshot.Rule) func(*snapshot.Builder) {
	no, r := false, execute("m1", snapshot.ManagedRulesetID, expression)
	r.Params.Overrides = &snapshot.Overrides{Enabled: &no}
	return zoneRules(snapshot.ZonePhaseManaged, append([]snapshot.Rule{r}, more...)...)
}

// mostRuleOverrides is how many single rules may be disabled without a finding.
const mostRuleOverrides = 5

func judgeOverrides(j *check.Judgement, r snapshot.Rule, res posture.Resource, source snapshot.Named) {
	o := r.Params.Overrides
	on := func(enabled *bool) bool { return enabled != nil && *enabled }
	seen := func(observed string) posture.Evidence {
		return check.Evidence(source, "/rules/"+r.ID+"/action_parameters/overrides", observed, "no override that takes rules out of force")
	}
	words := func(problem string) posture.Words {
		w := posture.Words{Problem: problem, Call: withoutOverrides(source)}
		if res.ZoneID == "" {
			w.Dashboard = "Account Home › WAF › Managed rulesets › {name}: set rules, categories and action back to their defaults."
		}
		return w
	}
	some := slices.ContainsFunc(o.Categories, func(c snapshot.CategoryOverride) bool { return on(c.Enabled) }) ||
		slices.ContainsFunc(o.Rules, func(c snapshot.RuleOverride) bool { return on(c.Enabled) })
	if threshold := scoreThreshold(r); threshold > highestThreshold {
		j.Warn(res, "The rule "+res.Name+" lets the OWASP Core Ruleset act only from a score of "+strconv.Itoa(threshold)+
			", which hardly any attack reaches.", seen("a score threshold of "+strconv.Itoa(threshold)))
		j.As(words("Rule {name} lets OWASP hardly ever act"))
		return
	}
	single := 0
	for _, rule := range o.Rules {
		if !off(rule.Enabled, rule.Action) {
			continue
		}
		single++
		if rule.ID == snapshot.OWASPScoreRuleID {
			j.Fail(res, "The rule "+res.Name+" turns off, or lets only log, the score rule that acts for the whole OWASP Core Ruleset.",
				seen("the score rule is off or logs"))
			j.As(words("Rule {name} overrides the score rule of OWASP"))
			return
		}
	}
	for _, c := range o.Categories {
		level := slices.Contains([]string{"paranoia-level-2", "paranoia-level-3", "paranoia-level-4"}, c.Category)
		if off(c.Enabled, c.Action) && !(level && r.Params.ExecuteID == snapshot.OWASPRulesetID) {
			j.Fail(res, "The rule "+res.Name+" turns off, or lets only log, the category "+c.Category+" of managed rules.",
				seen("category "+c.Category+" off or logging"))
			j.As(words("Rule {name} overrides a category of managed rules"))
			return
		}
	}
	disabled := o.Enabled != nil && !*o.Enabled
	switch {
	case disabled && !some:
		j.Fail(res, "The rule "+res.Name+" deploys managed rules and turns all of them off.", seen("enabled false"))
		j.As(words("Rule {name} turns all its managed rules off"))
	case disabled:
		j.Warn(res, "The rule "+res.Name+" turns managed rules off, except for those it names.", seen("enabled false, with exceptions"))
		j.As(words("Rule {name} runs only a part of its managed rules"))
	case o.Action == "log":
		j.Warn(res, "The managed rules that "+res.Name+" deploys only log.", seen("action log"))
		j.As(words("The managed rules of {name} only log"))
	case single > mostRuleOverrides:
		j.Warn(res, "The rule "+res.Name+" turns off, or lets only log, "+check.Count(single, "managed rule", "")+".",
			seen(check.Count(single, "rule", "")+" off or logging"))
		j.As(words("Rule {name} overrides " + check.Count(single, "managed rule", "")))
	default:
		j.Pass()
	}
}
