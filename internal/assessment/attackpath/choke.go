package attackpath

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ChokePoint is one change with the paths that it breaks by itself.
type ChokePoint struct {
	Change     string   `json:"change"`
	NodeID     string   `json:"nodeId" doc:"Where the change is made."`
	CheckIDs   []string `json:"checkIds" doc:"The checks that watch it."`
	Remediable bool     `json:"remediable" doc:"The service can make it for every one of the paths."`
	Paths      int      `json:"paths" doc:"How many paths it breaks."`
	FindingIDs []string `json:"findingIds" doc:"Findings that every one of the paths hangs on."`
}

// ChokePoints returns every change that breaks a path by itself, sorted by the number of paths it
// breaks, highest first. Findings that are merely related to a path do not count, because closing
// one may leave the path open.
func ChokePoints(paths []posture.AttackPath) []ChokePoint {
	type place struct{ node, change string }
	var (
		all   []*ChokePoint
		known = map[place]*ChokePoint{}
		last  = map[*ChokePoint]string{} // the path counted last
		grave = map[*ChokePoint]bool{}
	)
	for _, p := range paths {
		for _, b := range p.Breaks {
			at := place{b.NodeID, b.Change}
			c := known[at]
			if c == nil {
				c = &ChokePoint{Change: b.Change, NodeID: b.NodeID, CheckIDs: []string{}, Remediable: true, FindingIDs: slices.Clone(p.FindingIDs)}
				known[at], all = c, append(all, c)
			}
			if last[c] == p.ID {
				continue
			}
			last[c] = p.ID
			c.Paths++
			c.Remediable = c.Remediable && b.Remediable
			grave[c] = grave[c] || p.Severity == posture.Critical
			c.FindingIDs = slices.DeleteFunc(c.FindingIDs, func(id string) bool { return !slices.Contains(p.FindingIDs, id) })
			for _, id := range b.CheckIDs {
				if !slices.Contains(c.CheckIDs, id) {
					c.CheckIDs = append(c.CheckIDs, id)
				}
			}
		}
	}
	slices.SortFunc(all, func(x, y *ChokePoint) int {
		return cmp.Or(cmp.Compare(y.Paths, x.Paths), first(grave[x], grave[y]), first(x.Remediable, y.Remediable),
			strings.Compare(x.Change, y.Change), strings.Compare(x.NodeID, y.NodeID))
	})
	out := make([]ChokePoint, len(all))
	for i, c := range all {
		out[i] = *c
		if c.FindingIDs == nil {
			out[i].FindingIDs = []string{}
		}
	}
	return out
}

// first orders true before false.
func first(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// Cover returns up to most changes that together break as many paths as it can: a greedy choice,
// each the change that breaks most of the remaining paths, whose number is in Paths. The result is
// nearly always a smallest set; an exact search would double in time with every change.
func Cover(paths []posture.AttackPath, most int) []ChokePoint {
	type place struct{ node, change string }
	points := ChokePoints(paths)
	order := make(map[place]int, len(points))
	for i, c := range points {
		order[place{c.NodeID, c.Change}] = i
	}
	var out []ChokePoint
	left := make([][]int, len(paths)) // the changes that break each path
	for i, p := range paths {
		for _, b := range p.Breaks {
			if at := order[place{b.NodeID, b.Change}]; !slices.Contains(left[i], at) {
				left[i] = append(left[i], at)
			}
		}
	}
	for len(out) < most {
		counts, best := make([]int, len(points)), 0
		for _, changes := range left {
			for _, at := range changes {
				counts[at]++
			}
		}
		for i, n := range counts {
			if n > counts[best] {
				best = i
			}
		}
		if len(points) == 0 || counts[best] == 0 {
			break
		}
		c := points[best]
		c.Paths = counts[best]
		out = append(out, c)
		left = slices.DeleteFunc(left, func(changes []int) bool { return slices.Contains(changes, best) })
	}
	return out
}
