package export

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/paper"
)

// How many entries the summary shows; the rest of the report has the others.
const (
	worstShown   = 3
	changesShown = 3
	zonesNamed   = 6
	reasonsShown = 4
	movedShown   = 3
)

func title(id, text string) paper.Heading { return paper.Heading{Level: 2, ID: id, Text: text} }

func words(parts ...string) paper.Paragraph {
	return paper.Paragraph{Text: paper.Plain(strings.Join(parts, ""))}
}

// summary has the content of the dashboard's summary, in the same words.
func (r *reading) summary() []paper.Block {
	a := r.doc.Assessment
	out := []paper.Block{
		paper.Heading{Level: 1, Text: cmp.Or(a.Account.Name, a.Account.ID)},
		paper.Paragraph{Text: paper.Quiet("Security posture report. Assessed " + clock(a.CompletedAt) + ". Account " + a.Account.ID + ".")},
	}
	if said := notices(a); len(said) > 0 {
		out = append(out, paper.Paragraph{Text: paper.Bold(strings.Join(said, " ")), Boxed: true})
	}
	out = append(out, r.figures())
	out = append(out, r.grade()...)
	out = append(out, r.looked()...)
	out = append(out, r.worst()...)
	out = append(out, r.moved()...)
	out = append(out, r.glance()...)
	out = append(out, r.breaking()...)
	return append(out, r.measured()...)
}

func (r *reading) figures() paper.Figures {
	a := r.doc.Assessment
	score := paper.Figure{Name: "Score", Value: "none", Note: "nothing was judged"}
	if a.Coverage.Evaluated > 0 {
		score = paper.Figure{Name: "Score", Value: count(a.Score.Value), Note: "of 100"}
	}
	note := cmp.Or(a.Score.Note(), "from the score alone")
	if a.Score.Grade == nil {
		note = "withheld"
	}
	return paper.Figures{
		{Name: "Grade", Value: cmp.Or(a.Score.Letter(), "none"), Note: note}, score,
		{Name: "Open findings", Value: count(a.Summary.Fail + a.Summary.Warning), Note: count(a.Summary.BySeverity[posture.Critical]) +
			" critical, " + count(a.Summary.BySeverity[posture.High]) + " high"},
		{Name: "Attack paths", Value: count(a.AttackPaths), Note: "from the internet"},
		{Name: "Could be judged", Value: percent(a.Coverage.Percent), Note: "of the results"},
	}
}

func (r *reading) grade() []paper.Block {
	a := r.doc.Assessment
	why := "The grade follows from the score alone: A from 90, B from 80, C from 70, D from 60."
	switch note := a.Score.Note(); {
	case a.Score.Grade == nil:
		why = "The grade is withheld: " + note + ". What could not be read counts as failed in the score."
	case note != "":
		why = "The grade is " + note + ", whatever the score says."
	}
	paths := "no attack path was found"
	switch {
	case a.AttackPaths > 0:
		paths = plural(a.AttackPaths, "attack path")
	case a.Status == posture.CompletedWithGaps:
		paths += " in what could be read"
	}
	accepted := ""
	if r.accepted > 0 {
		accepted = "the risk of " + count(r.accepted) + " is accepted; "
	}
	return []paper.Block{title("grade", "The grade, and why"), words(why), words(plural(a.Summary.Fail+a.Summary.Warning, "open finding"),
		", of them ", count(a.Summary.BySeverity[posture.Critical]), " critical and ", count(a.Summary.BySeverity[posture.High]), " high; ",
		accepted, paths, ".")}
}

