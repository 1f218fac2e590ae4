package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// pageOfFindings is how many findings Each holds at once.
const pageOfFindings = 1000

// Each yields the findings of an assessment in report order, with one page in memory at a time. An
// error ends it.
func Each(ctx context.Context, s Assessments, assessmentID string, f FindingFilter) iter.Seq2[posture.Finding, error] {
	return pages(func(p Page) ([]posture.Finding, string, error) { return s.Findings(ctx, assessmentID, f, p) })
}

// EachOfRun is Each with a RunFilter.
func EachOfRun(ctx context.Context, s RunFindings, assessmentID string, f RunFilter) iter.Seq2[posture.Finding, error] {
	return pages(func(p Page) ([]posture.Finding, string, error) { return s.RunFindings(ctx, assessmentID, f, p) })
}

// EachLatest yields the newest state of findings in list order, with one page in memory at a time. An
// error ends it.
func EachLatest(ctx context.Context, s Assessments, f LatestFilter) iter.Seq2[LatestFinding, error] {
	return pages(func(p Page) ([]LatestFinding, string, error) { return s.LatestFindings(ctx, f, p) })
}

// Collect returns all values of a sequence, never nil, or its first error.
func Collect[T any](all iter.Seq2[T, error]) ([]T, error) {
	out := []T{}
	for v, err := range all {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func pages[T any](load func(Page) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		page := Page{Limit: pageOfFindings}
		for {
			rows, next, err := load(page)
			if err != nil {
				var none T
				yield(none, fmt.Errorf("load a page of findings: %w", err))
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
