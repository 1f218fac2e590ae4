package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// WorstFirst puts the finding that gives an issue its title before the others of a list, which lists order by
// severity alone, so that all texts of an issue speak of one resource. It replaces the last one where it is not listed.
func WorstFirst(ctx context.Context, from interface {
	LatestFinding(ctx context.Context, findingID string, now time.Time) (LatestFinding, error)
}, i issue.Issue, listed []LatestFinding, now time.Time) ([]LatestFinding, error) {
	if i.WorstID == "" || len(listed) == 0 {
		return listed, nil
	}
	at := slices.IndexFunc(listed, func(f LatestFinding) bool { return f.ID == i.WorstID })
	var worst LatestFinding
	if at >= 0 {
		worst = listed[at]
	} else {
		var err error
		if worst, err = from.LatestFinding(ctx, i.WorstID, now); errors.Is(err, ErrNotFound) {
			return listed, nil // it is gone since the issue was summed up
		} else if err != nil {
			return nil, fmt.Errorf("read the worst finding of the issue: %w", err)
		}
		at = len(listed) - 1
	}
	return slices.Insert(slices.Delete(listed, at, at+1), 0, worst), nil
}
