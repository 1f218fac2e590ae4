package posture

import "time"

// Rule is what all findings of a check have in common.
type Rule struct {
	CheckID    string
	Title      string
	Category   Category
	Severity   Severity
	Why        string
	Fix        string
	Words      Words
	Remediable bool
	Controls   Controls
}

// Verdict is the compact form of a finding until it is saved. A large account has 100,000, which in
// full would be most of a run's memory, so common parts are shared and must not be modified.
type Verdict struct {
	*Rule
	ID            string
	Result        Result
	Resource      *Resource
	Message       string
	Evidence      []Evidence
	Reason        string
	Permission    string
	NodeID        string
	AttackPathIDs []string
	Standing      *Standing // nil until the history is known
	Accepted      *Acceptance
	Risk          float64
	Judged        int
}

// Standing is the status of findings across the assessments of an account; see FindingState.
type Standing struct {
	Status     FindingStatus
	Resolution Resolution
	FirstSeen  time.Time
	LastSeen   time.Time
	Opened     bool
}

// Acceptance is the exception that accepts the risk of findings; in a Finding it becomes Exception
// and ExceptionNote.
type Acceptance struct{ ID, Note string }

// Finding expands the verdict.
func (v *Verdict) Finding() Finding { return v.Unworded().Worded() }

// Unworded is Finding without the texts, which long lists do not need.
func (v *Verdict) Unworded() Finding {
	f := Finding{ID: v.ID, CheckID: v.CheckID, CheckTitle: v.Title, Words: v.Words.Shared(), Category: v.Category,
		Severity: v.Severity, Risk: v.Risk, Result: v.Result,
		Resource: *v.Resource, Message: v.Message, Evidence: v.Evidence, Why: v.Why, Fix: v.Fix, Remediable: v.Remediable, Controls: v.Controls,
		NodeID:        v.NodeID,
		AttackPathIDs: v.AttackPathIDs, Status: StatusOpen, Reason: v.Reason, Permission: v.Permission, Judged: v.Judged}
	if s := v.Standing; s != nil {
		f.FirstSeen, f.LastSeen, f.Status = s.FirstSeen, s.LastSeen, s.Status
	}
	if a := v.Accepted; a != nil {
		id := a.ID
		f.Exception, f.ExceptionNote = &id, a.Note
	}
	return f
}

// Findings expands verdicts.
func Findings(verdicts []Verdict) []Finding {
	out := make([]Finding, len(verdicts))
	for i := range verdicts {
		out[i] = verdicts[i].Finding()
	}
	return out
}

// State returns the state of the finding. Its standing must be known.
func (v *Verdict) State() FindingState {
	s := v.Standing
	return FindingState{FindingID: v.ID, Result: v.Result, Status: s.Status, Resolution: s.Resolution, FirstSeen: s.FirstSeen,
		LastSeen: s.LastSeen, Opened: s.Opened}
}
