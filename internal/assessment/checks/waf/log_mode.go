package waf

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// logMode judges how long a managed ruleset has only been logging.
func logMode() check.Check {
	return check.Check{
		ID: "CFL-WAF-008", Title: "Managed rulesets are not left in log mode",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "An override with the action Log turns every rule of a managed ruleset into one that only writes an event. " +
			"It is meant for the first days after a ruleset is deployed.",
		Fix: "Read the events, make exceptions for false positives, then take the Log override away.",
		Words: posture.Words{
			Problem: "Managed rules of {name} only log",
			Impact:  "Known attacks such as SQL injection are recorded and still reach the application.",
			Breaks: "Requests that the rules take for attacks are blocked, false positives included; the events show them " +
				"beforehand.",
			Dashboard: "Security › Security rules › Managed rules › {name} › Edit › Ruleset action: Default.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/rulesets/phases/http_request_firewall_managed/entrypoint",
				From: "/zones/{zone_id}/rulesets/phases/http_request_firewall_managed/entrypoint",
				Body: withoutLog},
			Terraform: managedSnippet("zone", "zone", "true", snapshot.ManagedRulesetID)},
		References: []string{"https://developers.cloudflare.com/ruleset-engine/managed-rulesets/override-managed-ruleset/",
			"https://developers.cloudflare.com/waf/managed-rules/"},
		Controls: check.Controls{
			check.Supports("cis 13.8", "Managed rules block intrusions and do not only log them."),
			check.Supports("soc2 CC6.6", "Attacks stop at the boundary."),
			check.Supports("pci 6.4.2", "The solution is set to block, which this requirement says in so many words."),
			check.Supports("nist PR.IR-01", "Attacks are kept from the application."),
		},
		Aliases: []string{"flareinspect:CFL-WAF-008"},
		Remedy: &propose.Remedy{Operation: "PATCH /{accounts_or_zones}/{account_or_zone_id}/rulesets/{ruleset_id}/rules/{rule_id}", Risk: "high",
			Reversible: true, Body: "the whole rule as read, without overrides.action",
			Inverse: "PATCH the captured rule",
			Caution: "Requests that were only logged may be blocked from now on. Read at least 7 days of that log first, and agree on " +
				"exceptions.",
			Propose: proposeEnforced},
		Needs:    []snapshot.Named{snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			return eachManaged(v, "Every managed ruleset acts.", func(j *check.Judgement, r snapshot.Rule, res posture.Resource,
				source snapshot.Named) {
				if r.Params.Overrides.Action != "log" {
					j.Pass()
					return
				}
				since := r.LastUpdated
				seen := check.Evidence(source, "/rules/"+r.ID+"/action_parameters/overrides/action", "log since "+since.Format(time.DateOnly),
					"no override of the action")
				switch {
				case since.IsZero():
					j.Unclear(res, "the managed ruleset only logs, and Cloudflare did not say since when")
				case since.Before(v.Now().AddDate(0, 0, -v.Policy.LogOnlyDays)):
					j.Fail(res, "The managed rules of "+res.Name+" have only logged since "+check.Day(since)+", more than "+
						check.Count(v.Policy.LogOnlyDays, "day", "")+" ago.", seen)
					j.As(logWords(res, r.Params.ExecuteID, posture.Words{}))
				default:
					j.Warn(res, "The managed rules of "+res.Name+" have only logged since "+check.Day(since)+".", seen)
					j.As(logWords(res, r.Params.ExecuteID, posture.Words{Problem: "Managed rules of {name} are in a trial and only log"}))
				}
			})
		},
	}
}

