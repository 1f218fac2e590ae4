package graph

import (
	"cmp"
	"iter"
	"maps"
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
	index, kinds, links := make(map[string]int, len(g.Nodes)), make([]string, len(g.Nodes)), make([]link, len(g.Edges))
	for i, n := range g.Nodes {
		index[n.ID], kinds[i] = i, n.Type
	}
	for i, e := range g.Edges {
		links[i] = link{index[e.From], index[e.To], e.Type}
	}
	home := homes(len(kinds), func(i int) string { return kinds[i] }, slices.Values(links))
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

// link is an edge by the positions of its ends.
type link struct {
	from, to int
	kind     string
}

// homes gives the zone each of n nodes lies in, by position, or -1: the one it belongs
// to, or for an origin that of the first thing that leads to it.
func homes(n int, kind func(i int) string, links iter.Seq[link]) []int {
	parent := make([]int, n)
	for i := range parent {
		parent[i] = -1
		if kind(i) == Zone {
			parent[i] = i
		}
	}
	for l := range links {
		if l.kind == BelongsTo && kind(l.to) == Zone {
			parent[l.from] = l.to
		}
	}
	for l := range links {
		switch {
		case l.kind == BelongsTo && kind(l.from) == Finding && parent[l.from] < 0:
			parent[l.from] = parent[l.to]
		case l.kind == ResolvesTo && kind(l.to) == Origin && parent[l.to] < 0:
			parent[l.to] = parent[l.from]
		}
	}
	return parent
}
