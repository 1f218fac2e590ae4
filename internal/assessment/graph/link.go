package graph

import (
	"cmp"
	"strings"
)

// Linked is a graph for building and searching: nodes and edges sorted by id, with edges that refer
// to nodes by index. In a large account, edges that hold both ids would take more memory than the
// nodes.
type Linked struct {
	Nodes []*Node
	Links []Link
	Stats Stats
}

// Link is an edge between two node indexes.
type Link struct {
	From, To int32
	Type     string
}

// Walk implements Source.
func (g *Linked) Walk(node func(*Node) error, edge func(*Edge) error) (Stats, error) {
	for _, n := range g.Nodes {
		if err := node(n); err != nil {
			return g.Stats, err
		}
	}
	for _, l := range g.Links {
		e := g.edge(l)
		if err := edge(&e); err != nil {
			return g.Stats, err
		}
	}
	return g.Stats, nil
}

func (g *Linked) edge(l Link) Edge {
	return Edge{From: g.Nodes[l.From].ID, To: g.Nodes[l.To].ID, Type: l.Type}
}

// compare orders edges by id. The indexes decide, except when the id of one node is a prefix
// of the other: then the rest of the edge id decides.
func (g *Linked) compare(a, b Link) int {
	switch {
	case a.From != b.From && !g.begins(a.From, b.From):
		return cmp.Compare(a.From, b.From)
	case a.From == b.From && a.To != b.To && !g.begins(a.To, b.To):
		return cmp.Compare(a.To, b.To)
	case a.From == b.From && a.To == b.To:
		return strings.Compare(a.Type, b.Type)
	default:
		return strings.Compare(g.edge(a).id(), g.edge(b).id())
	}
}

// begins reports whether the id of one of two nodes is a prefix of the other.
func (g *Linked) begins(a, b int32) bool {
	return strings.HasPrefix(g.Nodes[max(a, b)].ID, g.Nodes[min(a, b)].ID)
}
