package graph

import (
	"slices"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/posture"
)

// ColumnsType is the media type of Columns, for the Accept header.
const ColumnsType = "application/vnd.edgeposture.columns+json"

// ColumnsVersion changes when a reader of the older columns would misread them.
const ColumnsVersion = 1

// Columns is a graph for the map: one array per attribute, edges by position of
// their nodes. An id shares the first IDShared bytes with the one before and
// ends in IDRest. A label that is empty is what follows the first colon of the
// id. Properties and finding ids are left out; Findings counts them.
type Columns struct {
	Version    int         `json:"version"`
	NodeTypes  []string    `json:"nodeTypes" doc:"Names of nodes.type."`
	EdgeTypes  []string    `json:"edgeTypes" doc:"Names of edges.type."`
	Severities []string    `json:"severities" doc:"Names of nodes.severity."`
	Nodes      NodeColumns `json:"nodes"`
	Edges      EdgeColumns `json:"edges"`
	Stats      Stats       `json:"stats"`
}

// NodeColumns holds the nodes, sorted by id.
type NodeColumns struct {
	IDShared []int    `json:"idShared"`
	IDRest   []string `json:"idRest"`
	Type     []int    `json:"type"`
	Label    []string `json:"label"`
	Zone     []int    `json:"zone" doc:"Position of the zone the node lies in, or -1."`
	Severity []int    `json:"severity"`
	Findings []int    `json:"findings"`
	X        []int    `json:"x"`
	Y        []int    `json:"y"`
}

// EdgeColumns holds the edges, sorted by id. From counts up: each entry is the
// difference to the one before.
type EdgeColumns struct {
	From []int `json:"from" doc:"Position of the node, as the difference to the edge before."`
	To   []int `json:"to" doc:"Position of the node."`
	Type []int `json:"type"`
}

// Columns turns the graph into columns.
func (g *Graph) Columns() Columns {
	severities := []string{}
	for _, s := range posture.Severities() {
		severities = append(severities, string(s))
	}
	severities = append(severities, Clean)
	c := Columns{Version: ColumnsVersion, NodeTypes: NodeTypes(), EdgeTypes: EdgeTypes(), Severities: severities, Stats: g.Stats}
	index := g.index()
	home := g.homes(index)
	n := NodeColumns{}
	c.Edges = EdgeColumns{From: []int{}, To: []int{}, Type: []int{}}
	before := ""
	for i, v := range g.Nodes {
		shared := 0
		for shared < len(before) && shared < len(v.ID) && before[shared] == v.ID[shared] {
			shared++
		}
		for shared > 0 && shared < len(v.ID) && !utf8.RuneStart(v.ID[shared]) {
			shared-- // never inside of a letter
		}
		before = v.ID
		label := v.Label
		if derived(v.ID) == label {
			label = ""
		}
		n.IDShared, n.IDRest = append(n.IDShared, shared), append(n.IDRest, v.ID[shared:])
		n.Type, n.Label, n.Zone = append(n.Type, slices.Index(c.NodeTypes, v.Type)), append(n.Label, label), append(n.Zone, home[i])
		n.Severity, n.Findings = append(n.Severity, slices.Index(severities, v.Severity)), append(n.Findings, len(v.FindingIDs))
		n.X, n.Y = append(n.X, v.X), append(n.Y, v.Y)
	}
	c.Nodes = n
	last := 0
	for _, e := range g.Edges {
		from := index[e.From]
		c.Edges.From, c.Edges.To = append(c.Edges.From, from-last), append(c.Edges.To, index[e.To])
		c.Edges.Type = append(c.Edges.Type, slices.Index(c.EdgeTypes, e.Type))
		last = from
	}
	return c
}

func derived(id string) string {
	for i := range len(id) {
		if id[i] == ':' {
			return id[i+1:]
		}
	}
	return ""
}