func (r *reading) looked() []paper.Block {
	a := r.doc.Assessment
	named := a.Zones[:min(zonesNamed, len(a.Zones))]
	zones := plural(len(a.Zones), "zone")
	switch {
	case len(named) > 0:
		zones += ": " + joined(named, ", ", func(z posture.ZoneRef) string { return z.Name })
	case zonesUnread(a):
		zones = "No zone was read"
	}
	if more := len(a.Zones) - len(named); more > 0 {
		zones += " and " + count(more) + " more"
	}
	out := []paper.Block{title("looked", "What was looked at, and what not"),
		words(zones, ". ", plural(len(r.doc.Checks), "check"), " of the ", string(a.Profile), " profile gave ",
			plural(a.Coverage.Evaluated+a.Coverage.Unknown, "result"), "; ", percent(a.Coverage.Percent), " of them could be judged.")}
	if r.partial() {
		out = append(out, paper.Paragraph{Text: paper.Bold("This run looked at a part of the account only.").Also(
			paper.Plain(" It says nothing of the rest."))})
	}
	if a.Coverage.Unknown == 0 {
		return append(out, words("Everything that was asked for could be read."))
	}
	out = append(out, words(plural(a.Coverage.Unknown, "result"), " could not be judged, and may be good or bad:"))
	list := paper.List{}
	causes := r.causes()
	for _, u := range causes[:min(reasonsShown, len(causes))] {
		list.Items = append(list.Items, paper.Plain(plural(u.n, "result")+": "+u.why))
	}
	if more := len(causes) - len(list.Items); more > 0 {
		list.Items = append(list.Items, paper.Plain("and "+plural(more, "other reason")))
	}
	return append(out, list)
}

// partial reports whether the run was narrowed, as far as its history tells.
func (r *reading) partial() bool {
	for _, p := range r.doc.History.Points {
		if p.AssessmentID == r.doc.Assessment.ID {
			return p.Partial
		}
	}
	return false
}

func (r *reading) worst() []paper.Block {
	out := []paper.Block{title("worst", "The three worst things")}
	left := slices.DeleteFunc(slices.Clone(r.issues), func(i issue.Issue) bool { return i.State == issue.Accepted })
	switch {
	case len(left) > 0:
	case len(r.issues) > 0:
		return append(out, words("The risk of every open finding is accepted."))
	case r.doc.Assessment.Summary.Unknown > 0:
		return append(out, words("No check failed. What could be judged passed; the rest was not assessed."))
	default:
		return append(out, words("No check failed. Every check that was judged passed."))
	}
	for _, one := range left[:min(worstShown, len(left))] {
		f := r.byCheck[one.CheckID].worst
		out = append(out, issueHeading(one, ""), paper.Paragraph{Lead: true, Text: paper.Quiet(one.Reason)}, wayOut(one, f))
	}
	return out
}

func (r *reading) moved() []paper.Block {
	h := r.doc.History
	var out []paper.Block
	switch {
	case h.Before == nil:
		out = append(out, title("moved", "What changed"), words("There is no earlier run of the whole account to compare with."))
	case h.Same:
		out = append(out, r.since("moved", "What changed since the run before, which is that of last week", h.Before)...)
	default:
		out = append(out, r.since("moved", "What changed since the run before", h.Before)...)
	}
	if h.Week != nil {
		out = append(out, r.since("week", "What changed since last week", h.Week)...)
	}
	if len(h.Points) > 1 {
		line := paper.Line{Caption: "Score, of 100, of the last " + plural(len(h.Points), "run")}
		for _, p := range h.Points {
			line.Points = append(line.Points, paper.Point{Label: clock(p.At), Value: p.Score, Hollow: p.Partial || p.Grade == nil})
		}
		out = append(out, title("trend", "Score over time"), line)
		if slices.ContainsFunc(line.Points, func(p paper.Point) bool { return p.Hollow }) {
			out = append(out, paper.Paragraph{
				Text: paper.Quiet("A hollow run does not compare: it looked at a part of the account, or too little could be judged.")})
		}
	}
	return out
}

