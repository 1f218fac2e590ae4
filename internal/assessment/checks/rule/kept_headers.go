package rule

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// keptHeaders judges rules that take protection away from answers.
func keptHeaders() check.Check {
	phase := snapshot.ZonePhaseResponse
	return check.Check{
		ID: "CFL-TXRULE-001", Title: "Response rules keep security headers",
		Category: "rules", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Removing the headers reopens framing and script injection.",
		Fix: "Delete the operation.",
		References: []string{"https://developers.cloudflare.com/rules/transform/",
			"https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Protections that the application asked for reach the browser."),
			check.Supports("soc2 CC6.8", "Browsers go on refusing foreign code."),
			check.Supports("pci 6.2.4", "Rules do not remove what stops common attacks."),
			check.Supports("nist PR.PS-01", "The headers of the baseline are kept."),
		},
		Aliases: []string{"flareinspect:CFL-TXRULE-001", "grclanker:spec-security-headers"},
		Needs:   []snapshot.Named{snapshot.ZoneRulesets, phase},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Read(v, phase).Rules {
				if r.Enabled {
					judgeRemoval(v, j, r)
				}
			}
			return j.Done("No rule removes a security header.", "the zone has no enabled response header rule")
		},
	}
}

func keptHeadersExamples() []goodtest.Example {
	phase := snapshot.ZonePhaseResponse
	change := func(text, header, operation string) snapshot.Rule {
		return snapshot.Rule{ID: "t1", Enabled: true, Action: "rewrite", Expression: text,
			Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{header: {Operation: operation}}}}
	}
	return []goodtest.Example{
		{Name: "another header", Want: posture.Pass, Resource: goodtest.Zone, Edit: rules(phase, change("true", "server", "remove"))},
		{Name: "set, not removed", Want: posture.Pass, Edit: rules(phase, change("true", "x-frame-options", "set"))},
		{Name: "removed for all", Want: posture.Fail, Resource: "t1", Edit: rules(phase, change("true", "content-security-policy", "remove"))},
		{Name: "removed for the zone by name", Want: posture.Fail,
			Edit: rules(phase, change(`cf.zone.name eq "shop.example"`, "strict-transport-security", "remove"))},
		{Name: "removed for a path", Want: posture.Warning, Resource: "t1",
			Edit: rules(phase, change(`http.request.uri.path eq "/x"`, "x-content-type-options", "remove"))},
		{Name: "removed for nobody", Want: posture.Pass, Edit: rules(phase, change(`http.host eq "other.test"`, "x-frame-options", "remove"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "t1",
			Edit: rules(phase, change("odd(", "x-frame-options", "remove"))},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: rules(phase, goodtest.Off(change("true", "x-frame-options", "remove")))},
		{Name: "no rule", Want: posture.NotApplicable},
	}
}

func judgeRemoval(v *check.View, j *check.Judgement, r snapshot.Rule) {
	res := resource(v, r)
	removed := ""
	for _, name := range []string{"content-security-policy", "strict-transport-security", "x-frame-options", "x-content-type-options"} {
		if slices.Contains([]string{"remove", "delete"}, r.Params.Headers[name].Operation) {
			removed = name
			break
		}
	}
	if removed == "" {
		j.Pass()
		return
	}
	seen := check.Evidence(snapshot.ZonePhaseResponse, "/rules/"+r.ID+"/action_parameters/headers/"+removed, "remove",
		"no rule that removes it")
	switch c := exposure.Cover(r.Expression, exposure.OfZone(v.Zone())); {
	case c.All == truth.Yes:
		j.Fail(res, "The rule "+res.Name+" removes "+removed+" from all answers of "+v.Zone().Name+".", seen)
	case c.Some == truth.Yes:
		j.Warn(res, "The rule "+res.Name+" removes "+removed+" from some answers of "+v.Zone().Name+".", seen)
	case c.Some == truth.No:
		j.Pass()
	default:
		j.Unclear(res, "the rule removes "+removed+" and its expression could not be read")
	}
}
