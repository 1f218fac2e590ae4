package whatif

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// compare files the findings and paths that differ.
func (o *WhatIf) compare(before, after *State) {
	o.Score = ScoreEffect{Before: before.score, After: after.score}
	o.Findings = FindingEffects{Appear: []drift.Difference{}, Resolve: []drift.Difference{}, Worsen: []drift.Difference{},
		Improve: []drift.Difference{}}
	was, is := byID(before.made), byID(after.made)
	for i := range after.made {
		if now := &after.made[i]; is[now.ID] == now {
			o.file(was[now.ID], now)
		}
	}
	blind := map[[2]string]string{} // by check and zone: why nobody knows what is there
	for i := range after.made {
		if f := &after.made[i]; f.Result == posture.Unknown && (was[f.ID] == nil || was[f.ID].Result != posture.Unknown) {
			blind[[2]string{f.CheckID, f.Resource.OwnZone()}] = f.Reason
		}
	}
	for i := range before.made {
		old := &before.made[i]
		if was[old.ID] != old || is[old.ID] != nil {
			continue
		}
		why, unsure := blind[[2]string{old.CheckID, old.Resource.OwnZone()}]
		if !unsure {
			why, unsure = blind[[2]string{old.CheckID, ""}]
		}
		if !unsure {
			o.file(old, nil)
		} else if open(old) {
			o.Undecided = append(o.Undecided, Doubt{What: whereOf(old), Why: why})
		}
	}
	for _, list := range []*[]drift.Difference{&o.Findings.Appear, &o.Findings.Resolve, &o.Findings.Worsen, &o.Findings.Improve} {
		slices.SortFunc(*list, func(a, b drift.Difference) int {
			return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(a.CheckID, b.CheckID), cmp.Compare(a.ID, b.ID))
		})
	}
	o.Paths = PathEffects{Appear: without(after.paths, before.paths), Break: without(before.paths, after.paths)}
}

func byID(findings []posture.Verdict) map[string]*posture.Verdict {
	out := make(map[string]*posture.Verdict, len(findings))
	for i := range findings {
		if f := &findings[i]; out[f.ID] == nil || open(f) {
			out[f.ID] = f
		}
	}
	return out
}

// whereOf names a check and what it is about.
func whereOf(f *posture.Verdict) string {
	return f.CheckID + " on " + cmp.Or(f.Resource.Name, f.Resource.ID)
}

func open(f *posture.Verdict) bool {
	return f != nil && (f.Result == posture.Fail || f.Result == posture.Warning)
}

// weight orders how bad a finding is.
func weight(f *posture.Verdict) float64 {
	if f.Result == posture.Warning {
		return f.Severity.Weight() / 2
	}
	return f.Severity.Weight()
}

// file puts a finding where it belongs; nil where there is none.
func (o *WhatIf) file(was, is *posture.Verdict) {
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
}

// without are the paths of one list that the other has not.
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