func (r *reading) since(id, head string, d *drift.Drift) []paper.Block {
	out := []paper.Block{title(id, head), paper.Figures{
		{Name: "New", Value: count(len(d.New)), Note: "findings"}, {Name: "Regressed", Value: count(len(d.Regressed)), Note: "findings"},
		{Name: "Resolved", Value: count(len(d.Resolved)), Note: "findings"},
		{Name: "Unreadable", Value: count(len(d.Unknown)), Note: "findings"}},
		words("Score ", count(d.Baseline.Score), " on ", clock(d.Baseline.CompletedAt), ", ", count(d.Current.Score), " on ",
			clock(d.Current.CompletedAt), " (", d.ScoreChange(), ").")}
	if n := d.Uncertain(); n > 0 {
		out = append(out, words("Of the new findings ", count(n), " may be older: the earlier run could not judge them."))
	}
	worst := append(slices.Clone(d.New), d.Regressed...)
	slices.SortStableFunc(worst, func(a, b drift.Difference) int { return cmp.Compare(b.Severity.Rank(), a.Severity.Rank()) })
	list := paper.List{}
	for _, w := range worst[:min(movedShown, len(worst))] {
		list.Items = append(list.Items, paper.Signed(signOf(w.Severity)).Also(paper.Plain(cmp.Or(w.Message, w.Title))))
	}
	if len(list.Items) > 0 {
		out = append(out, words("The worst of what is new or regressed:"), list)
	}
	return out
}

func (r *reading) glance() []paper.Block {
	if len(r.doc.Compliance) == 0 {
		return nil
	}
	bars := paper.Bars{Caption: "Share of the controls of each framework", Legend: controlSigns()}
	for _, c := range r.doc.Compliance {
		note := plural(c.Totals.Controls, "control")
		if c.Score != nil {
			note = "score " + count(*c.Score) + ", " + note
		}
		bars.Rows = append(bars.Rows, paper.Bar{Name: frameworkName(c.Framework), Note: note, Values: controlCounts(c.Totals)})
	}
	return []paper.Block{title("glance", "Compliance at a glance"), bars}
}

// controlSigns are the states of a control in the order of controlCounts.
func controlSigns() []paper.Sign {
	return []paper.Sign{paper.Fail, paper.Partial, paper.Pass, paper.Unknown, paper.None}
}

func controlCounts(t compliance.Totals) []int {
	return []int{t.Fail, t.Partial, t.Pass, t.NotAssessed, t.NotApplicable}
}

func (r *reading) breaking() []paper.Block {
	out := []paper.Block{title("breaking", "Changes that break the most attack paths")}
	if r.all == 0 {
		return append(out, words(r.noPath()))
	}
	first := r.cover[:min(changesShown, len(r.cover))]
	out = append(out, words(r.covered(first)))
	return append(out, r.changes(first))
}

func (r *reading) noPath() string {
	if r.doc.Assessment.Status == posture.CompletedWithGaps {
		return "No attack path in what could be read. One may lie in the rest."
	}
	return "No attack path was found."
}

func (r *reading) measured() []paper.Block {
	a := r.doc.Assessment
	method := "The account was read through Cloudflare's API"
	if a.Demo {
		method = "A simulated account was read"
	}
	method += " with " + plural(a.Requests, "request") + "; nothing was changed. " + plural(len(r.doc.Checks), "check") +
		" judged what was read. What could not be read is never called good."
	if a.Carried != nil {
		method += " Of an incremental run: " + carriedText(*a.Carried) + "."
	}
	return []paper.Block{title("measured", "How it was measured"), paper.Facts{
		{Name: "Method", Text: paper.Plain(method)},
		{Name: "Score", Text: paper.Plain("The share of what passes, weighed by severity; what could not be read counts as failed. " +
			"An open critical finding holds the grade, and below 80 % of the weight there is none.")},
		{Name: "Sensitivity", Text: paper.Plain(string(cmp.Or(a.Sensitivity, posture.SensitivityMedium)) +
			", which weighs the risk of each finding")},
		{Name: "Time", Text: paper.Plain(clock(a.CompletedAt) + ", after " + lasted(a.DurationMS))},
		{Name: "Catalogue", Text: paper.Plain(a.CatalogueVersion)},
		{Name: "Assessment", Text: paper.Plain(a.ID + ", snapshot " + a.SnapshotDigest)}}}
}
