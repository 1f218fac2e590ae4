package export

import (
	"cmp"
	"html/template"
	"iter"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlTop is what stands before the findings.
type htmlTop struct {
	Policy      string
	Style       template.CSS
	Account     string
	AccountID   string
	Notice      string // of the demo
	Facts       []htmlFact
	Cut         *htmlCut
	Gaps        *htmlGaps
	Score       htmlScore
	Severities  htmlChart
	Results     htmlChart
	Contents    []htmlContent
	Paths       iter.Seq[htmlPath]
	PathCount   int
	PathsHidden bool // something could not be read, so a path may be missing
	Frameworks  []htmlFramework
	Listed      string
	Nothing     bool
}

// htmlFact is one line about the run. Code is for ids and digests.
type htmlFact struct {
	Name   string
	Text   string
	Note   string
	Anchor string
	Code   bool
	Class  string // how much of a line it takes
}

// htmlCut says what a report of a very large assessment leaves out.
type htmlCut struct{ Listed, Shown, Grouped, Limit string }

type htmlGaps struct {
	Unknown     string
	Permissions []htmlPermission
}

type htmlPermission struct {
	Name   string
	Checks []htmlLink
	Count  string
}

type htmlScore struct {
	Judged  bool // something was
	Value   string
	Grade   string
	Note    string // why the grade is held or withheld
	Percent string
	Width   string // percent, for the drawing
	Results string
	Unknown string
}

// htmlContent is one category in the table of contents.
type htmlContent struct {
	Anchor, Name, Counts string
}

func newHTMLTop(d Document, p *htmlPlan, nodes map[string]pathNode) htmlTop {
	a := d.Assessment
	top := htmlTop{
		Policy: htmlPolicy(), Style: template.CSS(htmlStyle), //nolint:gosec // our own embedded file
		Account: htmlText(cmp.Or(a.Account.Name, a.Account.ID)), AccountID: htmlText(a.Account.ID),
		Notice: htmlText(strings.Join(notices(a), " ")),
		Facts:  htmlFacts(d), Gaps: newHTMLGaps(a, p), Score: newHTMLScore(a),
		Severities: htmlSeverityChart(a.Summary), Results: htmlResultChart(d.Checks),
		PathsHidden: a.Status == posture.CompletedWithGaps, Listed: p.listedWords(), Nothing: p.listed == 0,
	}
	if !p.full {
		top.Cut = &htmlCut{Listed: htmlCount(p.listed), Shown: htmlCount(p.shown), Grouped: htmlCount(p.listed - p.shown),
			Limit: htmlCount(p.limit)}
	}
	for _, g := range p.categories {
		top.Contents = append(top.Contents, htmlContent{Anchor: htmlAnchor(string(g.id)), Name: p.category(g.id), Counts: htmlCounts(g.results)})
	}
	top.PathCount = len(p.paths)
	top.Paths = func(yield func(htmlPath) bool) {
		for path, err := range d.paths() {
			if err != nil {
				p.broken = err
				return
			}
			if !yield(newHTMLPath(path, p, nodes)) {
				return
			}
		}
	}
	for _, r := range d.Compliance {
		top.Frameworks = append(top.Frameworks, newHTMLFramework(r, p))
	}
	return top
}

func htmlFacts(d Document) []htmlFact {
	a := d.Assessment
	took := "took " + htmlDuration(a.DurationMS) + ", " + htmlPlural(a.Requests, "request")
	status, note := htmlToken(a.TokenInfo)
	facts := []htmlFact{
		{Name: "Assessed", Text: htmlTime(a.CompletedAt), Note: took},
		{Name: "Profile", Text: htmlText(string(a.Profile)), Note: "sensitivity " + htmlText(cmp.Or(string(a.Sensitivity), "medium"))},
		{Name: "Zones", Text: htmlCount(len(a.Zones)), Note: htmlPlans(a.Zones), Anchor: "zones"},
		{Name: "Token", Text: status, Note: note},
		{Name: "Account id", Text: htmlText(a.Account.ID), Code: true, Class: "wide"},
		{Name: "Assessment id", Text: htmlText(a.ID), Code: true, Class: "wide"},
		{Name: "Snapshot digest", Text: htmlText(a.SnapshotDigest), Code: true, Class: "wider"},
		{Name: "Edgeposture", Text: htmlText(d.Version), Note: "catalogue " + htmlText(a.CatalogueVersion)},
	}
	if c := a.Carried; c != nil {
		facts = append(facts, htmlFact{Name: "Incremental", Text: htmlText(carriedText(*c)), Class: "whole"})
	}
	if a.Note != "" {
		facts = append(facts, htmlFact{Name: "Note", Text: htmlText(a.Note), Class: "whole"})
	}
	return facts
}

// htmlPlans counts zones by plan, the most common first.
func htmlPlans(zones []posture.ZoneRef) string {
	counts := map[string]int{}
	for _, z := range zones {
		counts[cmp.Or(z.Plan, "unknown plan")]++
	}
	plans := make([]string, 0, len(counts))
	for plan := range counts {
		plans = append(plans, plan)
	}
	slices.SortFunc(plans, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for i, plan := range plans {
		plans[i] = htmlCount(counts[plan]) + " " + htmlText(plan)
	}
	return strings.Join(plans, ", ")
}

// htmlToken says how the credential of the run stands. Only one that was
// verified is said not to expire.
func htmlToken(t posture.TokenInfo) (status, note string) {
	status = htmlText(cmp.Or(t.Status, "unknown"))
	if t.Kind != "" && t.Kind != "unknown" {
		status += " (" + htmlText(t.Kind) + " token)"
	}
	day := ""
	if t.ExpiresOn != nil {
		day = " (" + t.ExpiresOn.UTC().Format("2006-01-02") + ")"
	}
	switch {
	case t.DaysLeft != nil && *t.DaysLeft < 0:
		note = "expired" + day
	case t.DaysLeft != nil:
		note = "expires in " + htmlPlural(*t.DaysLeft, "day") + day
	case t.Error != "":
		note = htmlText(t.Error)
	case t.ExpiresOn == nil && t.Kind != "" && t.Kind != "unknown":
		note = "has no expiry"
	}
	return status, note
}

func newHTMLGaps(a posture.AssessmentSummary, p *htmlPlan) *htmlGaps {
	if a.Status != posture.CompletedWithGaps {
		return nil
	}
	g := &htmlGaps{Unknown: htmlPlural(a.Coverage.Unknown, "check result")}
	for _, m := range a.Coverage.MissingPermissions {
		g.Permissions = append(g.Permissions, htmlPermission{Name: htmlText(m.Permission), Checks: p.checks(m.CheckIDs),
			Count: htmlPlural(len(m.CheckIDs), "check")})
	}
	return g
}

// checks leads to the rows of checks that have one.
func (p *htmlPlan) checks(ids []string) []htmlLink {
	out := make([]htmlLink, len(ids))
	for i, id := range ids {
		out[i] = p.check(id)
	}
	return out
}

func (p *htmlPlan) check(id string) htmlLink {
	l := htmlLink{Text: htmlText(id)}
	if p.judged[id] {
		l.Anchor = htmlAnchor(id)
	}
	return l
}

func newHTMLScore(a posture.AssessmentSummary) htmlScore {
	c := a.Coverage
	s := htmlScore{Judged: c.Evaluated > 0, Value: htmlCount(a.Score.Value), Percent: htmlPercent(c.Percent),
		Width: htmlNumber(min(max(c.Percent, 0), 100)), Results: htmlPlural(c.Evaluated, "result"), Unknown: htmlCount(c.Unknown)}
	s.Grade = htmlText(a.Score.Letter())
	s.Note = htmlText(a.Score.Note())
	return s
}

// listedWords counts open findings apart from unknown ones.
func (p *htmlPlan) listedWords() string {
	unknown := 0
	for _, g := range p.categories {
		unknown += g.results[posture.Unknown]
	}
	open := htmlPlural(p.listed-unknown, "open finding")
	if unknown == 0 {
		return open
	}
	return open + ", " + htmlCount(unknown) + " not assessed"
}

// htmlCounts says how many findings of each result there are.
func htmlCounts(results map[posture.Result]int) string {
	var parts []string
	for _, r := range htmlListed() {
		switch n := results[r]; {
		case n == 0:
		case r == posture.Fail:
			parts = append(parts, htmlCount(n)+" failed")
		case r == posture.Warning:
			parts = append(parts, htmlPlural(n, "warning"))
		default:
			parts = append(parts, htmlCount(n)+" not assessed")
		}
	}
	return strings.Join(parts, ", ")
}
