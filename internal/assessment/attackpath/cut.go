package attackpath

import (
	"cmp"
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Cut is a smallest set of changes that together break all paths that can be broken.
type Cut struct {
	Changes  []ChokePoint `json:"changes" doc:"The least risk first. Paths counts those that a change breaks beyond the ones before it."`
	Paths    int          `json:"paths" doc:"How many paths they break: all that can be."`
	Unbroken []string     `json:"unbroken" doc:"Ids of the paths that no single change is known to break."`
	Exact    bool         `json:"exact" doc:"No set with fewer changes breaks them all, and none of as many has less risk."`
	AtLeast  int          `json:"atLeast" doc:"So many changes are needed in any case; of an exact answer as many as it has."`
	// Severity and Of say which paths the question was about, for requests about the paths of an
	// assessment.
	Severity posture.Severity `json:"severity,omitempty" enum:"critical,high" doc:"The paths of at least this severity were meant."`
	Of       int              `json:"of" doc:"How many paths were meant."`
}

// cutSteps bounds the search in each group of paths that share no change with the rest; beyond it
// the answer is the best found so far.
const cutSteps = 100_000

// Least returns a smallest set of changes that breaks all paths that can be broken; any one of its
// changes breaks a path. Among sets of the same size it takes one with the least total risk; risks
// must not be negative. It is exact for any number of paths that fall into groups of some dozens of
// changes. When a group exceeds cutSteps, Exact is false and AtLeast is the lower bound.
func Least(paths []posture.AttackPath, risk func(ChokePoint) int) Cut {
	points := ChokePoints(paths)
	type place struct{ node, change string }
	number := make(map[place]int, len(points))
	for i, c := range points {
		number[place{c.NodeID, c.Change}] = i
	}
	out := Cut{Changes: []ChokePoint{}, Unbroken: []string{}, Exact: true, Of: len(paths)}
	all, rows := [][]int{}, [][]int{}
	for _, p := range paths {
		var row []int
		for _, b := range p.Breaks {
			row = append(row, number[place{b.NodeID, b.Change}])
		}
		slices.Sort(row)
		if row = slices.Compact(row); len(row) == 0 {
			out.Unbroken = append(out.Unbroken, p.ID)
			continue
		}
		all, rows = append(all, row), append(rows, row)
	}
	out.Paths = len(rows)
	risks := make([]int, len(points))
	for i, c := range points {
		risks[i] = risk(c)
	}
	var chosen []int
	for _, part := range parts(distinct(rows), len(points)) {
		s := search{risks: risks, steps: cutSteps}
		s.reduce(part)
		chosen = append(chosen, s.best...)
		out.AtLeast += s.least
		out.Exact = out.Exact && s.steps > 0
	}
	slices.SortFunc(chosen, func(a, b int) int { return cmp.Or(cmp.Compare(risks[a], risks[b]), cmp.Compare(a, b)) })
	for _, i := range chosen {
		c := points[i]
		before := len(all)
		all = slices.DeleteFunc(all, func(row []int) bool { return slices.Contains(row, i) })
		c.Paths = before - len(all)
		out.Changes = append(out.Changes, c)
	}
	if out.Exact {
		out.AtLeast = len(chosen)
	}
	return out
}

// distinct sorts rows, shortest first, and drops every row that contains another one, because what
// breaks the smaller row breaks both.
func distinct(rows [][]int) [][]int {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b []int) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	rows = slices.CompactFunc(rows, slices.Equal)
	var out [][]int
	of := map[int][][]int{} // kept rows, by their first change
	for _, row := range rows {
		if !slices.ContainsFunc(row, func(c int) bool {
			return slices.ContainsFunc(of[c], func(part []int) bool {
				return !slices.ContainsFunc(part, func(p int) bool { return !slices.Contains(row, p) })
			})
		}) {
			out = append(out, row)
			of[row[0]] = append(of[row[0]], row)
		}
	}
	return out
}

