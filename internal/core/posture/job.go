package posture

import (
	"encoding/json"
	"time"
)

// JobKind is what a job does.
type JobKind string

// The job kinds of the contract.
const (
	JobAssess   JobKind = "assess"
	JobShip     JobKind = "ship"
	JobNotify   JobKind = "notify"
	JobAlert    JobKind = "alert"
	JobTicket   JobKind = "ticket"
	JobPlan     JobKind = "plan"
	JobApply    JobKind = "apply"
	JobRollback JobKind = "rollback"
)

// Remains is what a cancelled job of the kind leaves behind.
func (k JobKind) Remains() string {
	switch k {
	case JobAssess:
		return "what it had read is kept, and a retry within an hour goes on from there"
	case JobApply, JobRollback:
		return "the changes it had made stay in force, and GET /api/remediate/backups tells which"
	default:
		return "what it had sent or stored before stays"
	}
}

// JobState is the state of a job. The only transitions are queued → running → succeeded | failed |
// cancelled, queued → cancelled | failed, and running → queued when a lease ends before the work
// does.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobSucceeded JobState = "succeeded"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Terminal reports whether a job in this state will never run again.
func (s JobState) Terminal() bool {
	return s == JobSucceeded || s == JobFailed || s == JobCancelled
}

// CanBecome reports whether the state machine allows the transition from s to next.
func (s JobState) CanBecome(next JobState) bool {
	switch s {
	case JobQueued:
		return next == JobRunning || next == JobCancelled || next == JobFailed
	case JobRunning:
		return next == JobQueued || next.Terminal()
	default:
		return false
	}
}

// MaxLost is how many leases a job may lose; the worker that claims it after that only ends it.
const MaxLost = 5

// Progress is what a running job has done. Total is 0 while it is unknown; WaitingSeconds is how
// long the job currently waits for its request budget.
type Progress struct {
	Phase          string `json:"phase"`
	Done           int    `json:"done"`
	Total          int    `json:"total"`
	Unit           string `json:"unit"`
	Detail         string `json:"detail,omitempty"`
	Requests       int    `json:"requests"`
	WaitingSeconds int    `json:"waitingSeconds"`
	ETASeconds     *int   `json:"etaSeconds,omitempty"`
}

// Job is the public form of a job row.
type Job struct {
	ID           string          `json:"id"`
	Kind         JobKind         `json:"kind"`
	State        JobState        `json:"state"`
	Account      string          `json:"account"`
	AssessmentID string          `json:"assessmentId,omitempty"`
	ScheduleID   string          `json:"scheduleId,omitempty"`
	CreatedAt    time.Time       `json:"createdAt"`
	StartedAt    *time.Time      `json:"startedAt,omitempty"`
	FinishedAt   *time.Time      `json:"finishedAt,omitempty"`
	Attempt      int             `json:"attempt"`
	Progress     Progress        `json:"progress"`
	Result       json.RawMessage `json:"result,omitempty"`
	Error        *Problem        `json:"error,omitempty"`
}

// Abandoned is the problem of a cancelled job whose worker died, so that nobody stored one.
func (j Job) Abandoned() *Problem {
	return Problemf(CodeCancelled, "Job %s was cancelled; %s.", j.ID, j.Kind.Remains())
}
