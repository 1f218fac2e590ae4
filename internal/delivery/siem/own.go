package siem

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// own is our own object in a document, under "edgeposture": what the common schemas have no fields for.
type own struct {
	Document   string        `json:"document"`
	Truncated  bool          `json:"truncated,omitempty"`
	Assessment ownAssessment `json:"assessment"`
	Finding    *ownFinding   `json:"finding,omitempty"`
	Resource   *ownResource  `json:"resource,omitempty"`
	Node       *ownNode      `json:"node,omitempty"`
	Paths      []ownPath     `json:"attack_paths,omitempty"`
	PathCount  *int          `json:"attack_path_count,omitempty"`
	Evidence   []ownEvidence `json:"evidence,omitempty"`
	Controls   *ownControls  `json:"controls,omitempty"`
	Path       *ownRoute     `json:"path,omitempty"`
	Summary    *ownSummary   `json:"summary,omitempty"`
}

type ownAssessment struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Profile   string `json:"profile,omitempty"`
	Simulated bool   `json:"simulated_account"`
	Partial   bool   `json:"only_changes"`
}

type ownFinding struct {
	ID         string  `json:"id"`
	Check      string  `json:"check_id"`
	Result     string  `json:"result"`
	Severity   string  `json:"severity"`
	Risk       float64 `json:"risk"`
	Status     string  `json:"status,omitempty"`
	FirstSeen  string  `json:"first_seen,omitempty"`
	LastSeen   string  `json:"last_seen,omitempty"`
	Remediable bool    `json:"remediable"`
	Fix        string  `json:"remediation,omitempty"`
	Exception  string  `json:"exception,omitempty"`
	Excepted   bool    `json:"excepted"`
	Permission string  `json:"missing_permission,omitempty"`
	Judged     int     `json:"judged,omitempty"`
}

type ownResource struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Name   string `json:"name,omitempty"`
	ZoneID string `json:"zone_id,omitempty"`
	Zone   string `json:"zone,omitempty"`
}

type ownNode struct {
	ID       string `json:"id"`
	Type     string `json:"type,omitempty"`
	Label    string `json:"label,omitempty"`
	Severity string `json:"severity,omitempty"`
}

type ownPath struct {
	ID       string `json:"id"`
	Kind     string `json:"kind,omitempty"`
	Title    string `json:"title,omitempty"`
	Severity string `json:"severity,omitempty"`
	Hops     int    `json:"hop_count,omitempty"`
	Entry    string `json:"entry_node_id,omitempty"`
	Target   string `json:"target_node_id,omitempty"`
}

type ownEvidence struct {
	Source   string `json:"source"`
	Pointer  string `json:"pointer,omitempty"`
	Observed string `json:"observed"`
	Expected string `json:"expected"`
}

type ownControls struct {
	CIS  []string `json:"cis,omitempty"`
	SOC2 []string `json:"soc2,omitempty"`
	PCI  []string `json:"pci,omitempty"`
	NIST []string `json:"nist,omitempty"`
}

// ownRoute is a complete attack path. Each step is one text.
type ownRoute struct {
	ownPath
	Nodes      []string `json:"nodes"`
	Steps      []string `json:"steps"`
	FindingIDs []string `json:"finding_ids"`
	CheckIDs   []string `json:"check_ids"`
	Breaks     []string `json:"breaks"`
	Remediable bool     `json:"remediable"`
}

// own fills the object for the part.
func (p part) own(r *room) own {
	a := p.doc.Assessment
	o := own{Document: p.kind, Assessment: ownAssessment{ID: r.ident(a.ID), Status: string(a.Status), Profile: string(a.Profile),
		Simulated: a.Demo, Partial: p.opts.Changes != nil}}
	switch {
	case p.finding != nil:
		p.ownFinding(r, &o)
	case p.path != nil:
		o.Path, o.Node = p.route(r), nodeOf(r, p.node)
	default:
		o.Summary = p.summary(r)
	}
	return o
}

func (p part) ownFinding(r *room, o *own) {
	f := p.finding
	o.Finding = &ownFinding{ID: r.ident(f.ID), Check: r.ident(f.CheckID), Result: string(f.Result), Severity: string(f.Severity),
		Risk: f.Risk, Status: string(f.Status), FirstSeen: stampOr(f.FirstSeen), LastSeen: stampOr(f.LastSeen), Remediable: f.Remediable,
		Fix: r.text(f.Fix), Excepted: f.Exception != nil, Permission: r.text(f.Permission), Judged: f.Judged}
	if f.Exception != nil {
		o.Finding.Exception = r.text(f.Accepted())
	}
	o.Resource = &ownResource{ID: r.ident(f.Resource.ID), Type: string(f.Resource.Type), Name: r.text(f.Resource.Name),
		ZoneID: r.ident(f.Resource.ZoneID), Zone: r.text(f.Resource.Zone)}
	o.Node = nodeOf(r, p.node)
	count := len(p.paths)
	o.PathCount = &count
	o.Paths = fill(r, p.paths, func(v *posture.AttackPath) ownPath { return pathOf(r, v) })
	o.Evidence = fill(r, f.Evidence, func(e posture.Evidence) ownEvidence {
		return ownEvidence{Source: r.ident(e.Source), Pointer: r.text(e.Pointer), Observed: r.text(e.Observed), Expected: r.text(e.Expected)}
	})
	o.Controls = &ownControls{CIS: r.idents(f.Controls.CIS), SOC2: r.idents(f.Controls.SOC2), PCI: r.idents(f.Controls.PCI),
		NIST: r.idents(f.Controls.NIST)}
}

func nodeOf(r *room, n graph.Node) *ownNode {
	if n.ID == "" {
		return nil
	}
	return &ownNode{ID: r.ident(n.ID), Type: n.Type, Label: r.text(n.Label), Severity: n.Severity}
}

func pathOf(r *room, p *posture.AttackPath) ownPath {
	return ownPath{ID: r.ident(p.ID), Kind: r.ident(p.Kind), Title: r.text(p.Title), Severity: string(p.Severity), Hops: p.HopCount,
		Entry: r.ident(p.EntryNodeID), Target: r.ident(p.TargetNodeID)}
}

func (p part) route(r *room) *ownRoute {
	v := p.path
	return &ownRoute{ownPath: pathOf(r, v), Nodes: r.idents(v.Nodes), FindingIDs: r.idents(v.FindingIDs),
		CheckIDs: r.idents(v.RelatedCheckIDs), Remediable: len(v.RemediableCheckIDs) > 0,
		Steps:  fill(r, v.Edges, func(e posture.PathEdge) string { return r.text(e.From + " " + e.Type + " " + e.To) }),
		Breaks: fill(r, v.Breaks, func(b posture.Break) string { return r.text(b.Change) })}
}

// stamp formats a time as RFC 3339 in UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// stampOr is stamp, but "" for the zero time.
func stampOr(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}
