package graph

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// attach maps every finding to its node, and gives every node its open and unknown findings. A
// critical or high finding about a resource without a node (a rule, a policy, a certificate, a
// member) becomes a node under its zone or account, so that the map shows it; other findings are
// attached to the zone or account itself. It also counts the open findings.
func (b *builder) attach(findings []posture.Verdict) (nodeOf []string, open map[posture.Severity]int) {
	nodeOf, open = make([]string, len(findings)), map[posture.Severity]int{}
	for i := range findings {
		f := &findings[i]
		id := NodeID(b.account, *f.Resource)
		if b.find(id) == nil {
			if id = Zone + ":" + f.Resource.ZoneID; b.find(id) == nil {
				id = b.accountID()
			}
		}
		if grave(f) && !own(b.find(id).Type, *f.Resource) {
			parent := id
			id = Finding + ":" + f.ID
			b.node(id, Finding, f.Resource.Name, Property{"checkId", f.CheckID}, Property{"resourceType", string(f.Resource.Type)})
			b.edge(id, BelongsTo, parent)
			b.find(parent).worse(f.Severity)
		}
		n := b.find(id)
		nodeOf[i] = n.ID
		if f.Result == posture.Fail || f.Result == posture.Warning {
			n.worse(f.Severity)
			open[f.Severity]++
		}
		if f.Result == posture.Fail || f.Result == posture.Warning || f.Result == posture.Unknown {
			n.FindingIDs = append(n.FindingIDs, f.ID)
		}
		if f.Result == posture.Unknown {
			n.Unknown++
		}
	}
	for _, n := range b.nodes {
		slices.Sort(n.FindingIDs)
		if n.Severity == "" {
			n.Severity = Clean
		}
	}
	return nodeOf, open
}

// grave reports whether a finding gets a node of its own.
func grave(f *posture.Verdict) bool {
	return f.Result == posture.Fail && f.Severity.Rank() >= posture.High.Rank()
}

// worse raises the severity of a node to s if s is higher.
func (n *Node) worse(s posture.Severity) {
	if n.Severity == "" || s.Rank() > posture.Severity(n.Severity).Rank() {
		n.Severity = string(s)
	}
}

// count fills the statistics. severities are the counts of open findings.
func (g *Linked) count(severities map[posture.Severity]int) {
	g.Stats = Stats{Nodes: len(g.Nodes), Edges: len(g.Links), ByNodeType: map[string]int{}, ByEdgeType: map[string]int{},
		BySeverity: map[posture.Severity]int{}}
	for _, s := range posture.Severities() {
		g.Stats.BySeverity[s] = severities[s]
	}
	for _, t := range NodeTypes() {
		g.Stats.ByNodeType[t] = 0
	}
	for _, t := range EdgeTypes() {
		g.Stats.ByEdgeType[t] = 0
	}
	for _, n := range g.Nodes {
		g.Stats.ByNodeType[n.Type]++
	}
	for _, l := range g.Links {
		g.Stats.ByEdgeType[l.Type]++
	}
}
