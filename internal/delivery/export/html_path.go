package export

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlPath is one attack path.
type htmlPath struct {
	Anchor      string
	Severity    htmlWord
	Title       string
	Kind        string
	Hops        string
	Steps       []htmlStep
	Explanation string
	Why         string // it has this severity
	Breaks      []htmlBreak
	Findings    []htmlLink
	Checks      []htmlLink
}

// htmlStep is a node of a path and the edge that leads on from it. Back says that
// the edge runs against the way of the path, as belongs_to does.
type htmlStep struct {
	Type string
	Name string
	Edge string
	Back bool
}

type htmlBreak struct {
	Change     string
	Checks     []htmlLink
	Remediable bool
}

// htmlNode is how a node is shown.
type htmlNode struct{ Type, Name string }

// newHTMLNode shows a node of a path. One without a label makes do with its id.
func newHTMLNode(id string, n pathNode) htmlNode {
	if n.Label == "" {
		return htmlUnknownNode(id)
	}
	return htmlNode{Type: htmlType(n.Type), Name: htmlText(n.Label)}
}

// htmlUnknownNode makes do with the id, which begins with the type.
func htmlUnknownNode(id string) htmlNode {
	kind, name, found := strings.Cut(id, ":")
	switch {
	case id == graph.Internet:
		return htmlNode{Type: htmlType(id), Name: "Internet"}
	case !found:
		return htmlNode{Type: "resource", Name: htmlText(id)}
	default:
		return htmlNode{Type: htmlType(kind), Name: htmlText(name)}
	}
}

func newHTMLPath(a posture.AttackPath, p *htmlPlan, nodes map[string]pathNode) htmlPath {
	out := htmlPath{Anchor: htmlDigest(a.ID), Severity: htmlSeverity(a.Severity), Title: htmlText(a.Title),
		Kind: htmlText(strings.ReplaceAll(a.Kind, "-", " ")), Hops: htmlPlural(a.HopCount, "hop"),
		Explanation: htmlText(a.Explanation), Why: htmlText(a.SeverityReason), Checks: p.checks(a.RelatedCheckIDs)}
	for i, id := range a.Nodes {
		shown := newHTMLNode(id, nodes[id])
		step := htmlStep{Type: shown.Type, Name: shown.Name}
		if i+1 < len(a.Nodes) {
			step.Edge, step.Back = htmlEdge(a.Edges, id, a.Nodes[i+1])
		}
		out.Steps = append(out.Steps, step)
	}
	for _, b := range a.Breaks {
		out.Breaks = append(out.Breaks, htmlBreak{Change: htmlText(b.Change), Checks: p.checks(b.CheckIDs), Remediable: b.Remediable})
	}
	for _, id := range a.FindingIDs {
		m := p.mentioned[id]
		switch {
		case !m.found: // it passed, or it is of another run
		case p.inFull(m.severity):
			out.Findings = append(out.Findings, htmlLink{Anchor: htmlAnchor(id), Text: m.label})
		default:
			out.Findings = append(out.Findings, htmlLink{Text: m.label})
		}
	}
	return out
}

// htmlEdge finds the relation between two neighbours of a path.
func htmlEdge(edges []posture.PathEdge, from, to string) (word string, back bool) {
	for _, e := range edges {
		switch {
		case e.From == from && e.To == to:
			return htmlRelation(e.Type), false
		case e.From == to && e.To == from:
			return htmlRelation(e.Type), true
		}
	}
	return "leads to", false
}

// htmlRelation is an edge type in words.
func htmlRelation(kind string) string {
	switch kind {
	case graph.InternetTo:
		return "reaches"
	case graph.Proxies:
		return "is proxied to"
	default:
		return htmlText(strings.ReplaceAll(kind, "_", " "))
	}
}
