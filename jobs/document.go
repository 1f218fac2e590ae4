package jobs

import (
	"context"
	"fmt"
	"iter"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Document collects what exporters and shippers read of a saved assessment. Its findings are read page
// by page; compliance is not filled in.
func Document(ctx context.Context, s store.Assessments, a posture.Assessment, version string) (d export.Document, err error) {
	d = export.Document{Assessment: a.AssessmentSummary, Checks: a.Checks, Version: version,
		Findings: func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
			return store.Each(ctx, s, a.ID, store.FindingFilter{Results: results})
		}, Closed: closed(ctx, s, a, nil)}
	if d.Graph, err = s.Graph(ctx, a.ID); err != nil {
		return d, fmt.Errorf("load the graph: %w", err)
	}
	if d.Paths, err = s.Paths(ctx, a.ID); err != nil {
		return d, fmt.Errorf("load the attack paths: %w", err)
	}
	return d, nil
}

// closedAtOnce is how many closed findings are read at a time.
const closedAtOnce = 500

// closed yields what a run closed without a verdict of its own: what is gone, and of what it says that it
// no longer applies what changed (nil: all of that). A run that judged a finding later takes it over.
func closed(ctx context.Context, s store.Assessments, a posture.Assessment, changed func(id string) bool,
) iter.Seq2[posture.Finding, error] {
	f := store.LatestFilter{Accounts: []string{a.Account.ID}, Statuses: []posture.FindingStatus{posture.StatusResolved}, Opened: true,
		JudgedAt: a.StartedAt, Now: a.CompletedAt}
	return func(yield func(posture.Finding, error) bool) {
		for page := (store.Page{Limit: closedAtOnce}); ; {
			rows, next, err := s.LatestFindings(ctx, f, page)
			if err != nil {
				yield(posture.Finding{}, fmt.Errorf("read what the run closed: %w", err))
				return
			}
			for _, r := range rows {
				here := r.AssessmentID == a.ID
				if here && (r.Result != posture.NotApplicable || changed != nil && !changed(r.ID)) {
					continue
				}
				if !yield(ended(r, a, here), nil) {
					return
				}
			}
			if page.Cursor = next; next == "" {
				return
			}
		}
	}
}

// ended returns a closed finding as of the run that closed it: passed, with nothing of what held before
// but its message. here tells that the run itself says why it no longer applies.
func ended(r store.LatestFinding, a posture.Assessment, here bool) posture.Finding {
	f := r.Finding
	switch {
	case here:
		f.Message = "No longer applies. " + f.Message
	case r.Resolution == posture.ResolutionDeleted:
		f.Message = "The resource is gone. Before: " + f.Message
	default:
		f.Message = "No longer found. Before: " + f.Message
	}
	f.Result, f.LastSeen, f.Risk, f.Evidence, f.AttackPathIDs = posture.Pass, a.CompletedAt, 0, []posture.Evidence{}, []string{}
	f.Exception, f.ExceptionNote, f.Reason, f.Permission, f.Fix = nil, "", "", "", ""
	return f.Worded()
}

// Compare returns the drift between two saved assessments of one account.
func Compare(ctx context.Context, s store.Assessments, baseline, current posture.Assessment) (drift.Drift, error) {
	before, err := side(ctx, s, baseline)
	if err != nil {
		return drift.Drift{}, err
	}
	after, err := side(ctx, s, current)
	if err != nil {
		return drift.Drift{}, err
	}
	log, err := s.Modifications(ctx, current.ID)
	if err != nil {
		return drift.Drift{}, fmt.Errorf("load the changes of the account: %w", err)
	}
	d, err := drift.Compare(before, after, log)
	if err != nil {
		return d, fmt.Errorf("compare the assessments: %w", err)
	}
	return d, nil
}

// Against returns the drift between a saved assessment and a replay of it.
func Against(ctx context.Context, s store.Assessments, saved posture.Assessment, made report.Report) (drift.Drift, error) {
	before, err := side(ctx, s, saved)
	if err != nil {
		return drift.Drift{}, err
	}
	findings := func(yield func(posture.Finding, error) bool) {
		for _, f := range made.Assessment.Findings {
			if !yield(f, nil) {
				return
			}
		}
	}
	return drift.Compare(before, drift.Side{Assessment: made.Assessment.AssessmentSummary, Checks: made.Assessment.Checks, Findings: findings,
		Paths: export.Listed(made.Paths)}, nil)
}

func side(ctx context.Context, s store.Assessments, a posture.Assessment) (drift.Side, error) {
	paths, err := s.Paths(ctx, a.ID)
	if err != nil {
		return drift.Side{}, fmt.Errorf("load the attack paths: %w", err)
	}
	return drift.Side{Assessment: a.AssessmentSummary, Checks: a.Checks, Findings: store.Each(ctx, s, a.ID, store.FindingFilter{}),
		Paths: paths}, nil
}

// sincePrevious returns the drift since the run before, nil when there is none.
func sincePrevious(ctx context.Context, s store.Assessments, a posture.Assessment) (*drift.Drift, error) {
	id, err := before(ctx, s, a)
	if err != nil {
		return nil, err
	}
	return since(ctx, s, id, a)
}

// pathsOf returns all attack paths of an assessment.
func pathsOf(ctx context.Context, s store.Assessments, id string) ([]posture.AttackPath, error) {
	seq, err := s.Paths(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load the attack paths: %w", err)
	}
	all, err := store.Collect(seq)
	if err != nil {
		return nil, fmt.Errorf("load the attack paths: %w", err)
	}
	return all, nil
}
