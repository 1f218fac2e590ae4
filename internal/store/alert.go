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
	Sealed   []byte // the address and what signs; empty: those of the settings
	Told     int64
	ToldOn   string
	WakeAt   time.Time // when it is looked at next
	Revision int64
}

// AlertMessage is what a job tells of a rule: what came behind Told, up to Until. It is kept before it is sent, so that it stays the same
// however often the job begins.
type AlertMessage struct {
	JobID  string
	Until  int64
	On     string // the day of it (UTC)
	Issues int
	Body   []byte // empty when there is nothing to tell
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
	// AlertNow gives a rule, the message that was kept last, and the number of the last change of issues. ErrNotFound.
	AlertNow(ctx context.Context, ruleID string) (r AlertRow, last AlertMessage, changes int64, err error)
	// BeginAlert keeps the message of a job. ErrChanged when issues have changed since m.Until, unless any is set.
	BeginAlert(ctx context.Context, ruleID string, m AlertMessage, any bool) error
	// EndAlert notes that the message of a job has arrived, or that there was none. ErrChanged when another job has begun.
	EndAlert(ctx context.Context, ruleID, jobID string, now time.Time) error
	// FailAlert notes why a message was not delivered.
	FailAlert(ctx context.Context, ruleID, problem string) error
	// MovedIssues gives the issues that at a change are open and were not at an earlier one, or the other way round, or are more severe: what
	// went and came back in between has not moved. They have no title. Among those that are open are such as could not be read since, of
	// which LatestIssues tells nothing.
	MovedIssues(ctx context.Context, after, until int64, now time.Time) ([]issue.Moved, error)
}

// Inbox keeps what people have read of what happens to issues.
type Inbox interface {
	// IssuesBy gives the ids of issues of accounts, all when none is named, about which somebody has said or decided anything.
	IssuesBy(ctx context.Context, actor string, accounts []string) ([]string, error)
	// LastEvents gives the newest event of each of the issues of accounts that is not by that actor; issues without are left out.
	LastEvents(ctx context.Context, issueIDs, accounts []string, besides string) (map[string]IssueEvent, error)
	// FoundAt gives when runs found the issues of accounts that are open, by id: when each was found and had not been there before.
	FoundAt(ctx context.Context, accounts []string) (map[string]time.Time, error)
	// ReadMarks gives up to when somebody has read about each issue; "" is all issues.
	ReadMarks(ctx context.Context, actor string) (map[string]time.Time, error)
	// MarkRead notes that somebody has read about issues, "" for all, up to an instant.
	MarkRead(ctx context.Context, actor string, issueIDs []string, until time.Time) error
}
