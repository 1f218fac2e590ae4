package gateway

import (
	"maps"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// logged judges what Gateway logs.
func logged() check.Check {
	return check.Check{
		ID: "CFL-GW-004", Title: "Gateway decisions are logged with care",
		Category: "gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Gateway logs show which device asked for what and which rule stopped it. They also hold personal data, " +
			"such as names and source addresses.",
		Fix: "Log at least the blocks of every filter, and turn on the redaction of personal data.",
		Words: posture.Words{
			Problem: "Gateway does not log its decisions in this account",
			Impact:  "After an infection nobody can tell which device started it, what it reached and what it sent.",
			Breaks:  "Nothing for people; a works council may have a say in what is logged.",
			Dashboard: "Zero Trust › Traffic policies › Traffic settings › Log traffic activity: capture at least blocks for " +
				"DNS, Network and HTTP.",
			Call: posture.Call{Method: "PUT", Path: loggingPath, From: loggingPath,
				Body: `.result | .settings_by_rule_type |= map_values((. // {}) + {log_blocks: true})`},
			Terraform: `resource "cloudflare_zero_trust_gateway_logging" "logs" {
  account_id = "{account_id}"
  redact_pii = true
  settings_by_rule_type = {
    dns  = { log_blocks = true }
    http = { log_blocks = true }
    l4   = { log_blocks = true }
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/", "https://developers.cloudflare.com/logs/"},
		Controls: check.Controls{
			check.Shows("cis 8.6", "DNS queries through Gateway are logged."),
			check.Shows("cis 8.7", "Requested URLs are logged."),
			check.Supports("soc2 CC7.2", "Traffic of users can be looked at for anomalies."),
			check.Supports("pci 10.2.1", "Logs are on for Gateway, one component of many."),
			check.Supports("nist DE.CM-01", "Network services are monitored through their logs."),
		},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/gateway/logging", Risk: "low", Reversible: true,
			Body:    "the captured object with log_blocks true for the filters that log nothing",
			Inverse: "PUT the captured object",
			Caution: "Logging what people do may need a works council's agreement. Redaction of personal data is not changed.",
			Propose: proposeLog},
		Needs:    []snapshot.Named{snapshot.GatewayLogging, snapshot.GatewayConfig},
		Evaluate: evaluateLogged,
	}
}

func loggedExamples() []goodtest.Example {
	off := false
	edit := func(change func(*snapshot.GatewayLog)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.GatewayLogging, goodtest.Account, change) }
	}
	raw := edit(func(l *snapshot.GatewayLog) { l.RedactPII = &off })
	return []goodtest.Example{
		{Name: "blocks, without personal data", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "everything of one filter", Want: posture.Pass,
			Edit: edit(func(l *snapshot.GatewayLog) { l.DNS = &snapshot.LogDepth{All: true} })},
		{Name: "the log is off", Want: posture.Fail, Resource: goodtest.Account,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.ActivityLog = &off })},
		{Name: "no DNS", Want: posture.Fail, Resource: goodtest.Account,
			Edit: edit(func(l *snapshot.GatewayLog) { l.DNS = &snapshot.LogDepth{} })},
		{Name: "no web", Want: posture.Fail, Resource: goodtest.Account,
			Edit: edit(func(l *snapshot.GatewayLog) { l.HTTP = &snapshot.LogDepth{} })},
		{Name: "no network", Want: posture.Fail, Resource: goodtest.Account,
			Edit: edit(func(l *snapshot.GatewayLog) { l.L4 = &snapshot.LogDepth{} })},
		{Name: "raw personal data", Want: posture.Warning, Resource: goodtest.Account, Edit: raw},
		{Name: "the log was never set", Want: posture.Warning, Resource: goodtest.Account,
			Edit: editConfig(func(s *snapshot.GatewaySettings) { s.ActivityLog = nil })},
		{Name: "raw personal data whatever else is not told", Want: posture.Warning,
			Edit: goodtest.Edits(raw, edit(func(l *snapshot.GatewayLog) { l.L4 = nil }))},
		{Name: "a filter is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: edit(func(l *snapshot.GatewayLog) { l.L4 = nil })},
		{Name: "personal data is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: edit(func(l *snapshot.GatewayLog) { l.RedactPII = nil })},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: absent},
		{Name: "Gateway has no rule", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.GatewayLogging.Source(), snapshot.Skipped, "", "Gateway has no rule")
		}},
	}
}

func evaluateLogged(v *check.View) check.Outcome {
	if v.StatusOf(snapshot.GatewayConfig) != snapshot.OK || v.StatusOf(snapshot.GatewayLogging) != snapshot.OK {
		return v.NotApplicable("Gateway is not in use")
	}
	s, l := check.Read(v, snapshot.GatewayConfig), check.Read(v, snapshot.GatewayLogging)
	silent, reported := "", true
	for _, f := range []struct {
		name  string
		depth *snapshot.LogDepth
	}{{"dns", l.DNS}, {"http", l.HTTP}, {"l4", l.L4}} {
		switch {
		case f.depth == nil:
			reported = false
		case !f.depth.All && !f.depth.Blocks && silent == "":
			silent = f.name
		}
	}
	switch {
	case s.ActivityLog != nil && !*s.ActivityLog:
		return v.Fail("Activity logging is off in Gateway.", check.Evidence(snapshot.GatewayConfig, "/activity_log", "false", "true")).
			As(activityWords("Gateway keeps no activity log in this account"))
	case silent != "":
		return v.Fail("Gateway logs no "+map[string]string{"dns": "DNS", "http": "HTTP", "l4": "network"}[silent]+" decision.",
			check.Evidence(snapshot.GatewayLogging, "/"+silent, "nothing", "blocks at least"))
	case l.RedactPII != nil && !*l.RedactPII:
		return v.Warn("Gateway logs personal data without redaction.", check.Evidence(snapshot.GatewayLogging, "/redact_pii", "false", "true")).
			As(posture.Words{Problem: "Gateway logs personal data of this account",
				Impact: "Everyone who may read the logs sees who visited which site, and a leak of the logs is a leak of personal data.",
				Breaks: "Logs no longer name people, so an incident takes longer to trace.",
				Dashboard: "Zero Trust › Traffic policies › Traffic settings › Log traffic activity: leave personally " +
					"identifiable information (PII) out.",
				Call: posture.Call{Method: "PUT", Path: loggingPath, From: loggingPath, Body: `.result | .redact_pii = true`}})
	case s.ActivityLog == nil:
		return v.Warn("Activity logging was never set in Gateway.", check.Evidence(snapshot.GatewayConfig, "/activity_log", "null", "true")).
			As(activityWords("Activity logging was never set in this account"))
	case !reported || l.RedactPII == nil:
		return v.Unknown("Cloudflare returned only a part of the log settings")
	}
	return v.Pass("Gateway logs its decisions without personal data.")
}

// proposeLog logs blocked requests for the filters that log nothing. It does not change whether
// personal data is redacted.
func proposeLog(c *propose.Case) ([]change.Edit, error) {
	config, err := c.Locate(change.Place{Path: c.Path("/accounts/{account_id}/gateway/configuration")})
	if err != nil {
		return nil, err
	}
	if propose.Member(config, "settings.activity_log.enabled") != true {
		return nil, propose.Refuse("The activity log of Gateway is off or was never set. Decide whether it may run and turn it on by hand; " +
			"what it logs has no effect before.")
	}
	place, live, err := c.At("/accounts/{account_id}/gateway/logging")
	if err != nil {
		return nil, err
	}
	kinds, reported := live["settings_by_rule_type"].(map[string]any)
	if !reported {
		return nil, propose.Refuse("Cloudflare does not return what Gateway logs, so it cannot be sent back whole.")
	}
	better, before, after := maps.Clone(kinds), map[string]any{}, map[string]any{}
	for _, filter := range []string{"dns", "http", "l4"} {
		depth, reported := kinds[filter].(map[string]any)
		if !reported || propose.Flag(depth, "log_all") || propose.Flag(depth, "log_blocks") {
			continue
		}
		depth = maps.Clone(depth)
		depth["log_blocks"] = true
		better[filter] = depth
		before[filter], after[filter] = map[string]any{"log_blocks": false}, map[string]any{"log_blocks": true}
	}
	if len(after) == 0 {
		if live["redact_pii"] == false {
			return nil, propose.Refuse("Every filter logs already. Decide whether personal data is redacted and set it by hand.")
		}
		return nil, nil
	}
	written := maps.Clone(live)
	written["settings_by_rule_type"] = better
	e := propose.Replace("PUT", place, place.Path, live, written, live)
	e.Before, e.After = change.Encode(map[string]any{"settings_by_rule_type": before}),
		change.Encode(map[string]any{"settings_by_rule_type": after})
	return []change.Edit{e}, nil
}

const loggingPath = "/accounts/{account_id}/gateway/logging"

func activityWords(problem string) posture.Words {
	return posture.Words{Problem: problem, ByHand: true,
		Dashboard: "Zero Trust › Traffic policies › Traffic settings › Log traffic activity: capture at least blocks.",
		Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/gateway/configuration",
			Body: `{"settings": {"activity_log": {"enabled": true}}}`},
		Terraform: `resource "cloudflare_zero_trust_gateway_settings" "gateway" {
  account_id = "{account_id}"
  settings   = { activity_log = { enabled = true } }
}`}
}