func logModeExamples() []goodtest.Example {
	logging := snapshot.Overrides{Action: "log"}
	return []goodtest.Example{
		{Name: "the rules act", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "in log mode for long", Want: posture.Fail, Resource: "m1", Edit: overridden(snapshot.ManagedRulesetID, logging, 31)},
		{Name: "in log mode for a while", Want: posture.Warning, Resource: "m1", Edit: overridden(snapshot.ManagedRulesetID, logging, 29)},
		{Name: "a longer trial was allowed", Want: posture.Warning, Edit: overridden(snapshot.ManagedRulesetID, logging, 31),
			Policy: func(p *policy.Policy) { p.LogOnlyDays = 60 }},
		{Name: "the account logs only", Want: posture.Fail, Resource: "m1", Edit: accountOverridden(logging, 31)},
		{Name: "a single category is another check", Want: posture.Pass,
			Edit: overridden(snapshot.ManagedRulesetID, snapshot.Overrides{Categories: []snapshot.CategoryOverride{{Category: "xss",
				Action: "log"}}}, 31)},
		{Name: "in log mode for one path", Want: posture.Fail, Severity: posture.Low, Resource: "m1",
			Edit: loggingFor(`http.request.uri.path eq "/upload"`)},
		{Name: "in log mode, and skipped for one path", Want: posture.Fail, Severity: posture.Medium, Resource: "m1",
			Edit: goodtest.Edits(loggingFor("true"), zoneRules(snapshot.ZonePhaseCustom, snapshot.Rule{ID: "s", Enabled: true, Action: "skip",
				Expression: `http.request.uri.path eq "/hook"`, Params: snapshot.RuleParams{Phases: []string{traffic.ManagedRules}}}))},
		{Name: "in log mode, and excepted for one path", Want: posture.Fail, Severity: posture.Medium, Resource: "m1",
			Edit: zoneRules(snapshot.ZonePhaseManaged, snapshot.Rule{ID: "s", Enabled: true, Action: "skip",
				Expression: `http.request.uri.path eq "/hook"`, Params: snapshot.RuleParams{Ruleset: "current"}}, logged("true"))},
		{Name: "in log mode for a host of another zone", Want: posture.Pass, Edit: loggingFor(`http.host eq "other.example"`)},
		{Name: "in log mode for one host", Want: posture.Fail, Resource: "m1", Edit: loggingFor(`http.host eq "www.shop.example"`)},
		{Name: "in log mode, and again in full", Want: posture.Pass, Edit: loggingFor("true", execute("m2", snapshot.ManagedRulesetID, "true"))},
		{Name: "in log mode, and another ruleset in full", Want: posture.Fail, Resource: "m1",
			Edit: loggingFor("true", execute("m2", snapshot.OWASPRulesetID, "true"))},
		{Name: "in log mode, and in full for one path", Want: posture.Fail, Severity: posture.Medium, Resource: "m1",
			Edit: loggingFor("true", execute("m2", snapshot.ManagedRulesetID, `starts_with(http.request.uri.path, "/api/")`))},
		{Name: "the account logs only, and by another rule in full", Want: posture.Pass, Edit: func(b *snapshot.Builder) {
			accountRule(logging, "true")(b)
			snapshot.Edit(b, snapshot.AccountPhaseManaged, goodtest.Account, func(r *snapshot.Ruleset) {
				r.Rules = append(r.Rules, execute("m2", snapshot.ManagedRulesetID, "true"))
			})
		}},
		{Name: "the account logs only, and nobody knows the plan of the zone", Want: posture.Unknown, Resource: "m1",
			Edit: goodtest.Edits(accountRule(logging, "true"), goodtest.Plan("odd"))},
		{Name: "the account does it for a zone that is gone", Want: posture.Pass, Edit: accountRule(logging, `cf.zone.name eq "gone.example"`)},
		{Name: "the account does it for this zone", Want: posture.Fail, Resource: "m1",
			Edit: accountRule(logging, `cf.zone.name eq "shop.example"`)},
		{Name: "the account does it for a zone that is not part of the run", Want: posture.Fail, Resource: "m1",
			Edit: goodtest.Edits(accountRule(logging, `cf.zone.name eq "next.example"`), listed("next.example", "enterprise"))},
		{Name: "no date of the rule", Want: posture.Unknown, Resource: "m1", Edit: func(b *snapshot.Builder) {
			r := execute("m1", snapshot.ManagedRulesetID, "true")
			r.Params.Overrides = &logging
			zoneRules(snapshot.ZonePhaseManaged, r)(b)
		}},
		{Name: "a zone that is not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Denied(snapshot.ZonePhaseManaged)},
		{Name: "in log mode, of hosts that are not readable", Want: posture.Unknown, Resource: "m1",
			Edit: goodtest.Edits(loggingFor(`http.host eq "blog.shop.example"`), goodtest.Denied(snapshot.ZoneDNSRecords))},
		{Name: "the account is not readable", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Denied(snapshot.AccountPhaseManaged)},
		{Name: "nothing is deployed, no enterprise zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneRules(snapshot.ZonePhaseManaged), goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" }))},
	}
}

