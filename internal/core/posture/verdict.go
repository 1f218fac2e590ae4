package posture

import "time"

// Rule is what a check says in each of its findings.
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

// Verdict is a finding as a run holds it until it is saved. A large account has 100,000:
// spelled out they are most of what a run holds, so what several have in common is there
// once and must not be changed.
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
	Standing      *Standing // nil until the history was looked at
	Accepted      *Acceptance
	Risk          float64
	Judged        int
}

// Standing is where findings stand over the assessments of an account; see FindingState.
type Standing struct {
	Status     FindingStatus
	Resolution Resolution
	FirstSeen  time.Time
	LastSeen   time.Time
	Opened     bool
}

// Acceptance is the exception that accepts the risk of findings, in a Finding Exception and
// ExceptionNote.
type Acceptance struct{ ID, Note string }

// Finding spells the verdict out.
func (v *Verdict) Finding() Finding { return v.Unworded().Worded() }

// Unworded is Finding before its words are filled in, which a list of many need not wait for.
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

// Findings spells verdicts out.
func Findings(verdicts []Verdict) []Finding {
	out := make([]Finding, len(verdicts))
	for i := range verdicts {
		out[i] = verdicts[i].Finding()
	}
	return out
}

// State tells where the finding stands. Its standing must be known.
func (v *Verdict) State() FindingState {
	s := v.Standing
	return FindingState{FindingID: v.ID, Result: v.Result, Status: s.Status, Resolution: s.Resolution, FirstSeen: s.FirstSeen,
		LastSeen: s.LastSeen, Opened: s.Opened}
}
