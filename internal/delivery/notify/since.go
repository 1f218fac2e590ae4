package notify

import (
	"cmp"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
)

// Since counts the differences from an earlier assessment. Uncertain counts those of New, and
// PathsUncertain those of PathsAppeared, that may be older, because the earlier run could not judge
// them. Unknown and PathsUnknown existed before and cannot be judged now: they are not gone.
type Since struct {
	Baseline         drift.Ref
	ScoreDelta       *int   // nil when the scores do not compare
	ScoreChange      string // the same in words
	New              int
	Uncertain        int
	Regressed        int
	Resolved         int
	Improved         int
	Changed          int
	Unknown          int
	PathsAppeared    int
	PathsUncertain   int
	PathsDisappeared int
	PathsUnknown     int
	Worst            []Worse // the worst new and regressed findings, worst first
}

// Worse is a finding that is new or regressed.
type Worse struct {
	drift.Difference
	Regressed bool
}

func since(d *drift.Drift, assessmentID string, top int) (*Since, error) {
	if d == nil {
		return nil, nil //nolint:nilnil // no earlier assessment is no error and has no value
	}
	if d.Current.ID != assessmentID {
		return nil, fmt.Errorf("summarise assessment %s: the changes are those of assessment %s", assessmentID, d.Current.ID)
	}
	s := &Since{
		Baseline: d.Baseline, ScoreDelta: d.ScoreDelta, ScoreChange: d.ScoreChange(), New: len(d.New),
		Regressed: len(d.Regressed), Resolved: len(d.Resolved), Improved: len(d.Improved),
		Changed: len(d.Changed), Unknown: len(d.Unknown), PathsAppeared: len(d.Paths.Appeared), PathsDisappeared: len(d.Paths.Disappeared),
		PathsUnknown: len(d.Paths.Unknown), Uncertain: d.Uncertain(),
	}
	for _, p := range d.Paths.Appeared {
		if p.Reason != "" {
			s.PathsUncertain++
		}
	}
	w := newWorst(top, compareWorse)
	for _, e := range d.New {
		w.add(Worse{Difference: e})
	}
	for _, e := range d.Regressed {
		w.add(Worse{Difference: e, Regressed: true})
	}
	s.Worst = w.rows
	return s, nil
}

func compareWorse(a, b Worse) int {
	return cmp.Or(bySeverity(a.Severity, b.Severity), cmp.Compare(a.After, b.After), cmp.Compare(a.ID, b.ID))
}
