package whatif

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// compare fills the findings and paths that differ.
func (o *WhatIf) compare(before, after *State) {
	o.Score = ScoreEffect{Before: before.score, After: after.score}
	o.Findings = FindingEffects{Appear: []drift.Difference{}, Resolve: []drift.Difference{}, Worsen: []drift.Difference{},
		Improve: []drift.Difference{}}
	was, is := byPlace(before.made), byPlace(after.made)
	blind := map[[2]string]string{} // by check and zone: the reason why resources there are unknown
	unsure := map[string]string{}   // by id: findings that can not be judged
	for i := range after.made {
		now := &after.made[i]
		if is[placeOf(now)] != now {
			continue
		}
		if why := o.file(was[placeOf(now)], now); why != "" {
			unsure[now.ID] = why
		}
	}
	for i := range after.made {
		f := &after.made[i]
		if old := was[placeOf(f)]; f.Result == posture.Unknown && (old == nil || old.Result != posture.Unknown) {
			blind[[2]string{f.CheckID, f.Resource.OwnZone()}] = f.Reason
			unsure[f.ID] = f.Reason
		}
	}
	for i := range before.made {
		old := &before.made[i]
		if was[placeOf(old)] != old || is[placeOf(old)] != nil {
			continue
		}
		why, hidden := blind[[2]string{old.CheckID, old.Resource.OwnZone()}]
		if !hidden {
			why, hidden = blind[[2]string{old.CheckID, ""}]
		}
		if !hidden {
			if why := o.file(old, nil); why != "" {
				unsure[old.ID] = why
			}
		} else if open(old) {
			unsure[old.ID] = why
			o.Undecided = append(o.Undecided, Doubt{What: whereOf(old), Why: why})
		}
	}
	for _, list := range []*[]drift.Difference{&o.Findings.Appear, &o.Findings.Resolve, &o.Findings.Worsen, &o.Findings.Improve} {
		slices.SortFunc(*list, func(a, b drift.Difference) int {
			return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(a.CheckID, b.CheckID), cmp.Compare(a.ID, b.ID))
		})
	}
	sure := func(paths []posture.AttackPath) []posture.AttackPath {
		return slices.DeleteFunc(paths, func(p posture.AttackPath) bool {
			i := slices.IndexFunc(p.FindingIDs, func(id string) bool { return unsure[id] != "" })
			if i >= 0 {
				o.Undecided = append(o.Undecided, Doubt{What: "the attack path " + p.Title, Why: unsure[p.FindingIDs[i]]})
			}
			return i >= 0
		})
	}
	o.Paths = PathEffects{Appear: sure(without(after.paths, before.paths)), Break: sure(without(before.paths, after.paths))}
}

// place identifies a finding: two zones may have resources with the same id.
type place struct{ id, zone string }

func placeOf(f *posture.Verdict) place { return place{f.ID, f.Resource.ZoneID} }

func byPlace(findings []posture.Verdict) map[place]*posture.Verdict {
	out := make(map[place]*posture.Verdict, len(findings))
	for i := range findings {
		if f := &findings[i]; out[placeOf(f)] == nil || open(f) {
			out[placeOf(f)] = f
		}
	}
	return out
}

// whereOf names a check and its resource.
func whereOf(f *posture.Verdict) string {
	return f.CheckID + " on " + cmp.Or(f.Resource.Name, f.Resource.ID)
}

func open(f *posture.Verdict) bool {
	return f != nil && (f.Result == posture.Fail || f.Result == posture.Warning)
}

// weight orders findings by how bad they are.
func weight(f *posture.Verdict) float64 {
	if f.Result == posture.Warning {
		return f.Severity.Weight() / 2
	}
	return f.Severity.Weight()
}

// file adds a finding to the matching list; nil means that there is none. It returns why, if it is
// not known whether the finding changes like this.
func (o *WhatIf) file(was, is *posture.Verdict) string {
	shown := is
	if is == nil || open(was) && !open(is) {
		shown = was
	}
	d := drift.Difference{ID: shown.ID, CheckID: shown.CheckID, Title: shown.Title, Category: shown.Category, Severity: shown.Severity,
		Resource: *shown.Resource, Message: shown.Message}
	if was != nil {
		d.Before = was.Result
	}
	if is != nil {
		d.After = is.Result
	}
	changes := open(is) != open(was) || open(is) && weight(is) != weight(was)
	if why := cmp.Or(o.hangs(is), o.hangs(was)); changes && why != "" {
		o.Undecided = append(o.Undecided, Doubt{What: whereOf(cmp.Or(is, was)), Why: why})
		return why
	}
	switch {
	case is != nil && is.Result == posture.Unknown && (was == nil || was.Result != posture.Unknown):
		o.Undecided = append(o.Undecided, Doubt{What: whereOf(is), Why: is.Reason, Permission: is.Permission})
	case open(is) && !open(was):
		o.Findings.Appear = append(o.Findings.Appear, d)
	case open(was) && !open(is):
		o.Findings.Resolve = append(o.Findings.Resolve, d)
	case open(was) && weight(is) > weight(was):
		o.Findings.Worsen = append(o.Findings.Worsen, d)
	case open(was) && weight(is) < weight(was):
		o.Findings.Improve = append(o.Findings.Improve, d)
	}
	return ""
}

// without returns the paths of one list that are not in the other.
func without(paths, others []posture.AttackPath) []posture.AttackPath {
	known := make(map[string]bool, len(others))
	for _, p := range others {
		known[p.ID] = true
	}
	out := []posture.AttackPath{}
	for _, p := range paths {
		if !known[p.ID] {
			out = append(out, p)
		}
	}
	return out
}
