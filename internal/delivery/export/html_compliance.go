package export

import (
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
)

// htmlFramework is one framework: its totals and its controls.
type htmlFramework struct {
	Anchor   string
	Name     string
	Score    string
	Count    string
	Totals   htmlTotals
	Controls []htmlControlRow
}

type htmlTotals struct{ Pass, Partial, Fail, NotAssessed, NotApplicable, Controls string }

type htmlControlRow struct {
	ID       string
	Title    string
	Group    string // empty when it is that of the row above
	Status   htmlWord
	Rate     string
	Checks   []htmlMapping
	Findings string
}

// htmlMapping is a check with why it is evidence for a control.
type htmlMapping struct {
	Check            htmlLink
	Strength, Reason string
}

func newHTMLFramework(r compliance.Report, p *htmlPlan) htmlFramework {
	t := r.Totals
	f := htmlFramework{
		Anchor: htmlAnchor(r.Framework.ID), Name: htmlText(r.Framework.Title + " " + r.Framework.Version), Score: "none",
		Count: htmlPlural(t.Controls, "control"),
		Totals: htmlTotals{Pass: htmlCount(t.Pass), Partial: htmlCount(t.Partial), Fail: htmlCount(t.Fail),
			NotAssessed: htmlCount(t.NotAssessed), NotApplicable: htmlCount(t.NotApplicable), Controls: htmlCount(t.Controls)},
	}
	if r.Score != nil {
		f.Score = htmlCount(*r.Score)
	}
	group := ""
	for _, c := range r.Controls {
		row := htmlControlRow{ID: htmlText(c.ID), Title: htmlText(c.Title), Status: htmlControl(c.Status),
			Findings: htmlCount(len(c.FindingIDs))}
		if c.Group != group {
			group = c.Group
			row.Group = htmlText(group)
		}
		if c.PassRate != nil {
			row.Rate = htmlPercent(*c.PassRate * 100)
		}
		for _, m := range c.Checks {
			row.Checks = append(row.Checks, htmlMapping{p.check(m.CheckID), htmlText(string(m.Strength)), htmlText(m.Reason)})
		}
		f.Controls = append(f.Controls, row)
	}
	return f
}
