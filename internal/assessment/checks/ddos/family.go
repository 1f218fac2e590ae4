// Package ddos holds the checks of protection against floods.
package ddos

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

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
		{Name: "a sensitivity that is not published", Want: posture.Unknown, Edit: put(&snapshot.Overrides{Sensitivity: "lowest"})},
		{Name: "one rule has an action that is not published", Want: posture.Unknown,
			Edit: put(rule(snapshot.RuleOverride{ID: "x", Action: "observe"}))},
		{Name: "the worst of several counts", Want: posture.Fail,
			Edit: put(&snapshot.Overrides{Sensitivity: "low", Rules: []snapshot.RuleOverride{{ID: "x", Enabled: &no}}})},
	}
}

// inOrder returns an edit: an entrypoint ruleset with rules for all traffic, in their order.
func inOrder(k snapshot.Key[snapshot.Ruleset], scope string, all ...*snapshot.Overrides) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		entry := snapshot.Ruleset{ID: "d"}
		for i, o := range all {
			r := execute(o).Rules[0]
			r.ID = "d" + string(rune('1'+i))
			entry.Rules = append(entry.Rules, r)
		}
		snapshot.Put(b, k, scope, entry)
	}
}

// behind returns an edit: a rule that blocks what meets the first condition, and one that logs what meets the second.
func behind(k snapshot.Key[snapshot.Ruleset], scope, first, second string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		inOrder(k, scope, &snapshot.Overrides{Action: "block"}, &snapshot.Overrides{Action: "log"})(b)
		snapshot.Edit(b, k, scope, func(r *snapshot.Ruleset) { r.Rules[0].Expression, r.Rules[1].Expression = first, second })
	}
}

// orderExamples returns the examples of rules that an earlier or a later one replaces.
func orderExamples(k snapshot.Key[snapshot.Ruleset], scope string) []goodtest.Example {
	all := func(action, sensitivity string) *snapshot.Overrides {
		return &snapshot.Overrides{Action: action, Sensitivity: sensitivity}
	}
	one := func(id, action string) *snapshot.Overrides {
		return &snapshot.Overrides{Rules: []snapshot.RuleOverride{{ID: id, Action: action}}}
	}
	group := func(name, action string) *snapshot.Overrides {
		return &snapshot.Overrides{Categories: []snapshot.CategoryOverride{{Category: name, Action: action}}}
	}
	example := func(name string, want posture.Result, rules ...*snapshot.Overrides) goodtest.Example {
		return goodtest.Example{Name: name, Want: want, Resource: scope, Edit: inOrder(k, scope, rules...)}
	}
	return []goodtest.Example{
		example("logs behind a rule that blocks", posture.Pass, all("block", ""), all("log", "")),
		example("logs before a rule that blocks", posture.Fail, all("log", ""), all("block", "")),
		example("logs behind a rule that blocks large floods only", posture.Fail, all("block", "low"), all("log", "")),
		example("less sensitive before a rule that blocks", posture.Pass, all("block", "medium"), all("block", "default")),
		example("essentially off before a rule that blocks", posture.Pass, all("", "eoff"), all("block", "")),
		example("logs and essentially off before a rule that blocks", posture.Pass, all("log", "eoff"), all("block", "")),
		example("logs and essentially off, alone", posture.Fail, all("log", "eoff")),
		example("less sensitive before one that is still less", posture.Warning, all("", "medium"), all("", "low")),
		example("one rule logs behind a rule that blocks it", posture.Pass, one("x", "block"), one("x", "log")),
		example("one rule logs behind a rule that blocks another", posture.Fail, one("y", "block"), one("x", "log")),
		example("everything logs behind a rule that blocks one", posture.Fail, one("x", "block"), all("log", "")),
		example("one rule logs behind a rule that blocks everything", posture.Pass, all("block", ""), one("x", "log")),
		example("a category logs behind a rule that blocks it", posture.Pass, group("botnets", "block"), group("botnets", "log")),
		example("one rule logs behind a rule that blocks a category", posture.Unknown, group("botnets", "block"), one("x", "log")),
		example("logs behind a rule that overrides nothing", posture.Unknown, nil, all("log", "")),
	}
}
