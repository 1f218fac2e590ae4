package graph

import (
	"cmp"
	"math"
	"slices"
)

// place gives every node a position: each zone with what lies in it is a square
// block, the account's own resources are another, and the blocks fill rows. The
// positions follow from the graph alone. Units are nodes.
func place(g *Graph) {
	blocks := g.blocks()
	area := 0
	sides := make([]int, len(blocks))
	for i, b := range blocks {
		sides[i] = int(math.Ceil(math.Sqrt(float64(len(b)))))
		area += (sides[i] + 2) * (sides[i] + 2)
	}
	width := int(math.Ceil(math.Sqrt(float64(area)) * 1.3))
	x, y, height := 0, 2, 0
	for i, b := range blocks {
		if x > 0 && x+sides[i] > width {
			x, y, height = 0, y+height+2, 0
		}
		for n, node := range b {
			g.Nodes[node].X, g.Nodes[node].Y = x+n%sides[i], y+n/sides[i]
		}
		x += sides[i] + 2
		height = max(height, sides[i])
	}
	for i := range g.Nodes {
		if g.Nodes[i].ID == InternetID {
			g.Nodes[i].X, g.Nodes[i].Y = width/2, 0
		}
	}
}

// blocks groups the nodes by zone; the first block is that of the account. In a
// block the zone comes first, then type by type, by id.
func (g *Graph) blocks() [][]int {
	index := g.index()
	home := g.homes(index)
	rank := map[string]int{}
	for i, t := range NodeTypes() {
		rank[t] = i
	}
	byHome := map[int][]int{}
	for i, n := range g.Nodes {
		if n.ID != InternetID {
			byHome[home[i]] = append(byHome[home[i]], i)
		}
	}
	homes := make([]int, 0, len(byHome))
	for h := range byHome {
		homes = append(homes, h)
	}
	slices.Sort(homes) // the account is -1
	out := make([][]int, 0, len(homes))
	for _, h := range homes {
		block := byHome[h]
		slices.SortStableFunc(block, func(a, b int) int { return cmp.Compare(rank[g.Nodes[a].Type], rank[g.Nodes[b].Type]) })
		out = append(out, block)
	}
	return out
}

// index finds a node by its id.
func (g *Graph) index() map[string]int {
	out := make(map[string]int, len(g.Nodes))
	for i, n := range g.Nodes {
		out[n.ID] = i
	}
	return out
}

// homes gives the zone each node lies in, by index, or -1: the one it belongs
// to, or for an origin that of the first thing that leads to it.
func (g *Graph) homes(index map[string]int) []int {
	parent := make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		parent[i] = -1
		if n.Type == Zone {
			parent[i] = i
		}
	}
	for _, e := range g.Edges {
		from, to := index[e.From], index[e.To]
		if e.Type == BelongsTo && g.Nodes[to].Type == Zone {
			parent[from] = to
		}
	}
	for _, e := range g.Edges {
		from, to := index[e.From], index[e.To]
		switch {
		case e.Type == BelongsTo && g.Nodes[from].Type == Finding && parent[from] < 0:
			parent[from] = parent[to]
		case e.Type == ResolvesTo && g.Nodes[to].Type == Origin && parent[to] < 0:
			parent[to] = parent[from]
		}
	}
	return parent
}
