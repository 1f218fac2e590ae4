package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// IssueScope selects the findings that issues are made from; the values of one field combine with OR,
// the fields with AND, and empty fields do not narrow.
type IssueScope struct {
	Accounts []string // provider account ids; ignored for the issues of one assessment
	Zones    []string // zone id or name
}

// Issues sums up findings that FAIL or WARN into issues, and caches the sums while they are valid.
// Issues are in rank order, and shared: callers must not change them.
type Issues interface {
	// RunIssues returns the issues of an assessment, with the exceptions of the run and the decisions
	// made by now. ErrNotFound.
	RunIssues(ctx context.Context, assessmentID string, of IssueScope, now time.Time) ([]issue.Issue, error)
	// LatestIssues returns the issues of the open findings of all accounts, with the exceptions that
	// are active at now and the decisions made by then. Unless zones are selected, the resolved issues
	// that have decisions follow.
	LatestIssues(ctx context.Context, of IssueScope, now time.Time) ([]issue.Issue, error)
}

// IssueWork is what people decided about an issue, and what the issue was at that time.
type IssueWork struct {
	issue.Decision
	Issue     issue.Issue // ID, AccountID, CheckID, Title, Severity, Category, FirstSeen; the rest comes from findings
	UpdatedAt time.Time
	Revision  int64 // grows by one with each change; 0 when nothing was decided yet
}

// IssueEventKind is the kind of an event of an issue.
type IssueEventKind string

// The kinds. Each except a comment has the old and the new value; a ticket has its key.
const (
	IssueState     IssueEventKind = "state"
	IssueOwner     IssueEventKind = "owner"
	IssueAssignee  IssueEventKind = "assignee"
	IssueDue       IssueEventKind = "due"
	IssueCommented IssueEventKind = "comment"
	IssueTicket    IssueEventKind = "ticket"
)

// ByRun is the actor of events caused by a run.
const ByRun = "run"

// IssueEvent is something that happened to an issue.
type IssueEvent struct {
	ID           string         `json:"id"`
	At           time.Time      `json:"at"`
	Actor        string         `json:"actor" doc:"Who did it, as the audit log names callers; run when a run did."`
	Kind         IssueEventKind `json:"kind" enum:"state,owner,assignee,due,comment,ticket"`
	From         string         `json:"from,omitempty" doc:"What was; absent when nothing was chosen."`
	To           string         `json:"to,omitempty" doc:"What became; absent when nothing is chosen any more."`
	Text         string         `json:"text,omitempty" doc:"The comment, as plain text."`
	AssessmentID string         `json:"assessmentId,omitempty" doc:"The run that resolved the issue or found it again."`
}

// IssueDecisions keeps what people decided about issues. Save adds events for issues that a run
// resolves or finds again.
type IssueDecisions interface {
	// IssueWork returns what was decided about an issue. ErrNotFound.
	IssueWork(ctx context.Context, issueID string) (IssueWork, error)
	// ChangeIssue stores a decision and its events if the revision is still that of w, and returns it
	// with the next revision. ErrChanged.
	ChangeIssue(ctx context.Context, w IssueWork, happened []IssueEvent) (IssueWork, error)
	// Comment adds an event to an issue, and stores w if nothing is stored about the issue yet. Calls with one
	// idempotency key add one event, and each gets it; the zero value is no key. ErrIdempotencyConflict.
	Comment(ctx context.Context, w IssueWork, e IssueEvent, once Idempotency) (IssueEvent, error)
	// IssueEvents returns the last events of an issue, up to most of them, newest first.
	IssueEvents(ctx context.Context, issueID string, most int) ([]IssueEvent, error)
	// Ownership returns the ownership rules and their revision, which is 0 for the defaults.
	Ownership(ctx context.Context) (issue.Ownership, int64, error)
	// SetOwnership replaces the rules if they still have that revision. ErrChanged.
	SetOwnership(ctx context.Context, o issue.Ownership, revision int64) error
}

// Gone returns the issue for the time in which no finding belongs to it.
func (w IssueWork) Gone(rank int) issue.Issue {
	i := w.Issue
	i.State, i.Owner, i.Assignee, i.Due, i.Rank, i.Effort = w.State, w.Owner, w.Assignee, w.Due, rank, issue.Work
	if i.Owner != "" {
		i.OwnerBy = issue.ByPerson
	}
	if i.Due != "" {
		i.DueBy = issue.ByPerson
	}
	if i.Reason = "A run found nothing of it any more."; i.State != issue.Resolved {
		i.Reason = "What failed could not be read any more, so nobody knows whether it still does."
	}
	return i
}
