package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// IssueFindings lists up to most open findings of an issue, the one that gives it its title first.
func IssueFindings(ctx context.Context, from Store, i issue.Issue, accepted ExceptedFilter, most int, now time.Time) (
	[]LatestFinding, error) {
	rows, _, err := from.LatestFindings(ctx, LatestFilter{Accounts: []string{i.AccountID}, Now: now, Excepted: accepted,
		Statuses:      []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened},
		FindingFilter: FindingFilter{Checks: []string{i.CheckID}, Results: []posture.Result{posture.Fail, posture.Warning}}},
		Page{Limit: most})
	if err != nil {
		return nil, fmt.Errorf("list the findings of the issue: %w", err)
	}
	return worstFirst(ctx, from, i, rows, now)
}

// worstFirst puts the finding that gives an issue its title before the others of a list, which lists order by
// severity alone, so that all texts of an issue speak of one resource. It replaces the last one where it is not listed.
func worstFirst(ctx context.Context, from interface {
	LatestFinding(ctx context.Context, findingID string, now time.Time) (LatestFinding, error)
}, i issue.Issue, listed []LatestFinding, now time.Time) ([]LatestFinding, error) {
	if i.WorstID == "" || len(listed) == 0 {
		return listed, nil
	}
	at := slices.IndexFunc(listed, func(f LatestFinding) bool { return f.ID == i.WorstID })
	if at < 0 {
		worst, err := from.LatestFinding(ctx, i.WorstID, now)
		switch {
		case errors.Is(err, ErrNotFound):
			return listed, nil // it is gone since the issue was summed up
		case err != nil:
			return nil, fmt.Errorf("read the worst finding of the issue: %w", err)
		}
		at = len(listed) - 1
		listed[at] = worst
	}
	worst := listed[at]
	return slices.Insert(slices.Delete(listed, at, at+1), 0, worst), nil
}