// parts groups rows that share changes, directly or through other rows.
func parts(rows [][]int, changes int) [][][]int {
	root := make([]int, changes)
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, row := range rows {
		for _, c := range row[1:] {
			root[find(c)] = find(row[0])
		}
	}
	var out [][][]int
	at := map[int]int{}
	for _, row := range rows {
		r := find(row[0])
		i, known := at[r]
		if !known {
			i = len(out)
			at[r], out = i, append(out, nil)
		}
		out[i] = append(out[i], row)
	}
	return out
}

// search looks for a smallest set that contains a change of every row.
type search struct {
	risks []int
	steps int // remaining
	best  []int
	cost  int // risk of best
	least int // lower bound on the size of any set
}

// reduce drops dominated changes, those for which another change has no more risk and is in all of
// their rows, then searches.
func (s *search) reduce(rows [][]int) {
	for {
		in := map[int][]int{}
		for r, row := range rows {
			for _, c := range row {
				in[c] = append(in[c], r)
			}
		}
		gone := map[int]bool{}
		for _, c := range slices.Sorted(maps.Keys(in)) {
			places := in[c]
			for _, other := range rows[places[0]] {
				if other == c || gone[other] || s.risks[other] > s.risks[c] || len(in[other]) < len(places) ||
					len(in[other]) == len(places) && s.risks[other] == s.risks[c] && other > c {
					continue
				}
				if !slices.ContainsFunc(places, func(r int) bool { return !slices.Contains(rows[r], other) }) {
					gone[c] = true
					break
				}
			}
		}
		if len(gone) == 0 {
			break
		}
		for r, row := range rows {
			rows[r] = slices.DeleteFunc(slices.Clone(row), func(c int) bool { return gone[c] })
		}
		rows = distinct(rows)
	}
	s.least = disjoint(rows)
	s.best = greedy(rows)
	s.cost = s.sum(s.best)
	s.branch(rows, nil)
}

func (s *search) sum(set []int) (n int) {
	for _, c := range set {
		n += s.risks[c]
	}
	return n
}

// branch takes the shortest row and tries each of its changes.
func (s *search) branch(rows [][]int, taken []int) {
	if s.steps == 0 {
		return
	}
	s.steps--
	if len(rows) == 0 {
		if cost := s.sum(taken); len(taken) < len(s.best) || len(taken) == len(s.best) && cost < s.cost {
			s.best, s.cost = slices.Clone(taken), cost
		}
		return
	}
	if need := len(taken) + disjoint(rows); need > len(s.best) || need == len(s.best) && s.sum(taken) >= s.cost {
		return
	}
	shortest := slices.MinFunc(rows, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	counts := map[int]int{}
	for _, row := range rows {
		for _, c := range row {
			counts[c]++
		}
	}
	order := slices.Clone(shortest)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(s.risks[a], s.risks[b]), cmp.Compare(a, b))
	})
	for _, c := range order {
		left := slices.DeleteFunc(slices.Clone(rows), func(row []int) bool { return slices.Contains(row, c) })
		s.branch(left, append(slices.Clip(taken), c))
	}
}

// disjoint counts rows without a common change: a lower bound, because each needs a change of its
// own.
func disjoint(rows [][]int) int {
	used, n := map[int]bool{}, 0
	for _, row := range rows {
		if !slices.ContainsFunc(row, func(c int) bool { return used[c] }) {
			n++
			for _, c := range row {
				used[c] = true
			}
		}
	}
	return n
}

// greedy repeatedly takes the change that is in most rows until no row is left.
func greedy(rows [][]int) (out []int) {
	for len(rows) > 0 {
		counts, best := map[int]int{}, -1
		for _, row := range rows {
			for _, c := range row {
				if counts[c]++; best < 0 || counts[c] > counts[best] || counts[c] == counts[best] && c < best {
					best = c
				}
			}
		}
		out = append(out, best)
		rows = slices.DeleteFunc(slices.Clone(rows), func(row []int) bool { return slices.Contains(row, best) })
	}
	return out
}
