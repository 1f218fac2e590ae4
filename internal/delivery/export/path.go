package export

import (
	"iter"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// paths returns the attack paths, an empty sequence when there are none.
func (d Document) paths() iter.Seq2[posture.AttackPath, error] {
	if d.Paths == nil {
		return Listed[posture.AttackPath](nil)
	}
	return d.Paths
}

// pathNode is a node of an exported path.
type pathNode struct{ Type, Label string }

// pathNodes maps the ids of the nodes on attack paths to type and label. Other nodes are left out, so
// the map stays as small as the paths. Both are empty for a node that is not in the graph.
func pathNodes(d Document) (map[string]pathNode, error) {
	on := map[string]pathNode{}
	for p, err := range d.paths() {
		if err != nil {
			return nil, err
		}
		for _, id := range p.Nodes {
			on[id] = pathNode{}
		}
	}
	if len(on) == 0 {
		return on, nil
	}
	return on, graph.EachNode(d.Graph, func(n *graph.Node) {
		if _, wanted := on[n.ID]; wanted {
			on[n.ID] = pathNode{n.Type, n.Label}
		}
	})
}

// nodes is pathNodes; an error ends the writing.
func (s *sink) nodes(d Document) map[string]pathNode {
	on, err := pathNodes(d)
	if s.err == nil {
		s.err = err
	}
	return on
}

// ocsfGraph is a path as OCSF's graph object.
type ocsfGraph struct {
	UID        string     `json:"uid"`
	Name       string     `json:"name"`
	IsDirected bool       `json:"is_directed"`
	Nodes      []ocsfNode `json:"nodes"`
	Edges      []ocsfEdge `json:"edges"`
}

type ocsfNode struct {
	UID  string `json:"uid"`
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
}

// ocsfEdge is identified by the nodes it joins: edges of a path have no id of their own.
type ocsfEdge struct {
	UID        string `json:"uid"`
	Name       string `json:"name"`
	Source     string `json:"source"`
	Target     string `json:"target"`
	Relation   string `json:"relation"`
	IsDirected bool   `json:"is_directed"`
}

func ocsfPath(d Document, p posture.AttackPath, nodes map[string]pathNode) ocsfEvent {
	at := seenAt(d, d.Assessment.CompletedAt)
	e := ocsfBase(d, ocsfDetection, 1, p.ID, p.Severity, at)
	e.Message = worded(d, orElse(p.Explanation, p.Title))
	e.FindingInfo = ocsfInfo{UID: p.ID, Title: orElse(p.Title, p.Kind), Desc: p.Explanation, Types: []string{"attack path", p.Kind},
		LastSeenTime: at.UnixMilli(), Analytic: ocsfRule{TypeID: 1, Type: "Rule", UID: p.Kind, Name: p.Title,
			Version: d.Assessment.CatalogueVersion}}
	for _, id := range p.FindingIDs {
		e.FindingInfo.RelatedEvents = append(e.FindingInfo.RelatedEvents, ocsfNamed{UID: id})
	}
	g := &ocsfGraph{UID: p.ID, Name: orElse(p.Title, p.Kind), IsDirected: true, Nodes: []ocsfNode{}, Edges: []ocsfEdge{}}
	for _, id := range p.Nodes {
		g.Nodes = append(g.Nodes, ocsfNode{UID: id, Name: nodes[id].Label, Type: nodes[id].Type})
	}
	for _, v := range p.Edges {
		g.Edges = append(g.Edges, ocsfEdge{UID: v.From + " " + v.Type + " " + v.To, Name: v.Type,
			Source: v.From, Target: v.To, Relation: v.Type, IsDirected: true})
	}
	e.FindingInfo.AttackGraph = g
	if p.TargetNodeID != "" {
		e.Resources = []ocsfResource{{UID: p.TargetNodeID, Name: nodes[p.TargetNodeID].Label, Type: nodes[p.TargetNodeID].Type,
			Provider: "Cloudflare"}}
	}
	if len(p.Breaks) > 0 {
		e.Remediation = &ocsfText{Desc: joined(p.Breaks, "\n", func(b posture.Break) string { return b.Change })}
	}
	e.Unmapped["entry_node_id"], e.Unmapped["target_node_id"], e.Unmapped["related_check_ids"] = p.EntryNodeID, p.TargetNodeID,
		orEmpty(p.RelatedCheckIDs)
	return e
}
