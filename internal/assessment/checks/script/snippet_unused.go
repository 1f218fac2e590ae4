package script

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// snippetUsed finds snippets that no rule runs.
func snippetUsed() check.Check {
	return check.Check{
		ID: "CFL-SNIPPET-002", Title: "Every Snippet is run by a rule",
		Category: "snippets", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "A Snippet does nothing without a rule that runs it. One that added security headers or checked requests protects " +
			"nothing once its rule is off or gone.",
		Fix: "Turn the rule of the Snippet on again, or delete the Snippet when nobody needs it.",
		Words: posture.Words{
			Problem:   "No rule runs a Snippet of {zone}",
			Impact:    "What the Snippet should do for the zone is not done, and its owner believes that it is.",
			Breaks:    "Requests that the rule matches pass the Snippet again; test its code first.",
			Dashboard: "Rules › Snippets › the Snippet: turn it on, or delete it.",
		},
		References: []string{"https://developers.cloudflare.com/rules/snippets/"},
		Controls: check.Controls{
			check.Supports("soc2 CC7.1", "A step that was turned off is seen."),
			check.Supports("nist PR.PS-01", "The configuration does what its owner means."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneSnippets, snapshot.ZoneSnippetRules},
		Optional: traffic.Reaches("").Needs,
		Evaluate: evaluateSnippetUsed,
	}
}

func snippetRules(rules ...snapshot.SnippetRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneSnippetRules, goodtest.Zone, rules) }
}

func runs(name string, on *bool) snapshot.SnippetRule {
	return snapshot.SnippetRule{ID: "r-" + name, Snippet: name, Expression: "true", Enabled: on}
}

func snippetUsedGood(b *snapshot.Builder) { snippetRules(runs("add_header", nil))(b) }

func snippetUsedExamples() []goodtest.Example {
	yes, no := true, false
	on := func(expression string) func(*snapshot.Builder) {
		return snippetRules(snapshot.SnippetRule{ID: "r2", Snippet: "add_header", Expression: expression})
	}
	return []goodtest.Example{
		{Name: "a rule for a host of another zone", Want: posture.Fail, Resource: goodtest.Zone, Edit: on(`http.host eq "other.test"`)},
		{Name: "a rule for one path", Want: posture.Pass, Edit: on(`http.request.uri.path eq "/in"`)},
		{Name: "a rule nobody can read", Want: posture.Unknown, Resource: goodtest.Zone, Edit: on("odd(")},
		{Name: "a rule, and the zone is paused", Want: posture.Pass,
			Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })},
		{Name: "a rule", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a rule that is on", Want: posture.Pass, Edit: snippetRules(runs("add_header", &yes))},
		{Name: "a rule that is off", Want: posture.Fail, Resource: goodtest.Zone, Edit: snippetRules(runs("add_header", &no))},
		{Name: "one off and one on", Want: posture.Pass, Edit: snippetRules(runs("add_header", &no),
			snapshot.SnippetRule{ID: "r2", Snippet: "add_header", Expression: "ssl"})},
		{Name: "a rule for another snippet", Want: posture.Fail, Edit: snippetRules(runs("redirect", &yes))},
		{Name: "no rule", Want: posture.Fail, Edit: snippetRules()},
		{Name: "no snippet", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneSnippets, goodtest.Zone, []snapshot.Snippet{})
			b.Mark(snapshot.ZoneSnippetRules.Source(), snapshot.Skipped, "", "the zone has no snippet")
		}},
		{Name: "rules are not readable", Want: posture.Unknown, Edit: marked(snapshot.ZoneSnippetRules, snapshot.Denied)},
		{Name: "free plan", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Plan("free"), snippetRules())},
	}
}

func evaluateSnippetUsed(v *check.View) check.Outcome {
	idle := len(check.Lanes(v, traffic.Reaches("true"), v.Zone())) == 0 // no request would run any
	on := map[string]truth.Value{}
	for _, r := range check.Read(v, snapshot.ZoneSnippetRules) {
		if runs := truth.Yes; r.Enabled == nil || *r.Enabled {
			if !idle {
				runs = check.Reaches(v, v.Zone(), r.Expression).Some
			}
			on[r.Snippet] = truth.Or(on[r.Snippet], runs)
		}
	}
	var t check.Tally
	for _, s := range check.Read(v, snapshot.ZoneSnippets) {
		switch on[s.Name] {
		case truth.Yes:
			t.Pass()
		case truth.Undecided:
			t.Unknown("whether a request of the zone meets the rule that runs the Snippet " + s.Name + " is not known")
		default:
			t.Fail(s.Name, s.Name, check.Evidence(snapshot.ZoneSnippetRules, "", "no rule that is on for "+s.Name+" and that requests meet",
				"a rule that runs it"))
		}
	}
	return t.Done(v, check.Said{None: "the zone has no snippet", Fail: "No rule runs these Snippets of " + v.Zone().Name,
		Pass: "A rule runs every Snippet."})
}
