package export

import (
	"cmp"
	"html/template"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlFinding is one finding as its article shows it.
type htmlFinding struct {
	Anchor     string
	Signs      template.HTML
	Message    string
	Said       string // what was seen, below a headline that names the problem
	Impact     string
	Steps      []htmlWay
	Breaks     string
	Name       string
	Where      string
	ID         string
	Reason     string
	Permission string
	Evidence   []htmlEvidence
	About      template.HTML
	Paths      []htmlLink
	Status     string
}

type htmlWay struct{ Where, Text, Code string }

type htmlEvidence struct{ Place, Observed, Expected string }

// htmlSigns are the severity and the result of a finding.
type htmlSigns struct{ Severity, Result htmlWord }

// htmlAbout is what all findings of a check say alike.
type htmlAbout struct {
	Why, Fix, Title, Controls string
	Check                     htmlLink
	Remediable                bool
}

func (h *htmlWriter) finding(f posture.Finding) (htmlFinding, error) {
	out := htmlFinding{
		Anchor: htmlAnchor(f.ID), Message: htmlText(htmlHeadline(f)), Said: htmlText(htmlSaid(f)), Impact: htmlText(f.Impact),
		Breaks: htmlText(f.Breaks),
		Name:   htmlText(htmlName(f.Resource)), Where: htmlType(string(f.Resource.Type)), ID: htmlText(f.Resource.ID),
		Reason: htmlText(htmlReason(f)), Permission: htmlText(f.Permission), Status: htmlStatus(f),
	}
	if f.Resource.Zone != "" && f.Resource.Zone != f.Resource.Name {
		out.Where += " in " + htmlText(f.Resource.Zone)
	}
	for _, e := range f.Evidence {
		out.Evidence = append(out.Evidence, htmlEvidence{Place: htmlText(strings.TrimSpace(e.Source + " " + e.Pointer)),
			Observed: htmlText(cmp.Or(e.Observed, "(empty)")), Expected: htmlText(cmp.Or(e.Expected, "(empty)"))})
	}
	for _, s := range f.Steps {
		out.Steps = append(out.Steps, htmlWay{stepWord(s.Where), htmlText(s.Text), htmlText(s.Code)})
	}
	for _, id := range f.AttackPathIDs {
		if link, known := h.plan.paths[id]; known {
			out.Paths = append(out.Paths, link)
		}
	}
	about := htmlAbout{Why: htmlText(f.Why), Fix: htmlText(f.Fix), Title: htmlText(cmp.Or(f.CheckTitle, f.Title)),
		Controls: htmlControls(f.Controls),
		Check:    h.plan.check(f.CheckID), Remediable: f.Remediable}
	var err error
	if out.Signs, err = h.piece("marks", htmlSigns{htmlSeverity(f.Severity), htmlResult(f.Result)}); err != nil {
		return out, err
	}
	out.About, err = h.piece("about", about)
	return out, err
}

// htmlHeadline says what a finding is about. Of what could not be judged only the check does, whose title is the good state.
func htmlHeadline(f posture.Finding) string {
	if f.Result == posture.Unknown || f.Titled() {
		return cmp.Or(f.Title, f.Message)
	}
	return cmp.Or(f.Message, f.Title)
}

// htmlSaid is the message where it is not the headline.
func htmlSaid(f posture.Finding) string {
	if f.Result == posture.Unknown || f.Message == htmlHeadline(f) {
		return ""
	}
	return f.Message
}

// htmlReason says why something could not be judged.
func htmlReason(f posture.Finding) string {
	if f.Result == posture.Unknown {
		return cmp.Or(f.Reason, f.Message)
	}
	return f.Reason
}

// htmlStatus says where a finding stands over several runs.
func htmlStatus(f posture.Finding) string {
	s := cmp.Or(string(f.Status), "open") + ", first seen " + htmlTime(f.FirstSeen)
	if f.Exception != nil {
		s += "; accepted risk: " + f.Accepted()
	}
	return htmlText(s)
}

// htmlControls lists the controls of a finding by framework.
func htmlControls(c posture.Controls) string {
	parts := make([]string, 0, 4)
	for _, f := range [...]struct {
		name string
		ids  []string
	}{{"CIS ", c.CIS}, {"SOC 2 ", c.SOC2}, {"PCI DSS ", c.PCI}, {"NIST ", c.NIST}} {
		if len(f.ids) > 0 {
			parts = append(parts, f.name+htmlText(strings.Join(f.ids, ", ")))
		}
	}
	return strings.Join(parts, " · ")
}
