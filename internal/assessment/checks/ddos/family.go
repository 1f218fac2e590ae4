// Package ddos holds the checks of protection against floods.
package ddos

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// grade is how far overrides weaken the protection.
type grade int

const (
	untouched grade = iota
	lowered
	removed
)

// worst grades the overrides of an entrypoint ruleset and names the responsible rule. Protection is
// on by default; only overrides can weaken it. An override for part of the traffic counts like one
// for all of it.
func worst(entry snapshot.Ruleset, reach func(expression string) traffic.Coverage) (g grade, blamed, observed string, open bool) {
	var part traffic.Coverage
	note := func(rule, action string, enabled *bool, sensitivity string) {
		now, seen := untouched, ""
		switch {
		case enabled != nil && !*enabled:
			now, seen = removed, "enabled false"
		case action == "log":
			now, seen = removed, "action log"
		case sensitivity == "eoff":
			now, seen = removed, "sensitivity_level eoff"
		case sensitivity == "low" || sensitivity == "medium":
			now, seen = lowered, "sensitivity_level "+sensitivity
		}
		switch {
		case now == untouched || part.Some == truth.No:
			return
		case part.Some == truth.Undecided:
			open = true
			return
		case part.All != truth.Yes:
			now = lowered
		}
		if now > g {
			g, blamed, observed = now, rule, seen
		}
	}
	for _, r := range entry.Rules {
		o := r.Params.Overrides
		if !r.Enabled || o == nil {
			continue
		}
		part = reach(r.Expression)
		note(r.ID, o.Action, o.Enabled, o.Sensitivity)
		for _, c := range o.Categories {
			note(r.ID, c.Action, c.Enabled, c.Sensitivity)
		}
		for _, c := range o.Rules {
			note(r.ID, c.Action, c.Enabled, c.Sensitivity)
		}
	}
	return g, blamed, observed, open
}

// execute returns an example entrypoint ruleset with overrides.
func execute(o *snapshot.Overrides) snapshot.Ruleset {
	return snapshot.Ruleset{ID: "d", Rules: []snapshot.Rule{{ID: "d1", Enabled: true, Action: "execute", Expression: "true",
		Params: snapshot.RuleParams{ExecuteID: "4d21379b4f9f4bb088e0729962c8b3cf", Overrides: o}}}}
}

// overrideExamples returns the examples shared by both checks.
func overrideExamples(put func(*snapshot.Overrides) func(*snapshot.Builder), resource string) []goodtest.Example {
	no := false
	rule := func(r snapshot.RuleOverride) *snapshot.Overrides {
		return &snapshot.Overrides{Rules: []snapshot.RuleOverride{r}}
	}
	return []goodtest.Example{
		{Name: "no entry point", Want: posture.Pass, Resource: resource},
		{Name: "no override", Want: posture.Pass, Edit: put(nil)},
		{Name: "an override that keeps the protection", Want: posture.Pass,
			Edit: put(&snapshot.Overrides{Action: "block", Sensitivity: "default"})},
		{Name: "everything only logs", Want: posture.Fail, Resource: resource, Edit: put(&snapshot.Overrides{Action: "log"})},
		{Name: "everything is off", Want: posture.Fail, Edit: put(&snapshot.Overrides{Enabled: &no})},
		{Name: "essentially off", Want: posture.Fail, Edit: put(&snapshot.Overrides{Sensitivity: "eoff"})},
		{Name: "one rule only logs", Want: posture.Fail, Edit: put(rule(snapshot.RuleOverride{ID: "x", Action: "log"}))},
		{Name: "one category is off", Want: posture.Fail,
			Edit: put(&snapshot.Overrides{Categories: []snapshot.CategoryOverride{{Category: "botnets", Enabled: &no}}})},
		{Name: "less sensitive", Want: posture.Warning, Resource: resource, Edit: put(&snapshot.Overrides{Sensitivity: "medium"})},
		{Name: "one rule much less sensitive", Want: posture.Warning, Edit: put(rule(snapshot.RuleOverride{ID: "x", Sensitivity: "low"}))},
		{Name: "the worst of several counts", Want: posture.Fail,
			Edit: put(&snapshot.Overrides{Sensitivity: "low", Rules: []snapshot.RuleOverride{{ID: "x", Enabled: &no}}})},
	}
}
