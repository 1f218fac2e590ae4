package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/edgeposture/edgeposture/internal/posture"
)

// pageOfFindings is how many findings Each holds at once.
const pageOfFindings = 1000

// Each gives the findings of an assessment in report order, one page in memory
// at a time. An error ends it.
func Each(ctx context.Context, s Assessments, assessmentID string, f FindingFilter) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		page := Page{Limit: pageOfFindings}
		for {
			rows, next, err := s.Findings(ctx, assessmentID, f, page)
			if err != nil {
				yield(posture.Finding{}, fmt.Errorf("load a page of findings: %w", err))
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			page.Cursor = next
		}
	}
}

// EachLatest gives the newest state of findings in the order of their list, one page in
// memory at a time. An error ends it.
func EachLatest(ctx context.Context, s Assessments, f LatestFilter) iter.Seq2[LatestFinding, error] {
	return func(yield func(LatestFinding, error) bool) {
		page := Page{Limit: pageOfFindings}
		for {
			rows, next, err := s.LatestFindings(ctx, f, page)
			if err != nil {
				yield(LatestFinding{}, fmt.Errorf("load a page of findings: %w", err))
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			page.Cursor = next
		}
	}
}
