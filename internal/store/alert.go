package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// AlertRow is an alert rule with what only the workers see. The changes of issues are numbered; Told is up to which of them, and ToldOn up
// to which day (UTC), everything was told.
type AlertRow struct {
	posture.AlertRule
	Address, Secret []byte // sealed; empty: those of the settings
	Told            int64
	ToldOn          string
	WakeAt          time.Time // when it is looked at next
	Revision        int64
}

// Alerting is what a job tells: what came behind Told of the rule, up to Until. It stays the same however often the job begins.
type Alerting struct {
	Rule  AlertRow
	Until int64
}

// Alerts keeps the rules of alerts and how far they were carried out.
type Alerts interface {
	// AddAlertRule inserts a rule; what was there before is not told. ErrNameTaken.
	AddAlertRule(ctx context.Context, r AlertRow) error
	// ChangeAlertRule replaces what people choose, when the revision is still that of r, and when it is looked at next. One that is no
	// longer paused tells what comes from now on. ErrNotFound, ErrNameTaken, ErrChanged.
	ChangeAlertRule(ctx context.Context, r AlertRow) error
	// AlertRule gives one. ErrNotFound.
	AlertRule(ctx context.Context, id string) (AlertRow, error)
	// AlertRules lists all, by name.
	AlertRules(ctx context.Context) ([]AlertRow, error)
	// DeleteAlertRule forgets one. ErrNotFound.
	DeleteAlertRule(ctx context.Context, id string) error
	// DueAlertRules lists those that are not paused and are to be looked at by now. A run that changes issues wakes all that tell at once.
	DueAlertRules(ctx context.Context, now time.Time) ([]AlertRow, error)
	// WakeAlertRule has a due rule looked at next at that instant, and queues its job unless it is nil. While another job with its active
	// key is unfinished nothing happens, nor when the rule is not as it was read; the job is nil then.
	WakeAlertRule(ctx context.Context, r AlertRow, next time.Time, n *NewJob) (*JobRow, error)
	// BeginAlert gives what a job tells. ErrNotFound.
	BeginAlert(ctx context.Context, ruleID, jobID string) (Alerting, error)
	// EndAlert notes that a job told all it had to by now; sent is false when there was nothing to say. ErrChanged when another job
	// has begun.
	EndAlert(ctx context.Context, a Alerting, jobID string, now time.Time, sent bool) error
	// FailAlert notes why a message was not delivered.
	FailAlert(ctx context.Context, ruleID, problem string) error
	// ResolvedIssues gives the issues that were open at the change of that number and that a run resolved since, up to another.
	ResolvedIssues(ctx context.Context, after, until int64, now time.Time) ([]issue.Issue, error)
}

// Inbox keeps what people have read of what happens to issues.
type Inbox interface {
	// IssuesBy gives the ids of issues of accounts, all when none is named, about which somebody has said or decided anything.
	IssuesBy(ctx context.Context, actor string, accounts []string) ([]string, error)
	// LastEvents gives the newest event of each of the issues of accounts that is not by that actor; issues without are left out.
	LastEvents(ctx context.Context, issueIDs, accounts []string, besides string) (map[string]IssueEvent, error)
	// ReadMarks gives up to when somebody has read about each issue; "" is all issues.
	ReadMarks(ctx context.Context, actor string) (map[string]time.Time, error)
	// MarkRead notes that somebody has read about issues, "" for all, up to an instant.
	MarkRead(ctx context.Context, actor string, issueIDs []string, until time.Time) error
}
