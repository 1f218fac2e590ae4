package export

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/posture"
)

// htmlFinding is one finding as its article shows it.
type htmlFinding struct {
	Anchor     string
	Severity   htmlWord
	Result     htmlWord
	Message    string
	CheckID    string
	CheckLink  string
	Title      string
	Type       string
	Name       string
	ID         string
	Zone       string
	Reason     string
	Permission string
	Evidence   []htmlEvidence
	Why        string
	Fix        string
	Remediable bool
	Controls   string
	Paths      []htmlLink
	Status     string
	FirstSeen  string
	Accepted   string
}

type htmlEvidence struct{ Place, Observed, Expected string }

func newHTMLFinding(f posture.Finding, p *htmlPlan) htmlFinding {
	out := htmlFinding{
		Anchor: htmlAnchor(f.ID), Severity: htmlSeverity(f.Severity), Result: htmlResult(f.Result), Message: htmlText(f.Message),
		CheckID: htmlText(f.CheckID), Title: htmlText(f.Title), CheckLink: p.check(f.CheckID).Anchor,
		Type: htmlType(string(f.Resource.Type)), Name: htmlText(htmlName(f.Resource)), ID: htmlText(f.Resource.ID),
		Reason: htmlText(f.Reason), Permission: htmlText(f.Permission), Why: htmlText(f.Why), Fix: htmlText(f.Fix),
		Remediable: f.Remediable, Controls: htmlControls(f.Controls), Status: htmlText(string(f.Status)), FirstSeen: htmlTime(f.FirstSeen),
	}
	if out.Message == "" {
		out.Message = out.Title
	}
	if f.Resource.Zone != f.Resource.Name {
		out.Zone = htmlText(f.Resource.Zone)
	}
	if f.Exception != nil {
		out.Accepted = htmlText(*f.Exception)
	}
	for _, e := range f.Evidence {
		out.Evidence = append(out.Evidence, htmlEvidence{Place: htmlText(strings.TrimSpace(e.Source + " " + e.Pointer)),
			Observed: htmlText(e.Observed), Expected: htmlText(e.Expected)})
	}
	for _, id := range f.AttackPathIDs {
		if link, known := p.paths[id]; known {
			out.Paths = append(out.Paths, link)
		}
	}
	return out
}

func htmlControls(c posture.Controls) string {
	var parts []string
	for _, f := range []struct {
		name string
		ids  []string
	}{{"CIS", c.CIS}, {"SOC 2", c.SOC2}, {"PCI DSS", c.PCI}, {"NIST", c.NIST}} {
		if len(f.ids) > 0 {
			parts = append(parts, f.name+" "+strings.Join(f.ids, ", "))
		}
	}
	return htmlText(strings.Join(parts, " · "))
}
