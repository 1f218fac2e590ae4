package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// AlertRow is an alert rule with the fields that only the workers see. Changes of issues are numbered;
// everything up to change Told, and up to day ToldOn (UTC), has been sent.
type AlertRow struct {
	posture.AlertRule
	Sealed   []byte // the address and signing secret; empty: those of the settings
	Told     int64
	ToldOn   string
	WakeAt   time.Time // when it is evaluated next
	Revision int64
}

// AlertMessage is what a job sends for a rule: the changes after Told up to Until. It is stored before
// it is sent, so that it stays the same however often the job restarts.
type AlertMessage struct {
	JobID  string
	Until  int64
	On     string // its day (UTC)
	Issues int
	Body   []byte // empty when there is nothing to send
}

// Alerts keeps the alert rules and their progress.
type Alerts interface {
	// AddAlertRule inserts a rule; earlier changes are not sent. ErrNameTaken.
	AddAlertRule(ctx context.Context, r AlertRow) error
	// ChangeAlertRule replaces the fields that people choose, and the next wake time, if the revision
	// is still that of r. A rule that is no longer paused sends what happens from now on. ErrNotFound,
	// ErrNameTaken, ErrChanged.
	ChangeAlertRule(ctx context.Context, r AlertRow) error
	// AlertRule returns a rule. ErrNotFound.
	AlertRule(ctx context.Context, id string) (AlertRow, error)
	// AlertRules lists all rules by name.
	AlertRules(ctx context.Context) ([]AlertRow, error)
	// DeleteAlertRule deletes a rule. ErrNotFound.
	DeleteAlertRule(ctx context.Context, id string) error
	// DueAlertRules lists the unpaused rules whose wake time has come. A run that changes issues wakes
	// all rules that send at once.
	DueAlertRules(ctx context.Context, now time.Time) ([]AlertRow, error)
	// WakeAlertRule sets the next wake time of a due rule and queues its job unless n is nil. Nothing
	// happens, and the job is nil, while another job with the same active key is unfinished, or when
	// the rule has changed since it was read.
	WakeAlertRule(ctx context.Context, r AlertRow, next time.Time, n *NewJob) (*JobRow, error)
	// AlertNow returns a rule, the message stored last, and the number of the latest change of issues.
	// ErrNotFound.
	AlertNow(ctx context.Context, ruleID string) (r AlertRow, last AlertMessage, changes int64, err error)
	// BeginAlert stores the message of a job. ErrChanged when issues have changed since m.Until, unless
	// any is set.
	BeginAlert(ctx context.Context, ruleID string, m AlertMessage, any bool) error
	// EndAlert records that the message of a job was delivered, or that there was none. ErrChanged when
	// another job has begun.
	EndAlert(ctx context.Context, ruleID, jobID string, now time.Time) error
	// FailAlert records why a message was not delivered.
	FailAlert(ctx context.Context, ruleID, problem string) error
	// MovedIssues returns the issues that, at change until, are open and were not at change after, or
	// the other way round, or are more severe; what opened and closed in between has not moved. One whose
	// open findings were all accepted when a run found another that is not counts as one that was not
	// open. They have no title. The open ones include issues that could not be read since, which LatestIssues
	// leaves out.
	MovedIssues(ctx context.Context, after, until int64, now time.Time) ([]issue.Moved, error)
	// ReturnedIssues returns the ids of the issues with open findings that an exception covered until it
	// expired, at or after from and before until, and that none covers at until.
	ReturnedIssues(ctx context.Context, from, until time.Time) ([]string, error)
}

// Inbox keeps what people have read about changes of issues.
type Inbox interface {
	// IssuesBy returns the ids of the issues on which actor has commented or decided anything, limited
	// to accounts if any are given.
	IssuesBy(ctx context.Context, actor string, accounts []string) ([]string, error)
	// LastEvents returns, for each of the issues, the newest event that is not by actor besides,
	// limited to accounts if any are given; issues without one are absent.
	LastEvents(ctx context.Context, issueIDs, accounts []string, besides string) (map[string]IssueEvent, error)
	// FoundAt returns, by issue id, when a run last found each open issue of the accounts that had not
	// been open before.
	FoundAt(ctx context.Context, accounts []string) (map[string]time.Time, error)
	// ReadMarks returns, by issue id, up to when actor has read about each issue; the id "" stands for
	// all issues.
	ReadMarks(ctx context.Context, actor string) (map[string]time.Time, error)
	// MarkRead records that actor has read about the issues, "" for all, up to an instant.
	MarkRead(ctx context.Context, actor string, issueIDs []string, until time.Time) error
}
