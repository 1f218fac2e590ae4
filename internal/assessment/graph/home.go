package graph

import "iter"

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
