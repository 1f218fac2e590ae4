package whatif

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// causes maps each finding that appears or worsens to the changes its check reads. Changes of its
// resource take precedence over others in its zone, and those over the rest.
func (o *WhatIf) causes(after *State) map[string][]int {
	out := map[string][]int{}
	for _, d := range slices.Concat(o.Findings.Appear, o.Findings.Worsen) {
		reads := after.judged.Reads(d.CheckID)
		by := make([][]int, 4) // by nearness of the change; index 0 is unrelated
		for i, a := range o.Applied {
			best := 0
			for _, e := range a.Edits {
				if slices.Contains(reads, e.Source) {
					best = max(best, 1+nearness(e, d))
				}
			}
			by[best] = append(by[best], i)
		}
		for _, nearest := range slices.Backward(by[1:]) {
			if len(nearest) > 0 {
				out[d.ID] = nearest
				break
			}
		}
	}
	return out
}

// nearness returns 2 for an edit of the resource of a finding, 1 for one in its zone, and 0 for any
// other.
func nearness(e Edit, d drift.Difference) int {
	id := d.Resource.ID
	switch zone := d.Resource.OwnZone(); {
	case slices.Contains(strings.Split(e.Pointer, "/"), id), e.Scope == id && id != zone, strings.HasSuffix(e.Scope, "/"+id):
		return 2
	case zone != "" && snapshot.LevelOf(e.Source) == snapshot.LevelZone && e.Scope == zone:
		return 1
	default:
		return 0
	}
}

// Accept sets the exception on findings that appear or worsen and whose risk is accepted.
func (o *WhatIf) Accept(exceptions exception.Set) {
	for _, list := range [][]drift.Difference{o.Findings.Appear, o.Findings.Worsen} {
		for i, d := range list {
			f := posture.Finding{ID: d.ID, CheckID: d.CheckID, Title: d.Title, Category: d.Category, Severity: d.Severity, Resource: d.Resource,
				Result: d.After}
			if e := exceptions.Of(&f); e != nil {
				list[i].Exception = e.ID
			}
		}
	}
}
