package graph

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
)

// place returns every node a position. Each zone with its resources is a square block,
// the resources of the account are another one, and the blocks fill rows. The layout
// depends on the graph alone. The unit is one node.
func place(g *Linked) {
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
func (g *Linked) blocks() [][]int {
	kinds := make([]string, len(g.Nodes))
	for i := range g.Nodes {
		kinds[i] = g.Nodes[i].Type
	}
	home := homes(len(kinds), func(i int) string { return kinds[i] }, slices.Values(g.Links))
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
	out := make([][]int, 0, len(byHome))
	for _, h := range slices.Sorted(maps.Keys(byHome)) { // the account is -1
		block := byHome[h]
		slices.SortStableFunc(block, func(a, b int) int { return cmp.Compare(rank[g.Nodes[a].Type], rank[g.Nodes[b].Type]) })
		out = append(out, block)
	}
	return out
}

// homes returns the index of the zone of each of n nodes, or -1. An origin is placed in
// the zone of the first node that leads to it.
func homes(n int, kind func(i int) string, links iter.Seq[Link]) []int {
	parent := make([]int, n)
	for i := range parent {
		parent[i] = -1
		if kind(i) == Zone {
			parent[i] = i
		}
	}
	for l := range links {
		if l.Type == BelongsTo && kind(int(l.To)) == Zone {
			parent[l.From] = int(l.To)
		}
	}
	for l := range links {
		switch {
		case l.Type == BelongsTo && kind(int(l.From)) == Finding && parent[l.From] < 0:
			parent[l.From] = parent[l.To]
		case l.Type == ResolvesTo && kind(int(l.To)) == Origin && parent[l.To] < 0:
			parent[l.To] = parent[l.From]
		}
	}
	return parent
}
