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

// ColumnsOf turns a graph into columns.
func ColumnsOf(g Source) (c Columns, err error) {
	severities := []string{}
	for _, s := range posture.Severities() {
		severities = append(severities, string(s))
	}
	c = Columns{Version: ColumnsVersion, NodeTypes: NodeTypes(), EdgeTypes: EdgeTypes(), Severities: append(severities, Clean),
		Edges: EdgeColumns{From: []int{}, To: []int{}, Type: []int{}}}
	index := map[string]int32{}
	var kinds []string
	var links []Link
	before, last := "", int32(0)
	c.Stats, err = g.Walk(func(v *Node) error {
		index[v.ID], kinds = int32(len(kinds)), append(kinds, v.Type)
		c.node(v, before)
		before = v.ID
		return nil
	}, func(e *Edge) error {
		l := Link{index[e.From], index[e.To], e.Type}
		links = append(links, l)
		c.Edges.From, c.Edges.To = append(c.Edges.From, int(l.From-last)), append(c.Edges.To, int(l.To))
		c.Edges.Type = append(c.Edges.Type, slices.Index(c.EdgeTypes, e.Type))
		last = l.From
		return nil
	})
	if len(kinds) > 0 {
		c.Nodes.Zone = homes(kinds, links)
	}
	return c, err
}

// node adds one; before is the id of the one before it.
func (c *Columns) node(v *Node, before string) {
	shared := 0
	for shared < len(before) && shared < len(v.ID) && before[shared] == v.ID[shared] {
		shared++
	}
	for shared > 0 && shared < len(v.ID) && !utf8.RuneStart(v.ID[shared]) {
		shared-- // never inside of a letter
	}
	label := v.Label
	if derived(v.ID) == label {
		label = ""
	}
	n := &c.Nodes
	n.IDShared, n.IDRest = append(n.IDShared, shared), append(n.IDRest, v.ID[shared:])
	n.Type, n.Label = append(n.Type, slices.Index(c.NodeTypes, v.Type)), append(n.Label, label)
	n.Severity, n.Findings = append(n.Severity, slices.Index(c.Severities, v.Severity)), append(n.Findings, len(v.FindingIDs))
	n.X, n.Y = append(n.X, v.X), append(n.Y, v.Y)
}

func derived(id string) string {
	for i := range len(id) {
		if id[i] == ':' {
			return id[i+1:]
		}
	}
	return ""
}
