package export

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/paper"
)

// compliance lists the controls that are not met, and names the others.
func (r *reading) compliance() []paper.Block {
	if len(r.doc.Compliance) == 0 {
		return nil
	}
	totals := paper.Table{Name: "Totals by framework", Columns: []paper.Column{{Head: "Framework", Share: 30}, {Head: "Score", Share: 10,
		Number: true}}}
	for _, s := range controlSigns() {
		totals.Columns = append(totals.Columns, paper.Column{Head: s.Word(), Share: 13, Number: true})
	}
	totals.Columns = append(totals.Columns, paper.Column{Head: "Controls", Share: 12, Number: true})
	for _, c := range r.doc.Compliance {
		score := "none"
		if c.Score != nil {
			score = count(*c.Score)
		}
		row := paper.Row{paper.Text{{Text: c.Framework.Title + " " + c.Framework.Version, To: "w-" + anchorOf(c.Framework.ID)}},
			paper.Plain(score)}
		for _, n := range append(controlCounts(c.Totals), c.Totals.Controls) {
			row = append(row, paper.Plain(count(n)))
		}
		totals.Rows = append(totals.Rows, row)
	}
	out := []paper.Block{title("compliance", "Compliance"),
		words("What the checks say about the controls of each framework. A control that no check ",
			"could judge is not assessed, which is neither good nor bad. This is evidence for an audit and never the audit."), totals}
	for _, c := range r.doc.Compliance {
		out = append(out, controls(c)...)
	}
	return out
}

func controls(c compliance.Report) []paper.Block {
	t := paper.Table{Name: "Controls of " + c.Framework.Title, Folded: true, Dense: true, Caption: "Controls that fail or are partly met",
		Columns: []paper.Column{{Head: "Control", Share: 12},
			{Head: "Title", Share: 44}, {Head: "Status", Share: 15}, {Head: "Passes", Share: 11, Number: true}, {Head: "Findings", Share: 11,
				Number: true}}}
	rest := map[compliance.Status][]string{}
	group := ""
	for _, one := range c.Controls {
		if one.Status != compliance.Fail && one.Status != compliance.Partial {
			rest[one.Status] = append(rest[one.Status], one.ID)
			continue
		}
		if one.Group != group {
			group = one.Group
			t.Rows = append(t.Rows, paper.Row{paper.Bold(group)})
		}
		rate := ""
		if one.PassRate != nil {
			rate = percent(*one.PassRate * 100)
		}
		t.Rows = append(t.Rows, paper.Row{paper.Plain(one.ID), paper.Plain(one.Title), paper.Signed(signOfControl(one.Status)),
			paper.Plain(rate),
			paper.Plain(count(len(one.FindingIDs)))})
	}
	out := []paper.Block{paper.Heading{Level: 3, ID: "w-" + anchorOf(c.Framework.ID), Text: c.Framework.Title + " " + c.Framework.Version,
		Aside: plural(c.Totals.Controls, "control")}}
	if len(t.Rows) > 0 {
		out = append(out, t)
	}
	facts := paper.Facts{}
	for _, s := range []compliance.Status{compliance.Pass, compliance.NotAssessed, compliance.NotApplicable} {
		if ids := rest[s]; len(ids) > 0 {
			facts = append(facts, paper.Fact{Name: signOfControl(s).Word(), Text: paper.Plain(count(len(ids)) + ": " + strings.Join(ids, ", "))})
		}
	}
	return append(out, facts)
}

// unread describes what is unknown, and what would help.
func (r *reading) unread() []paper.Block {
	a := r.doc.Assessment
	out := []paper.Block{title("unread", "What could not be read")}
	if len(r.unseen) == 0 && len(a.Coverage.MissingPermissions) == 0 {
		return append(out, words("Everything that was asked for could be read."))
	}
	out = append(out, words("What could not be read is neither good nor bad, and counts as failed in the score."))
	if len(a.Coverage.MissingPermissions) > 0 {
		t := paper.Table{Name: "Missing permissions", Caption: "Permissions that the token lacks", Columns: []paper.Column{{Head: "Permission",
			Share: 40},
			{Head: "Checks that cannot judge without", Share: 60}}}
		for _, m := range a.Coverage.MissingPermissions {
			t.Rows = append(t.Rows, paper.Row{paper.Plain(m.Permission), paper.Plain(strings.Join(m.CheckIDs, ", "))})
		}
		out = append(out, t)
	}
	if len(r.unseen) > 0 {
		t := paper.Table{Name: "Reasons", Caption: "Why findings could not be judged", Columns: []paper.Column{{Head: "Reason", Share: 50},
			{Head: "Findings", Share: 10, Number: true}, {Head: "Checks", Share: 40}}}
		for _, u := range r.unseen {
			t.Rows = append(t.Rows, paper.Row{paper.Plain(u.why), paper.Plain(count(u.n)), paper.Plain(strings.Join(u.checks, ", "))})
		}
		out = append(out, t)
	}
	return out
}