// loggingFor is an example edit: the managed ruleset in log mode for some requests, and more rules.
func loggingFor(expression string, more ...snapshot.Rule) func(*snapshot.Builder) {
	return zoneRules(snapshot.ZonePhaseManaged, append([]snapshot.Rule{logged(expression)}, more...)...)
}

func logged(expression string) snapshot.Rule {
	r := execute("m1", snapshot.ManagedRulesetID, expression)
	r.Params.Overrides, r.LastUpdated = &snapshot.Overrides{Action: "log"}, snapshot.At(goodtest.Now().AddDate(0, 0, -31))
	return r
}

// logWords adapts the words to a rule of the account, which is changed there.
func logWords(res posture.Resource, ruleset string, w posture.Words) posture.Words {
	w.Terraform = managedSnippet("zone", "zone", "true", ruleset)
	if res.ZoneID == "" {
		const path = "/accounts/{account_id}/rulesets/phases/http_request_firewall_managed/entrypoint"
		w.Call = posture.Call{Method: "PUT", Path: path, From: path, Body: withoutLog}
		w.Dashboard = "Application security › WAF (of the account) › Managed rulesets › {name} › Edit › Ruleset action: Default."
		w.Terraform = managedSnippet("account", "root", `cf.zone.plan eq \"ENT\"`, ruleset)
	}
	return w
}

// withoutLog is the jq program that removes the override of the action.
const withoutLog = `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters |=
  (del(.overrides.action) | if .overrides == {} then del(.overrides) else . end) else . end))}`

// managedSnippet is the Terraform that deploys a managed ruleset without overrides.
func managedSnippet(scope, kind, expression, ruleset string) string {
	line := func(name, value string) string {
		return fmt.Sprintf("  %-*s = %q\n", len(scope)+len("_id"), name, value)
	}
	return "# The resource holds all rules of the phase.\nresource \"cloudflare_ruleset\" \"managed\" {\n" +
		line(scope+"_id", "{"+scope+"_id}") + line("name", "default") +
		line("kind", kind) + line("phase", "http_request_firewall_managed") + `  rules = [{
    action      = "execute"
    expression  = "` + expression + `"
    description = "{name}"
    enabled     = true
    action_parameters = {
      id = "` + ruleset + `"
    }
  }]
}`
}

// trial is how long a managed ruleset must have logged before it may block.
const trial = 7 * 24 * time.Hour

// proposeEnforced removes the log override.
func proposeEnforced(c *propose.Case) ([]change.Edit, error) {
	const phase = "http_request_firewall_managed"
	entry, rule, err := c.Rule(phase)
	if err != nil || rule == nil || !propose.Flag(rule, "enabled") {
		return nil, err
	}
	written := propose.Copy(rule)
	parameters, _ := written["action_parameters"].(map[string]any)
	overrides, _ := parameters["overrides"].(map[string]any)
	if propose.Text(overrides, "action") != "log" {
		return nil, nil
	}
	since, err := time.Parse(time.RFC3339, propose.Text(rule, "last_updated"))
	if err != nil || since.After(c.Now.Add(-trial)) {
		return nil, propose.Refuse("The rules have not logged for 7 days yet, so nobody knows what they would block; read the log and try " +
			"again then.")
	}
	if delete(overrides, "action"); len(overrides) == 0 {
		delete(parameters, "overrides")
	}
	return []change.Edit{c.PatchRule(phase, entry, rule, written, "action_parameters")}, nil
}
