package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// IssueScope says of which findings issues are made; the values of one field combine with OR, the fields with AND, and empty ones
// do not narrow.
type IssueScope struct {
	Accounts []string // provider account ids; not asked of the issues of one assessment
	Zones    []string // zone id or name
}

// Issues sums findings up that FAIL or WARN, and keeps the sums while they are true. They are in the order of their rank, and
// shared: who gets them must not change them.
type Issues interface {
	// RunIssues gives those of an assessment, with the exceptions of the run and what is decided by now. ErrNotFound.
	RunIssues(ctx context.Context, assessmentID string, of IssueScope, now time.Time) ([]issue.Issue, error)
	// LatestIssues gives those of the open findings of all accounts, with the exceptions that are active at now and what is decided by
	// then, and behind them those that are resolved and of which something was decided, unless zones are asked for.
	LatestIssues(ctx context.Context, of IssueScope, now time.Time) ([]issue.Issue, error)
}

// IssueWork is what people decided about an issue, and what the issue was when they did.
type IssueWork struct {
	issue.Decision
	Issue     issue.Issue // ID, AccountID, CheckID, Title, Severity, Category and FirstSeen; the rest follows from findings
	UpdatedAt time.Time
	Revision  int64 // grows by one with each change; 0 when nobody has decided anything
}

// IssueEventKind is what happened to an issue.
type IssueEventKind string

// The kinds; each but a comment says what was and what became, and a ticket its key.
const (
	IssueState     IssueEventKind = "state"
	IssueOwner     IssueEventKind = "owner"
	IssueAssignee  IssueEventKind = "assignee"
	IssueDue       IssueEventKind = "due"
	IssueCommented IssueEventKind = "comment"
	IssueTicket    IssueEventKind = "ticket"
)

// ByRun is the actor of what a run did.
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

// IssueDecisions keeps what people decided about issues. Save notes what a run resolves, and what it finds again.
type IssueDecisions interface {
	// IssueWork gives what was decided about an issue. ErrNotFound.
	IssueWork(ctx context.Context, issueID string) (IssueWork, error)
	// ChangeIssue keeps a decision and what happened, when the revision is still that of w, and gives it with the next one. ErrChanged.
	ChangeIssue(ctx context.Context, w IssueWork, happened []IssueEvent) (IssueWork, error)
	// Comment adds an event to an issue; when nothing is kept of it yet, w is.
	Comment(ctx context.Context, w IssueWork, e IssueEvent) (IssueEvent, error)
	// IssueEvents gives the last so many events of an issue, newest first.
	IssueEvents(ctx context.Context, issueID string, most int) ([]IssueEvent, error)
	// Ownership gives the rules with their revision, which is 0 for those that hold when nobody chose.
	Ownership(ctx context.Context) (issue.Ownership, int64, error)
	// SetOwnership replaces the rules of a revision. ErrChanged.
	SetOwnership(ctx context.Context, o issue.Ownership, revision int64) error
}

// Gone is the issue while no finding tells of it.
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
