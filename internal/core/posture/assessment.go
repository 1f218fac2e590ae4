package posture

import (
	"cmp"
	"time"
)

// AssessmentStatus says whether everything requested could be read.
type AssessmentStatus string

// Gaps mean that at least one verdict is UNKNOWN; coverage says which and why.
const (
	Completed         AssessmentStatus = "completed"
	CompletedWithGaps AssessmentStatus = "completed_with_gaps"
)

// Profile selects how much is read and judged.
type Profile string

// ProfileCore reads what the graph, the attack paths and the critical and high checks need.
const (
	ProfileFull Profile = "full"
	ProfileCore Profile = "core"
)

// AccountRef names a provider account.
type AccountRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ZoneRef is one zone of an assessment. Status is the provider's value.
type ZoneRef struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Plan   string `json:"plan"`
	Status string `json:"status"`
	Score  *Mark  `json:"score,omitempty" doc:"Of what the checks say of this zone; absent in older assessments."`
}

// TokenInfo is what the pre-flight check learned about the token of the run.
type TokenInfo struct {
	Kind      string     `json:"kind" enum:"user,account,unknown"`
	ID        string     `json:"id,omitempty"`
	Status    string     `json:"status"`
	ExpiresOn *time.Time `json:"expiresOn,omitempty"`
	DaysLeft  *int       `json:"daysLeft,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// Mark is a score of 0 to 100 and its grade. An assessment keeps the mark it was saved with;
// docs/score.md describes how it is computed today.
type Mark struct {
	Value    int      `json:"value"`
	Grade    *string  `json:"grade" doc:"A to F, or null when it is withheld."`
	Held     string   `json:"held,omitempty" doc:"In words, what holds the grade below the one of the value: held at D by 2 findings."`
	HeldBy   []string `json:"heldBy,omitempty" doc:"Ids of the findings that hold it, at most 100; held counts all."`
	Withheld string   `json:"withheld,omitempty" doc:"Why there is no grade."`
}

// Letter returns the grade, or "" when there is none.
func (m Mark) Letter() string {
	if m.Grade == nil {
		return ""
	}
	return *m.Grade
}

// Words returns the grade with its note: grade D (held at D by 2 findings).
func (m Mark) Words() string {
	out := "no grade"
	if m.Grade != nil {
		out = "grade " + *m.Grade
	}
	if n := m.Note(); n != "" {
		out += " (" + n + ")"
	}
	return out
}

// Note says in words why the grade is limited or withheld; "" when it is neither. Assessments of
// earlier versions have no grade below half coverage, and no reason.
func (m Mark) Note() string {
	switch {
	case m.Held != "":
		return m.Held
	case m.Grade == nil:
		return cmp.Or(m.Withheld, "too little could be judged")
	default:
		return ""
	}
}

// Score is the mark of an account.
type Score struct {
	Mark
	ByCategory map[Category]CategoryScore `json:"byCategory"`
	Lifts      *Lifts                     `json:"lifts,omitempty" doc:"What to close first; absent in older assessments."`
}

// Lifts are the checks whose findings are worth closing first, at most five in each list.
type Lifts struct {
	Most    []Lift `json:"most" doc:"By points."`
	Easiest []Lift `json:"easiest" doc:"Of those that have a remedy, by points for each finding."`
}

// Lift is how much closing all findings of a check would raise the score.
type Lift struct {
	CheckID    string  `json:"checkId"`
	CheckTitle string  `json:"checkTitle,omitempty" doc:"Absent in older assessments."`
	Points     float64 `json:"points" doc:"By how much the value rises, with one decimal."`
	Findings   int     `json:"findings" doc:"FAIL and WARNING."`
	Remediable bool    `json:"remediable"`
}

// CategoryScore is the score of one category.
type CategoryScore struct {
	Value int `json:"value"`
	Pass  int `json:"pass"`
	Fail  int `json:"fail"`
}

// MissingPermission names a permission the token lacks and the checks that are UNKNOWN without it.
type MissingPermission struct {
	Permission string   `json:"permission"`
	CheckIDs   []string `json:"checkIds"`
}

// Coverage says how much of the selected checks could be judged.
type Coverage struct {
	Percent            float64             `json:"percent"`
	Evaluated          int                 `json:"evaluated"`
	Unknown            int                 `json:"unknown"`
	MissingPermissions []MissingPermission `json:"missingPermissions"`
}

// Summary counts findings. BySeverity counts FAIL and WARNING only.
type Summary struct {
	Total         int              `json:"total"`
	Pass          int              `json:"pass"`
	Fail          int              `json:"fail"`
	Warning       int              `json:"warning"`
	Unknown       int              `json:"unknown"`
	NotApplicable int              `json:"notApplicable"`
	BySeverity    map[Severity]int `json:"bySeverity"`
}

// CheckTally counts the resources one check judged in one assessment.
type CheckTally struct {
	CheckID       string   `json:"checkId"`
	Category      Category `json:"category"`
	Severity      Severity `json:"severity"`
	Pass          int      `json:"pass"`
	Fail          int      `json:"fail"`
	Warning       int      `json:"warning"`
	Unknown       int      `json:"unknown"`
	NotApplicable int      `json:"notApplicable"`
}

// Count counts a finding by its result, and FAIL and WARNING by severity. The caller maintains
// Total.
func (s *Summary) Count(result Result, severity Severity) {
	switch result {
	case Pass:
		s.Pass++
	case Fail:
		s.Fail++
	case Warning:
		s.Warning++
	case Unknown:
		s.Unknown++
	case NotApplicable:
		s.NotApplicable++
	}
	if result == Fail || result == Warning {
		s.BySeverity[severity]++
	}
}

// Carried describes what an incremental run reused from earlier runs because the provider's audit
// log shows no change since. Reason says why nothing was reused.
type Carried struct {
	Sections int        `json:"sections" doc:"How many reads were carried forward."`
	Of       int        `json:"of" doc:"How many reads the run rests on."`
	Oldest   *time.Time `json:"oldest,omitempty" doc:"When the oldest of them was made."`
	Sources  []string   `json:"sources" doc:"What was carried forward for the account, or for one zone or item at least."`
	Reason   string     `json:"reason,omitempty" doc:"Why everything was read although the run was to be incremental."`
}

// AssessmentSummary is an assessment without its findings.
type AssessmentSummary struct {
	ID               string           `json:"id"`
	JobID            string           `json:"jobId"`
	Account          AccountRef       `json:"account"`
	Status           AssessmentStatus `json:"status"`
	StartedAt        time.Time        `json:"startedAt"`
	CompletedAt      time.Time        `json:"completedAt"`
	DurationMS       int64            `json:"durationMs"`
	Demo             bool             `json:"demo"`
	Profile          Profile          `json:"profile"`
	Sensitivity      Sensitivity      `json:"sensitivity" enum:"low,medium,high,critical"`
	Scope            *Scope           `json:"scope,omitempty" doc:"What the run was narrowed to; absent in whole runs and older assessments."`
	Note             string           `json:"note,omitempty"`
	TokenInfo        TokenInfo        `json:"tokenInfo"`
	CatalogueVersion string           `json:"catalogueVersion"`
	SnapshotDigest   string           `json:"snapshotDigest"`
	Zones            []ZoneRef        `json:"zones"`
	Requests         int              `json:"requests"`
	Carried          *Carried         `json:"carried,omitempty" doc:"Of an incremental run: what it did not read again."`
	Score            Score            `json:"score"`
	Coverage         Coverage         `json:"coverage"`
	Summary          Summary          `json:"summary"`
	AttackPaths      int              `json:"attackPaths"`
}

// Assessment is one saved run. It is immutable once saved.
type Assessment struct {
	AssessmentSummary
	Checks   []CheckTally `json:"checks"`
	Findings []Finding    `json:"findings"`
}
