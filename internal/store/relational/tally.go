package relational

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// findingCount counts the findings of an assessment that share check, zone and result: the
// numbers of the first two in the catalogue, the place of the result in
// posture.Results, and how many.
type findingCount [4]int

// counts are how many findings share check, zone and result.
type counts map[[3]int]int

func (c counts) add(r *findingRow) { c[[3]int{r.CheckNo, r.ZoneNo, resultNo(r.Result)}]++ }

// tallies are in the order of their numbers.
func (c counts) tallies() []findingCount {
	out := make([]findingCount, 0, len(c))
	for k, n := range c {
		out = append(out, findingCount{k[0], k[1], k[2], n})
	}
	slices.SortFunc(out, func(a, b findingCount) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	})
	return out
}

func resultNo(result string) int { return slices.Index(posture.Results(), posture.Result(result)) }

// counted answers a filter from the tallies. The filter names no resource and no text.
func (a openAssessment) counted(f store.FindingFilter) map[posture.Result]int {
	out := map[posture.Result]int{}
	results := posture.Results()
	a.each(f, func(t findingCount) {
		if t[2] >= 0 && allows(f.Results, results[t[2]]) {
			out[results[t[2]]] += t[3]
		}
	})
	return out
}

// each walks the tallies that checks and zones of a filter leave.
func (a openAssessment) each(f store.FindingFilter, do func(findingCount)) {
	faces, every := a.catalogue.chosen(f.Severities, f.Categories, f.Checks)
	face := make([]bool, len(a.catalogue.Faces))
	for _, no := range faces {
		face[no] = true
	}
	var zone map[int]bool
	if len(f.Zones) > 0 {
		zone = map[int]bool{}
		for _, no := range a.catalogue.inZones(f.Zones) {
			zone[no] = true
		}
	}
	for _, t := range a.tallies {
		if (every || t[0] < len(face) && face[t[0]]) && (zone == nil || zone[t[1]]) {
			do(t)
		}
	}
}
