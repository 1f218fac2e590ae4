package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/store"
)

const (
	historyRuns = 20
	week        = 7 * 24 * time.Hour
)

// past is the part of the store that the history of a run is read from.
type past interface {
	store.Assessments
	store.Trends
}

// History returns how an account developed up to an assessment: the points of its runs, the drift since
// the run before, and since the run of the whole account nearest to a week earlier.
func History(ctx context.Context, s past, a posture.Assessment) (h export.History, err error) {
	if h.Points, err = points(ctx, s, a, true); err != nil || len(h.Points) == 0 {
		return h, err
	}
	wholes, err := points(ctx, s, a, false)
	if err != nil {
		return h, err
	}
	last, err := before(ctx, s, a)
	if err != nil {
		return h, err
	}
	if h.Before, err = since(ctx, s, last, a); err != nil {
		return h, err
	}
	old := weekOlder(wholes, a)
	h.Same = h.Before != nil && old == last
	if !h.Same {
		h.Week, err = since(ctx, s, old, a)
	}
	return h, err
}

// points returns the newest runs of an account up to a run, oldest first.
func points(ctx context.Context, s past, a posture.Assessment, partial bool) ([]trend.Point, error) {
	line, err := s.Line(ctx, store.TrendFilter{Account: a.Account.ID, Until: a.CompletedAt.Add(time.Millisecond), Partial: partial})
	if errors.Is(err, store.ErrNotFound) || err == nil && line.Demo != a.Demo {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the runs of the account: %w", err)
	}
	most := len(line.Ticks)
	if partial {
		most = min(historyRuns, most)
	}
	nos := make([]int64, 0, most)
	for _, t := range line.Ticks[len(line.Ticks)-most:] {
		if partial || t.At.After(a.CompletedAt.Add(-2*week)) || len(nos) == 0 {
			nos = append(nos, t.No)
		} else {
			nos[0] = t.No // the newest one that is older than two weeks
		}
	}
	out, err := s.Points(ctx, nos)
	if err != nil {
		return nil, fmt.Errorf("read the points of the runs: %w", err)
	}
	return out, nil
}

// before returns the id of the newest earlier run that was asked to look at all that a run looked at, ""
// when there is none: a run that was narrowed to less cannot tell what is new.
func before(ctx context.Context, s store.Assessments, a posture.Assessment) (string, error) {
	id, _, err := earlier(ctx, s, a)
	return id, err
}

// earlier returns what before does, and the newest of each scope of the narrower runs since.
func earlier(ctx context.Context, s store.Assessments, a posture.Assessment) (id string, narrower []string, err error) {
	f, scopes := store.AssessmentFilter{Account: a.Account.ID, Until: a.CompletedAt}, map[string]bool{}
	for page := (store.Page{Limit: historyRuns}); ; {
		rows, next, err := s.Assessments(ctx, f, page)
		if err != nil {
			return "", nil, fmt.Errorf("look for the run before: %w", err)
		}
		for _, r := range rows {
			switch key := r.Scope.Key(); {
			case r.Demo != a.Demo:
			case r.Scope.Covers(a.Scope):
				return r.ID, narrower, nil
			case !scopes[key]:
				scopes[key], narrower = true, append(narrower, r.ID)
			}
		}
		if page.Cursor = next; next == "" {
			return "", narrower, nil
		}
	}
}

// weekOlder picks the run nearest to a week earlier, which must be more than half a week old.
func weekOlder(wholes []trend.Point, a posture.Assessment) (old string) {
	distance, wanted := time.Duration(-1), a.CompletedAt.Add(-week)
	for _, p := range wholes {
		if p.AssessmentID == a.ID {
			continue
		}
		if d := p.At.Sub(wanted).Abs(); distance < 0 || d <= distance {
			distance, old = d, ""
			if a.CompletedAt.Sub(p.At) > week/2 {
				old = p.AssessmentID
			}
		}
	}
	return old
}

// since returns the drift since a run; nil when there is none, or it was forgotten.
func since(ctx context.Context, s store.Assessments, id string, a posture.Assessment) (*drift.Drift, error) {
	if id == "" {
		return nil, nil
	}
	before, err := s.Assessment(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load an earlier run: %w", err)
	}
	d, err := Compare(ctx, s, before, a)
	if err != nil {
		return nil, err
	}
	return &d, nil
}
