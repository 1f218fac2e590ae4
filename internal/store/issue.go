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
	// RunIssues gives those of an assessment, with the exceptions of the run. ErrNotFound.
	RunIssues(ctx context.Context, assessmentID string, of IssueScope) ([]issue.Issue, error)
	// LatestIssues gives those of the open findings of all accounts, with the exceptions that are active at now.
	LatestIssues(ctx context.Context, of IssueScope, now time.Time) ([]issue.Issue, error)
}
