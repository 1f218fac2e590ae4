package export

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlSection begins a category.
type htmlSection struct {
	Anchor string
	Name   string
	ID     string
	Counts string
	Score  string
}

func newHTMLCategory(h *htmlWriter, g *htmlGroup) htmlSection {
	s := htmlSection{Anchor: htmlAnchor(string(g.id)), Name: h.plan.category(g.id), ID: htmlText(string(g.id)), Counts: htmlCounts(g.results)}
	if score, judged := h.doc.Assessment.Score.ByCategory[g.id]; judged {
		s.Score = htmlCount(score.Value)
	}
	return s
}

// htmlRows counts results by check. Name tells tables apart.
type htmlRows struct {
	Name string
	Rows []htmlRow
}

type htmlRow struct {
	Group                              string // empty when it is that of the row above
	Anchor                             string
	Text                               string // the id of the check
	Title                              string
	Severity                           htmlWord
	Fail, Warning, Unknown, Pass, None string
}

// newHTMLRest ends a category with what is counted only.
func newHTMLRest(g *htmlGroup, p *htmlPlan) htmlRows {
	rows := htmlRows{Name: p.category(g.id)}
	for _, id := range g.order {
		r := g.rest[id]
		rows.Rows = append(rows.Rows, htmlRow{Anchor: p.check(id).Anchor, Text: htmlText(id), Title: htmlText(p.titles[id]),
			Severity: htmlSeverity(r.severity), Fail: htmlCount(r.results[posture.Fail]), Warning: htmlCount(r.results[posture.Warning]),
			Unknown: htmlCount(r.results[posture.Unknown])})
	}
	return rows
}

// htmlBottom is what stands after the findings.
type htmlBottom struct {
	Checks  []htmlRow
	Zones   []htmlZone
	Version string
	ID      string
}

type htmlZone struct{ Name, ID, Plan, Status string }

func newHTMLBottom(d Document, p *htmlPlan) htmlBottom {
	b := htmlBottom{Version: htmlText(d.Version), ID: htmlText(d.Assessment.ID)}
	group := posture.Category("")
	for i, c := range p.tallies(d.Checks) {
		row := htmlRow{Anchor: htmlAnchor(c.CheckID), Text: htmlText(c.CheckID), Title: htmlText(p.titles[c.CheckID]),
			Severity: htmlSeverity(c.Severity), Fail: htmlCount(c.Fail), Warning: htmlCount(c.Warning), Unknown: htmlCount(c.Unknown),
			Pass: htmlCount(c.Pass), None: htmlCount(c.NotApplicable)}
		if i == 0 || c.Category != group {
			group, row.Group = c.Category, p.category(c.Category)
		}
		b.Checks = append(b.Checks, row)
	}
	for _, z := range d.Assessment.Zones {
		b.Zones = append(b.Zones, htmlZone{Name: htmlText(z.Name), ID: htmlText(z.ID), Plan: htmlText(z.Plan), Status: htmlText(z.Status)})
	}
	return b
}
