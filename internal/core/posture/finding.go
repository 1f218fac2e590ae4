package posture

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// FindingStatus is the status of a finding across assessments.
type FindingStatus string

// A finding is open when seen, resolved when a later run passes, reopened when it returns.
const (
	StatusOpen     FindingStatus = "open"
	StatusResolved FindingStatus = "resolved"
	StatusReopened FindingStatus = "reopened"
)

// Resolution says how a finding was resolved; empty while it is not, and for a finding that was
// never FAIL or WARNING.
type Resolution string

// Fixed means that a run judged the resource of the finding and did not find it again, deleted that
// the resource no longer exists.
const (
	ResolutionFixed   Resolution = "fixed"
	ResolutionDeleted Resolution = "deleted"
)

// Finding is the verdict of one check on one resource in one assessment. ID is stable across
// assessments (see FindingID). Reason explains UNKNOWN and NOT_APPLICABLE; of a WARNING it is what
// could not be read and may make it worse, of a FAIL what may change its severity. Permission is set
// when a permission the token lacks is the cause of an UNKNOWN. FirstSeen and LastSeen are the first and
// the last run that saw it FAIL or WARNING; for a finding that was never either, the first and the last
// run that judged it.
type Finding struct {
	ID            string        `json:"id"`
	CheckID       string        `json:"checkId"`
	CheckTitle    string        `json:"checkTitle" doc:"What the check wants; title says what is wrong with this resource."`
	Title         string        `json:"title"`
	Category      Category      `json:"category"`
	Severity      Severity      `json:"severity"`
	Risk          float64       `json:"risk" doc:"0 to 10: severity weighed by sensitivity and served traffic. 0 unless FAIL or WARNING."`
	Result        Result        `json:"result"`
	Resource      Resource      `json:"resource"`
	Message       string        `json:"message"`
	Evidence      []Evidence    `json:"evidence"`
	Why           string        `json:"why"`
	Fix           string        `json:"fix"`
	Impact        string        `json:"impact" doc:"What the finding lets someone do. Empty unless FAIL or WARNING."`
	Steps         []Step        `json:"steps" doc:"The ways to close it, ready to copy. Empty unless FAIL or WARNING."`
	Breaks        string        `json:"breaks,omitempty" doc:"What closing it may break."`
	Remediable    bool          `json:"remediable"`
	Controls      Controls      `json:"controls"`
	NodeID        string        `json:"nodeId"`
	AttackPathIDs []string      `json:"attackPathIds"`
	FirstSeen     time.Time     `json:"firstSeen"`
	LastSeen      time.Time     `json:"lastSeen"`
	Status        FindingStatus `json:"status"`

	Exception     *string `json:"exception,omitempty" doc:"Id of the exception that accepts the risk: as of the run in assessments, else now."`
	ExceptionNote string  `json:"exceptionNote,omitempty" doc:"Why the risk was accepted, by whom and until when, as of the run."`
	Reason        string  `json:"reason,omitempty"`
	Permission    string  `json:"permission,omitempty"`
	Judged        int     `json:"judged,omitempty"`

	Words *Words `json:"-"` // source of Title, Impact, Steps and Breaks; shared, nil when empty
}

// Titled reports whether the title says what is wrong. Otherwise it states the good state, as in
// passed findings and old records.
func (f Finding) Titled() bool { return f.CheckTitle != "" && f.Title != f.CheckTitle }

// Hides reports whether a finding may stand for others: it is open, about the account as a whole, and something could
// not be read, as when the token of a run was not confirmed.
func Hides(result Result, reason string, of Resource) bool {
	return (result == Fail || result == Warning) && reason != "" && of.Type == ResourceAccount
}

// Worded fills in the texts about the resource. Only FAIL and WARNING findings get a title of their
// own.
func (f Finding) Worded() Finding {
	f.Title, f.Impact, f.Breaks, f.Steps = f.CheckTitle, "", "", []Step{}
	if f.Result != Fail && f.Result != Warning || f.Words == nil {
		return f
	}
	if f.Words.Problem != "" {
		f.Title = f.Words.Title(f.Resource)
	}
	f.Impact, f.Breaks, f.Steps = About(f.Words.Impact, f.Resource), About(f.Words.Breaks, f.Resource), f.Words.Steps(f.Resource)
	return f
}

// Step returns the step of a finding at a place, or the zero Step.
func (f Finding) Step(where Place) Step {
	for _, s := range f.Steps {
		if s.Where == where {
			return s
		}
	}
	return Step{}
}

// Way describes in one line how to close a finding: where in the dashboard, otherwise the fix of
// its check.
func (f Finding) Way() string { return cmp.Or(f.Step(InDashboard).Text, f.Fix) }

// Accepted says why the risk of a finding is accepted, with the id of the exception; "" when it is
// not.
func (f Finding) Accepted() string {
	switch {
	case f.Exception == nil:
		return ""
	case f.ExceptionNote == "":
		return *f.Exception
	default:
		return f.ExceptionNote + " [" + *f.Exception + "]"
	}
}

// FindingID is the stable identity of a finding: the first 16 bytes of SHA-256 over account id,
// check id, resource type and resource id, as hex. A zero byte separates the fields so that no two
// tuples share an encoding; one in an id counts as U+FFFD, which the store keeps in its place, so that
// the identity follows from what was kept.
func FindingID(accountID, checkID string, resource ResourceType, resourceID string) string {
	fields := []string{accountID, checkID, string(resource), resourceID}
	for i, field := range fields {
		fields[i] = strings.ReplaceAll(field, "\x00", "\uFFFD")
	}
	sum := sha256.Sum256([]byte(strings.Join(fields, "\x00")))
	return hex.EncodeToString(sum[:16])
}
