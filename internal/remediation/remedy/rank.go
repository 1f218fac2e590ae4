package remedy

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// rank determines which attack paths each change, and the whole plan, removes. It orders the steps:
// most paths first, then severity over risk, then check and resource.
func rank(kept *change.Kept, paths []posture.AttackPath, owner map[string]string) {
	closed := map[string]map[string]bool{} // by finding id: the changes it needs
	for _, s := range kept.Steps {
		if closed[s.Change.FindingID] == nil {
			closed[s.Change.FindingID] = map[string]bool{}
		}
		closed[s.Change.FindingID][s.Change.ID] = true
	}
	for _, s := range kept.Plan.Skipped {
		delete(closed, s.FindingID) // some of what it needs is not in the plan
	}
	alone := map[string][]string{} // by change id: the paths that it removes
	for _, p := range paths {
		removed := false
		for _, b := range p.Breaks {
			needed, whole := changesOf(p, b, owner, closed)
			if !whole {
				continue
			}
			removed = true
			if len(needed) == 1 && !slices.Contains(alone[needed[0]], p.ID) {
				alone[needed[0]] = append(alone[needed[0]], p.ID)
			}
		}
		if removed {
			kept.Plan.PathsRemoved = append(kept.Plan.PathsRemoved, p.ID)
		}
	}
	slices.Sort(kept.Plan.PathsRemoved)
	for i := range kept.Steps {
		c := &kept.Steps[i].Change
		c.RemovesPathIDs = append(c.RemovesPathIDs, alone[c.ID]...)
		slices.Sort(c.RemovesPathIDs)
	}
	slices.SortStableFunc(kept.Steps, func(x, y change.Step) int { return order(x.Change, y.Change) })
	show(kept)
}

// Removed returns the attack paths that the changes in force break together: a finding is closed by
// all the steps that its plan has for it. owner maps each open finding to its check.
func Removed(plan change.Kept, inForce []change.Step, paths []posture.AttackPath, owner map[string]string) []string {
	made, open := map[string]bool{}, map[string]bool{} // by id of the change, and of the finding
	for _, s := range inForce {
		made[s.Change.ID] = true
	}
	for _, s := range plan.Steps {
		if !made[s.Change.ID] {
			open[s.Change.FindingID] = true
		}
	}
	kept := change.Kept{Plan: change.Plan{PathsRemoved: []string{}, Skipped: plan.Plan.Skipped},
		Steps: slices.DeleteFunc(slices.Clone(inForce), func(s change.Step) bool { return open[s.Change.FindingID] })}
	for i := range kept.Steps {
		kept.Steps[i].Change.RemovesPathIDs = nil
	}
	rank(&kept, paths, owner)
	return kept.Plan.PathsRemoved
}

// show lists the changes of the steps in their order.
func show(kept *change.Kept) {
	kept.Plan.Changes = make([]change.Change, 0, len(kept.Steps))
	for _, s := range kept.Steps {
		kept.Plan.Changes = append(kept.Plan.Changes, s.Change)
	}
}

// changesOf returns the changes that together make a break, and whether the plan has all of them:
// for every check of the break, every open finding on the path.
func changesOf(p posture.AttackPath, b posture.Break, owner map[string]string,
	closed map[string]map[string]bool) (ids []string, whole bool) {
	if !b.Remediable || len(b.CheckIDs) == 0 {
		return nil, false
	}
	for _, checkID := range b.CheckIDs {
		found := false
		for _, f := range p.FindingIDs {
			if owner[f] != checkID {
				continue
			}
			if len(closed[f]) == 0 {
				return nil, false
			}
			found = true
			ids = slices.AppendSeq(ids, maps.Keys(closed[f]))
		}
		if !found {
			return nil, false
		}
	}
	return slices.Compact(ids), true // not sorted: callers only ask whether it is a single change
}

func order(x, y change.Change) int {
	return cmp.Or(
		cmp.Compare(len(y.RemovesPathIDs), len(x.RemovesPathIDs)),
		cmp.Compare(worth(y), worth(x)),
		strings.Compare(x.CheckID, y.CheckID), strings.Compare(x.Resource.ZoneID, y.Resource.ZoneID),
		strings.Compare(x.Resource.ID, y.Resource.ID), strings.Compare(x.ID, y.ID))
}

// worth is severity over risk.
func worth(c change.Change) float64 {
	return c.Severity.Weight() / map[string]float64{change.Low: 1, change.Medium: 2, change.High: 4}[c.Risk]
}

// Arrange reorders the changes of a plan and stores notes on them, by change id. Unknown ids are
// ignored, and changes that are left out follow in their order, so the plan always keeps exactly
// its own changes.
func Arrange(kept *change.Kept, ids []string, notes map[string]string) {
	at := make(map[string]int, len(ids))
	for i, id := range ids {
		if _, twice := at[id]; !twice {
			at[id] = i
		}
	}
	place := func(s change.Step) int {
		if i, named := at[s.Change.ID]; named {
			return i
		}
		return len(ids)
	}
	slices.SortStableFunc(kept.Steps, func(x, y change.Step) int { return cmp.Compare(place(x), place(y)) })
	for i := range kept.Steps {
		kept.Steps[i].Change.Rationale = notes[kept.Steps[i].Change.ID]
	}
	show(kept)
}
