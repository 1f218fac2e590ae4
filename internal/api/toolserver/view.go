package toolserver

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Models pay for every token, so lists show only what distinguishes their items; tools for a single
// item return the rest.

type assessmentView struct {
	ID          string                   `json:"id"`
	Account     posture.AccountRef       `json:"account"`
	Status      posture.AssessmentStatus `json:"status"`
	CompletedAt time.Time                `json:"completedAt"`
	Demo        bool                     `json:"demo,omitempty"`
	Profile     posture.Profile          `json:"profile"`
	Note        string                   `json:"note,omitempty"`
	Score       int                      `json:"score"`
	Grade       string                   `json:"grade"`
	Coverage    float64                  `json:"coverage"`
	Fail        int                      `json:"fail"`
	Warning     int                      `json:"warning"`
	Unknown     int                      `json:"unknown"`
	AttackPaths int                      `json:"attackPaths"`
	Zones       int                      `json:"zones"`
}

func viewOf(a posture.AssessmentSummary) assessmentView {
	return assessmentView{ID: a.ID, Account: a.Account, Status: a.Status, CompletedAt: a.CompletedAt, Demo: a.Demo, Profile: a.Profile,
		Note: a.Note, Score: a.Score.Value, Grade: a.Score.Words(), Coverage: a.Coverage.Percent, Fail: a.Summary.Fail,
		Warning: a.Summary.Warning, Unknown: a.Summary.Unknown, AttackPaths: a.AttackPaths, Zones: len(a.Zones)}
}

// missing is a permission that the token lacks, and how many checks cannot be judged without it.
type missing struct {
	Permission string `json:"permission"`
	Checks     int    `json:"checks"`
}

type issueView struct {
	ID         string           `json:"id"`
	CheckID    string           `json:"checkId"`
	Title      string           `json:"title"`
	Severity   posture.Severity `json:"severity"`
	Resources  int              `json:"resources"`
	Zones      int              `json:"zones,omitempty"`
	Paths      int              `json:"paths,omitempty"`
	Rank       int              `json:"rank"`
	Effort     issue.Effort     `json:"effort"`
	Remediable int              `json:"remediable,omitempty"`
}

func issueOf(i issue.Issue) issueView {
	return issueView{i.ID, i.CheckID, i.Title, i.Severity, i.Resources, i.Zones, i.Paths, i.Rank, i.Effort, i.Remediable}
}

type findingView struct {
	ID            string           `json:"id"`
	CheckID       string           `json:"checkId"`
	Title         string           `json:"title"`
	Severity      posture.Severity `json:"severity"`
	Result        posture.Result   `json:"result"`
	Resource      posture.Resource `json:"resource"`
	Message       string           `json:"message"`
	Remediable    bool             `json:"remediable,omitempty"`
	AttackPathIDs []string         `json:"attackPathIds,omitempty"`
}

func findingOf(f posture.Finding) findingView {
	return findingView{f.ID, f.CheckID, f.Title, f.Severity, f.Result, f.Resource, f.Message, f.Remediable, f.AttackPathIDs}
}

type pathView struct {
	ID          string           `json:"id"`
	Kind        string           `json:"kind"`
	Title       string           `json:"title"`
	Severity    posture.Severity `json:"severity"`
	Explanation string           `json:"explanation"`
	Breaks      []posture.Break  `json:"breaks"`
}

func pathOf(p posture.AttackPath) pathView {
	return pathView{p.ID, p.Kind, p.Title, p.Severity, p.Explanation, notNil(p.Breaks)}
}

type differenceView struct {
	ID       string           `json:"id"`
	CheckID  string           `json:"checkId"`
	Title    string           `json:"title"`
	Severity posture.Severity `json:"severity"`
	Resource posture.Resource `json:"resource"`
	Before   posture.Result   `json:"before"`
	After    posture.Result   `json:"after"`
	Reason   string           `json:"reason,omitempty"`
	By       string           `json:"changedBy,omitempty"`
}

func differenceOf(d drift.Difference) differenceView {
	v := differenceView{ID: d.ID, CheckID: d.CheckID, Title: d.Title, Severity: d.Severity, Resource: d.Resource, Before: d.Before,
		After: d.After, Reason: d.Reason}
	if len(d.ChangedBy) > 0 {
		v.By = d.ChangedBy[0].Actor
	}
	return v
}

type controlView struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Status   compliance.Status `json:"status"`
	PassRate *float64          `json:"passRate"`
	CheckIDs []string          `json:"checkIds"`
	Findings int               `json:"findings"`
}

func controlOf(c compliance.Control) controlView {
	return controlView{c.ID, c.Title, c.Status, c.PassRate, notNil(c.CheckIDs), len(c.FindingIDs)}
}

type jobView struct {
	ID           string           `json:"id"`
	Kind         posture.JobKind  `json:"kind"`
	State        posture.JobState `json:"state"`
	AssessmentID string           `json:"assessmentId,omitempty"`
	CreatedAt    time.Time        `json:"createdAt"`
	Phase        string           `json:"phase,omitempty"`
	Done         int              `json:"done"`
	Total        int              `json:"total"`
	Error        string           `json:"error,omitempty"`
}

func jobOf(j posture.Job) jobView {
	v := jobView{ID: j.ID, Kind: j.Kind, State: j.State, AssessmentID: j.AssessmentID, CreatedAt: j.CreatedAt, Phase: j.Progress.Phase,
		Done: j.Progress.Done, Total: j.Progress.Total}
	if j.Error != nil {
		v.Error = j.Error.Detail
	}
	return v
}

type backupView struct {
	ID           string    `json:"id"`
	AssessmentID string    `json:"assessmentId"`
	CreatedAt    time.Time `json:"createdAt"`
	State        string    `json:"state"`
	Entries      int       `json:"entries"`
	Applied      int       `json:"applied"`
	Verified     int       `json:"verified"`
}

func backupOf(b change.Backup) backupView {
	return backupView{b.ID, b.AssessmentID, b.CreatedAt, string(b.State), b.Entries, b.Applied, b.Verified}
}

func each[T, V any](all []T, view func(T) V) []V {
	out := make([]V, 0, len(all))
	for _, one := range all {
		out = append(out, view(one))
	}
	return out
}
