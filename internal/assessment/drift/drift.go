// Package drift compares two assessments of one account. It reports what is new, gone, worse,
// better or different, and keeps apart what only became unreadable: that is unknown, never
// resolved. It is pure, and the same input in any order returns the same bytes.
package drift

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Side is one of the two assessments. Findings must yield all findings, of every result, in any
// order; Compare rejects a side with fewer findings than its tallies count, because missing ones
// would look resolved. Findings and Paths are iterated twice; nil means none.
type Side struct {
	Assessment posture.AssessmentSummary
	Checks     []posture.CheckTally
	Findings   iter.Seq2[posture.Finding, error]
	Paths      iter.Seq2[posture.AttackPath, error]
}

// Ref names an assessment of a comparison.
type Ref struct {
	ID               string                   `json:"id"`
	CompletedAt      time.Time                `json:"completedAt"`
	Score            int                      `json:"score"`
	Status           posture.AssessmentStatus `json:"status" enum:"completed,completed_with_gaps"`
	CatalogueVersion string                   `json:"catalogueVersion"`
}

// Difference is one finding that has changed. Before and After are empty when the assessment has no
// such finding; Before is also PASS when the finding's whole zone or account passed.
type Difference struct {
	ID       string           `json:"id" doc:"Finding id."`
	CheckID  string           `json:"checkId"`
	Title    string           `json:"title"`
	Category posture.Category `json:"category"`
	Severity posture.Severity `json:"severity"`
	Resource posture.Resource `json:"resource"`
	Before   posture.Result   `json:"before" doc:"Result in the baseline; empty when it was not reported."`
	After    posture.Result   `json:"after" doc:"Result in the current assessment; empty when it is not reported."`

	Message   string `json:"message"`
	Reason    string `json:"reason,omitempty" doc:"Why it is unknown, why it may be older than it looks, or what changed."`
	Exception string `json:"exception,omitempty" doc:"Id of the exception that accepts the risk, as of the assessment the entry shows."`

	ChangedBy []Cause `json:"changedBy,omitempty" doc:"The newest change of Cloudflare's audit log that fits; at most three when tied."`
}

// Cause is an entry of the audit log that may have caused the drift.
type Cause struct {
	At      string `json:"at" format:"date-time"`
	Actor   string `json:"actor,omitempty"`
	Via     string `json:"via,omitempty" doc:"How it was made: dash, api_key, api_token, oauth."`
	Action  string `json:"action"`
	Product string `json:"product,omitempty"`
}

// Counts holds the length of each list for one category.
type Counts struct {
	New       int `json:"new"`
	Resolved  int `json:"resolved"`
	Regressed int `json:"regressed"`
	Improved  int `json:"improved"`
	Changed   int `json:"changed"`
	Unknown   int `json:"unknown"`
}

// NewPath is an attack path that the baseline does not have.
type NewPath struct {
	posture.AttackPath
	Reason string `json:"reason,omitempty" doc:"Why it may be older than it looks: the baseline did not see what it needs."`
}

// Paths compares attack paths. Unknown holds paths that are gone while something they depend on
// could not be read.
type Paths struct {
	Appeared    []NewPath            `json:"appeared"`
	Disappeared []posture.AttackPath `json:"disappeared"`
	Unknown     []posture.AttackPath `json:"unknown" doc:"Not found, but something they need was not readable: nobody knows if they are gone."`
}

// Drift is the difference between two assessments. Every list is ordered worst first: by the worse
// of the two results, then severity, then id.
type Drift struct {
	Baseline Ref `json:"baseline"`
	Current  Ref `json:"current"`

	ScoreDelta *int   `json:"scoreDelta" doc:"Score of current less that of baseline; null when they do not compare."`
	ScoreNote  string `json:"scoreNote,omitempty" doc:"Why the scores do not compare."`
	DriftScore int    `json:"driftScore" minimum:"0" maximum:"100" doc:"How far the account moved; 0 when all lists are empty."`

	New       []Difference `json:"new" doc:"FAIL or WARNING now, and not seen before."`
	Resolved  []Difference `json:"resolved" doc:"FAIL or WARNING before; judged again and not found."`
	Regressed []Difference `json:"regressed" doc:"FAIL or WARNING now, and better before."`
	Improved  []Difference `json:"improved" doc:"FAIL before, WARNING now."`
	Changed   []Difference `json:"changed" doc:"The same FAIL or WARNING with another severity, risk or evidence."`
	Unknown   []Difference `json:"unknown" doc:"Judged before and not judged now, or not readable now."`

	Unchanged int `json:"unchanged" doc:"Findings with the same result and nothing else changed."`
	Apart     int `json:"apart,omitempty" doc:"Findings in no list: one of the runs was narrowed and did not look there."`
	Regained  int `json:"regained" doc:"Findings that were UNKNOWN and are PASS or NOT_APPLICABLE now."`
	// RegainedIDs are their ids, sorted.
	RegainedIDs []string `json:"-"`

	ByCategory map[posture.Category]Counts `json:"byCategory"`
	Paths      Paths                       `json:"paths"`
}