// checks counts the findings of every check. Their sums are the counts of the assessment.
func (r *reading) checks() []paper.Block {
	t := paper.Table{Name: "Findings by check", Dense: true,
		Caption: "Findings of each check. Passes of one check are one finding for a zone or the account, however many resources passed.",
		Columns: []paper.Column{{Head: "Check", Share: 17}, {Head: "Title", Share: 42}, {Head: "Fail", Share: 8, Number: true},
			{Head: "Warning", Share: 9, Number: true}, {Head: "Not assessed", Share: 9, Number: true}, {Head: "Pass", Share: 8, Number: true},
			{Head: "Not applicable", Share: 9, Number: true}}}
	names := categoryNames()
	name := func(c posture.Category) string { return cmp.Or(names[c], string(c)) }
	tallies := slices.Clone(r.doc.Checks)
	slices.SortStableFunc(tallies, func(a, b posture.CheckTally) int {
		return cmp.Or(strings.Compare(strings.ToLower(name(a.Category)), strings.ToLower(name(b.Category))), strings.Compare(a.CheckID,
			b.CheckID))
	})
	results := []posture.Result{posture.Fail, posture.Warning, posture.Unknown, posture.Pass, posture.NotApplicable}
	for i, c := range tallies {
		if i == 0 || c.Category != tallies[i-1].Category {
			t.Rows = append(t.Rows, paper.Row{paper.Bold(name(c.Category))})
		}
		found := cmp.Or(r.byCheck[c.CheckID], &seen{})
		row := paper.Row{paper.Plain(c.CheckID), paper.Plain(found.title)}
		for _, result := range results {
			row = append(row, paper.Plain(count(found.counts[result])))
		}
		t.Rows = append(t.Rows, row)
	}
	s := r.doc.Assessment.Summary
	sums := paper.Row{paper.Bold("All"), nil}
	for _, n := range []int{s.Fail, s.Warning, s.Unknown, s.Pass, s.NotApplicable} {
		sums = append(sums, paper.Bold(count(n)))
	}
	t.Rows = append(t.Rows, sums)
	return []paper.Block{title("checks", "Every check with its counts"), t}
}

// zones lists the zones, lowest score first.
func (r *reading) zones() []paper.Block {
	zones := slices.Clone(r.doc.Assessment.Zones)
	out := []paper.Block{title("zones", "Zones")}
	if len(zones) == 0 {
		return append(out, words("The run looked at no zone."))
	}
	value := func(z posture.ZoneRef) int {
		if z.Score == nil {
			return 101
		}
		return z.Score.Value
	}
	slices.SortStableFunc(zones, func(a, b posture.ZoneRef) int { return cmp.Compare(value(a), value(b)) })
	t := paper.Table{Name: "Zones", Dense: true, Columns: []paper.Column{{Head: "Zone", Share: 44}, {Head: "Plan", Share: 16},
		{Head: "Status", Share: 14},
		{Head: "Score", Share: 8, Number: true}, {Head: "Grade", Share: 30}}}
	if more := len(zones) - shownZones; more > 0 {
		t.Caption = "The " + count(shownZones) + " of the lowest score, and " + count(more) + " more; the JSON export has all of them"
		zones = zones[:shownZones]
	}
	for _, z := range zones {
		score, grade := "", ""
		if z.Score != nil {
			score, grade = count(z.Score.Value), z.Score.Words()
		}
		t.Rows = append(t.Rows, paper.Row{paper.Plain(z.Name), paper.Plain(z.Plan), paper.Plain(z.Status), paper.Plain(score),
			paper.Plain(grade)})
	}
	return append(out, t)
}

// method describes how the report was made, and what its words mean.
func (r *reading) method() []paper.Block {
	a := r.doc.Assessment
	token := cmp.Or(a.TokenInfo.Status, "unknown")
	if a.TokenInfo.Kind != "" && a.TokenInfo.Kind != "unknown" {
		token += " (" + a.TokenInfo.Kind + " token)"
	}
	switch t := a.TokenInfo; {
	case t.DaysLeft != nil && *t.DaysLeft < 0:
		token += ", expired"
	case t.DaysLeft != nil:
		token += ", expires in " + plural(*t.DaysLeft, "day")
	case t.Error != "":
		token += ", " + t.Error
	case t.Kind != "" && t.Kind != "unknown":
		token += ", has no expiry"
	}
	run := paper.Facts{{Name: "Token", Text: paper.Plain(token)}, {Name: "Profile", Text: paper.Plain(string(a.Profile))},
		{Name: "Edgeposture", Text: paper.Plain(cmp.Or(r.doc.Version, "unknown"))}}
	if a.Note != "" {
		run = append(run, paper.Fact{Name: "Note", Text: paper.Plain(a.Note)})
	}
	glossary := paper.Facts{}
	for _, w := range Glossary() {
		glossary = append(glossary, paper.Fact{Name: w.Name, Text: paper.Plain(w.Means)})
	}
	return []paper.Block{title("method", "Method and words"), run,
		words("Names are shown letter by letter: what cannot be seen, or has no letter in the typeface, is named by its code point, " +
			"as [U+202E]."),
		paper.Heading{Level: 3, Text: "Words"}, glossary}
}

// Word is an entry of the glossary.
type Word struct{ Name, Means string }

// Glossary defines what is counted, in the words of the API, the dashboard and every export.
func Glossary() []Word {
	return []Word{
		{"Check", "a question with a right answer, such as whether TLS below 1.2 is refused"},
		{"Resource", "what a check judges: the account, a zone, a DNS record, a rule, a Worker"},
		{"Result", "the verdict of a check on one resource: FAIL, WARNING, PASS, UNKNOWN (not assessed) or NOT_APPLICABLE; coverage " +
			"counts results"},
		{"Finding", "a line of the assessment: each FAIL or WARNING is one; what passed, or does not apply, is one for each check and unit " +
			"(the account, a zone, a tunnel, a Worker, a bucket), however many resources that were; summaries and exports count findings"},
		{"Open finding", "a FAIL or WARNING; an accepted risk is open too"},
		{"Issue", "a check with all its open findings in the account"},
		{"Attack path", "a way from the internet to something that should not be reached, made of what was read"},
		{"Coverage", "the share of the results that could be judged"},
		{"Score", "0 to 100: the share of what passes, weighed by severity"},
	}
}
