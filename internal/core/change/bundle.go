package change

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Status is the state of one change of a bundle.
type Status string

// pending → writing → applied → restoring → rolled_back. unchanged: the live value was already
// right. failed: the provider refused, and holds what it held before. restored: the change could
// not be verified and was reverted at once. unknown: it is not known what the provider holds now or
// will hold, because a change without a refusal may come into force later, or it holds neither value.
const (
	Pending    Status = "pending"
	Writing    Status = "writing"
	Applied    Status = "applied"
	Unchanged  Status = "unchanged"
	Skip       Status = "skipped"
	Restored   Status = "restored"
	Unknown    Status = "unknown"
	Failed     Status = "failed"
	Restoring  Status = "restoring"
	RolledBack Status = "rolled_back"
)

// State is the state of a bundle.
type State string

// A bundle is open while a job works on it. applied: everything requested is in force. partial:
// only part of it is, or that is unknown. rolled_back: nothing is any more. nothing: nothing ever
// was.
const (
	StateOpen       State = "open"
	StateApplied    State = "applied"
	StatePartial    State = "partial"
	StateRolledBack State = "rolled_back"
	StateNothing    State = "nothing"
)

// Undone reports whether nothing of the bundle is in force.
func (s State) Undone() bool { return s == StateRolledBack || s == StateNothing }

// BundleStep is one change of a bundle. Captured is the complete object before, Landed after; null
// means that it did not exist. An entry is stored before its change is sent, so that a bundle never
// misses a change.
type BundleStep struct {
	Step
	Status   Status          `json:"status"`
	Reason   string          `json:"reason,omitempty"`
	Verified bool            `json:"verified"`
	Captured json.RawMessage `json:"captured,omitempty"`
	Landed   json.RawMessage `json:"landed,omitempty"`
	At       *time.Time      `json:"at,omitempty"`
}

// InForce reports whether the entry may have left something at the provider.
func (e BundleStep) InForce() bool {
	return e.Status == Applied || e.Status == Writing || e.Status == Restoring || e.Status == Unknown
}

// Seen is the place of the object of the entry, given the result of its path: what the change made is known
// by its id where somebody gave it another name since.
func (e BundleStep) Seen(result any) Place {
	place := e.Edit.Place
	if id := idOf(decoded(e.Landed)); id != "" && len(place.Match) > 0 && Same(e.Edit.Before, nil) && place.Find(result) == nil {
		place.Match = map[string]any{"id": id}
	}
	return place
}

// Unseen reports whether the change was sent, was not refused and was never seen in force: it may
// show up later.
func (e BundleStep) Unseen() bool {
	return e.At != nil && len(e.Landed) == 0 && (e.Status == Pending || e.Status == Skip || e.Status == RolledBack)
}

// Bundle is what one apply did and how it can be undone.
type Bundle struct {
	ID           string             `json:"id"`
	CreatedAt    time.Time          `json:"createdAt"`
	AssessmentID string             `json:"assessmentId"`
	Account      posture.AccountRef `json:"account"`
	PlanID       string             `json:"planId"`
	JobID        string             `json:"jobId"`
	By           string             `json:"by" doc:"Who was admitted: the subject of the token, or secret."`
	State        State              `json:"state"`
	Entries      []BundleStep       `json:"entries"`
	PathsRemoved []string           `json:"pathsRemoved"`
}

// Count returns the number of entries with one of the statuses.
func (b Bundle) Count(of ...Status) int {
	n := 0
	for _, e := range b.Entries {
		for _, s := range of {
			if e.Status == s {
				n++
			}
		}
	}
	return n
}

// Settle returns the state that follows from the entries once no job works on them.
func (b Bundle) Settle() State {
	inForce := b.Count(Applied)
	unsure := b.Count(Unknown, Writing, Restoring)
	missing := b.Count(Pending, Restored, Skip, Failed)
	switch {
	case unsure > 0:
		return StatePartial
	case inForce == 0 && b.Count(RolledBack, Restored) > 0:
		return StateRolledBack
	case inForce > 0 && (missing > 0 || b.Count(RolledBack) > 0):
		return StatePartial
	case inForce == 0 && missing > 0:
		return StateNothing
	default:
		return StateApplied
	}
}

// Left returns an open bundle as a job left it that nobody goes on with.
func (b Bundle) Left() Bundle {
	b.Entries = slices.Clone(b.Entries)
	for i := range b.Entries {
		if e := &b.Entries[i]; e.Status == Writing || e.Status == Restoring {
			e.Status, e.Verified = Unknown, false
			e.Reason = "The job ended at this change before it saw what came of it; a rollback looks at the live value first."
		}
	}
	b.State = b.Settle()
	return b
}

// Backup is a bundle as a list row.
type Backup struct {
	ID           string             `json:"id"`
	CreatedAt    time.Time          `json:"createdAt"`
	AssessmentID string             `json:"assessmentId"`
	Account      posture.AccountRef `json:"account"`
	State        State              `json:"state" enum:"open,applied,partial,rolled_back,nothing"`
	Entries      int                `json:"entries"`
	Applied      int                `json:"applied" doc:"Changes in force."`
	Verified     int                `json:"verified" doc:"Changes in force that were read back."`
}

// Spent returns the problem that there is nothing to take back, or nil when there may be something.
func (b Bundle) Spent() error {
	if !b.State.Undone() || slices.ContainsFunc(b.Entries, func(e BundleStep) bool { return e.InForce() || e.Unseen() }) {
		return nil
	}
	if b.State == StateNothing {
		return posture.Problemf(posture.CodeAlreadyRolledBack,
			"None of the changes of bundle %s was made, so there is nothing to take back.", b.ID)
	}
	return posture.Problemf(posture.CodeAlreadyRolledBack, "Bundle %s is rolled back already; nothing of it is in force.", b.ID)
}

// Summary returns the list row.
func (b Bundle) Summary() Backup {
	s := Backup{ID: b.ID, CreatedAt: b.CreatedAt, AssessmentID: b.AssessmentID, Account: b.Account, State: b.State, Entries: len(b.Entries),
		Applied: b.Count(Applied)}
	for _, e := range b.Entries {
		if e.Status == Applied && e.Verified {
			s.Verified++
		}
	}
	return s
}

// Result is the outcome of one change.
type Result struct {
	ChangeID  string           `json:"changeId"`
	CheckID   string           `json:"checkId"`
	Resource  posture.Resource `json:"resource"`
	Object    string           `json:"object,omitempty"`
	Operation string           `json:"operation"`
	Status    Status           `json:"status" enum:"pending,writing,applied,unchanged,skipped,failed,restored,unknown,restoring,rolled_back"`
	Verified  bool             `json:"verified"`
	Reason    string           `json:"reason,omitempty"`
}

// Results returns the outcome of each change, in the order of the plan.
func (b Bundle) Results() []Result {
	out := make([]Result, 0, len(b.Entries))
	for _, e := range b.Entries {
		c := e.Change
		out = append(out, Result{ChangeID: c.ID, CheckID: c.CheckID, Resource: c.Resource, Object: c.Object, Operation: c.Operation,
			Status: e.Status, Verified: e.Verified, Reason: e.Reason})
	}
	return out
}

// Execution is the result of an apply or rollback job.
type Execution struct {
	PlanID       string   `json:"planId,omitempty"`
	BundleID     string   `json:"bundleId"`
	State        State    `json:"state" enum:"open,applied,partial,rolled_back,nothing"`
	Results      []Result `json:"results"`
	PathsRemoved []string `json:"pathsRemoved" doc:"Attack paths that the applied changes remove; empty for a rollback."`
}