// Compare compares two assessments of one account; the baseline may be the newer one. modifications
// are those of the current assessment.
//
// Findings are joined by id. Memory holds a compact record of each, and texts only for those that
// differ: some 12 MB for 50,000 unchanged findings.
func Compare(baseline, current Side, modifications []posture.Modification) (Drift, error) {
	b, c := &baseline.Assessment, &current.Assessment
	if b.Account.ID != c.Account.ID {
		return Drift{}, fmt.Errorf("compare assessments of two accounts: %s and %s", b.Account.ID, c.Account.ID)
	}
	j, err := joinSides(baseline, current)
	if err != nil {
		return Drift{}, err
	}
	d := Drift{Baseline: ref(b), Current: ref(c), ByCategory: map[posture.Category]Counts{}}
	switch {
	case !j.same:
		d.ScoreNote = "the runs looked at different things"
	case c.Score.Grade == nil:
		d.ScoreNote = "too little could be judged"
	case b.Score.Grade == nil:
		d.ScoreNote = "too little could be judged before"
	default:
		d.ScoreDelta = new(c.Score.Value - b.Score.Value)
	}
	for _, l := range d.lists() {
		*l = []Difference{} // an empty list must be [] in JSON
	}
	log := newLog(modifications, b.StartedAt, c.StartedAt)
	lost, unseen := map[string]bool{}, map[string]bool{} // what nobody can tell of now, and could not tell of before
	for id, at := range j.places {
		o := j.classify(id, &j.pairs[at])
		if o.list == isUnknown || o.list == apart {
			lost[id] = true
		}
		if o.list == isNew && o.unsure {
			unseen[id] = true
		}
		d.put(o, log)
	}
	for _, l := range d.lists() {
		slices.SortFunc(*l, worstFirst)
	}
	slices.Sort(d.RegainedIDs)
	if d.Paths, err = j.paths(baseline, current, lost, unseen); err != nil {
		return Drift{}, err
	}
	d.DriftScore = driftScore(&d)
	return d, nil
}

// Uncertain counts the new findings that may be older, because the baseline could not judge them.
func (d *Drift) Uncertain() (n int) {
	for i := range d.New {
		if d.New[i].Reason != "" {
			n++
		}
	}
	return n
}

// ScoreChange says how far the score moved, or why that is not known.
func (d *Drift) ScoreChange() string {
	switch n := d.ScoreDelta; {
	case n == nil:
		return "not compared, because " + d.ScoreNote
	case *n > 0:
		return fmt.Sprintf("up by %d", *n)
	case *n < 0:
		return fmt.Sprintf("down by %d", -*n)
	}
	return "unchanged"
}

func ref(a *posture.AssessmentSummary) Ref {
	return Ref{ID: a.ID, CompletedAt: a.CompletedAt, Score: a.Score.Value, Status: a.Status, CatalogueVersion: a.CatalogueVersion}
}

func (d *Drift) lists() []*[]Difference {
	return []*[]Difference{&d.New, &d.Resolved, &d.Regressed, &d.Improved, &d.Changed, &d.Unknown}
}

// put files one finding. Unknown findings, and those that may be older than the baseline, get no
// causes.
func (d *Drift) put(o listed, log *changeLog) {
	n := d.ByCategory[o.entry.Category]
	switch o.list {
	case unchanged:
		d.Unchanged++
		return
	case regained:
		d.Regained++
		d.RegainedIDs = append(d.RegainedIDs, o.entry.ID)
		return
	case apart:
		d.Apart++
		return
	case quiet:
		return
	case isNew:
		n.New++
	case resolved:
		n.Resolved++
	case regressed:
		n.Regressed++
	case improved:
		n.Improved++
	case changed:
		n.Changed++
	case isUnknown:
		n.Unknown++
	}
	if !o.unsure {
		o.entry.ChangedBy = log.blame(o.entry.Resource, o.entry.Category)
	}
	d.ByCategory[o.entry.Category] = n
	l := d.lists()[o.list]
	*l = append(*l, o.entry)
}

func worstFirst(a, b Difference) int {
	return cmp.Or(cmp.Compare(place(a.Before, a.After), place(b.Before, b.After)), cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
		cmp.Compare(a.ID, b.ID))
}

// place is the position of the worse of two results in a report.
func place(a, b posture.Result) int {
	best := len(posture.Results())
	for i, r := range posture.Results() {
		if r == a || r == b {
			best = min(best, i)
		}
	}
	return best
}

// driftScore weighs the lists as documented at the field of Drift. Any entry at all gives at least
// 1.
func driftScore(d *Drift) int {
	sum := 0.0
	for _, l := range []struct {
		entries []Difference
		factor  float64
	}{{d.New, 1}, {d.Regressed, 1}, {d.Unknown, 0.25}, {d.Resolved, 0.05}, {d.Improved, 0.05}, {d.Changed, 0.05}} {
		for _, e := range l.entries {
			sum += weight(e.Severity) * l.factor
		}
	}
	for _, p := range d.Paths.Appeared {
		sum += weight(p.Severity)
	}
	for _, p := range d.Paths.Unknown {
		sum += weight(p.Severity) * 0.25
	}
	for _, p := range d.Paths.Disappeared {
		sum += weight(p.Severity) * 0.05
	}
	if sum == 0 {
		return 0
	}
	return min(100, max(1, int(100*sum/(sum+100)+0.5)))
}

// weight is the weight used by the score, except that informational findings count 1.
func weight(s posture.Severity) float64 { return max(1, s.Weight()) }
