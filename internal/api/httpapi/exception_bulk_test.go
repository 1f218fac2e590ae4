package httpapi

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestBulkTakesSoManyFindings: one more than a call accepts is a problem that says what
// to do, and what cannot be accepted does not count.
func TestBulkTakesSoManyFindings(t *testing.T) {
	found := func(id string) *store.LatestFinding {
		return &store.LatestFinding{AccountID: "a", Finding: posture.Finding{CheckID: "C", Result: posture.Fail,
			Resource: posture.Resource{ID: id}}}
	}
	w := &bulkWork{checks: []string{"C"}, preview: newPreviewing(), accepted: map[string]int{}, targets: make([]exception.Subject,
		bulkFindings-1)}
	require.NoError(t, w.take(found("last")))
	e, accepted, gone := "e", found("x"), found("y")
	accepted.Exception, gone.CheckID = &e, "C-of-before"
	for _, f := range []*store.LatestFinding{accepted, gone, found(""), found(" x")} {
		require.NoError(t, w.take(f))
	}
	require.Equal(t, BulkSkipped{Accepted: 1, Unnamed: 3}, w.skippedBut(nil))
	require.Equal(t, BulkSkipped{Unnamed: 3}, w.skippedBut([]string{e}))
	p := posture.AsProblem(w.take(found("more")))
	require.Equal(t, 422, p.Code.Status())
	require.Contains(t, p.Detail, "narrow the filter")
	require.Len(t, w.targets, bulkFindings)
}

// listing lists n open findings, each as of says, and takes nothing.
type listing struct {
	store.Store
	n  int
	of func(i int) *store.LatestFinding
}

func (l *listing) LatestFindings(_ context.Context, _ store.LatestFilter,
	p store.Page) (rows []store.LatestFinding, next string, err error) {
	for ; l.n > 0 && len(rows) < p.Limit; l.n-- {
		rows = append(rows, *l.of(l.n))
	}
	if l.n > 0 {
		next = "more"
	}
	return rows, next, nil
}

// TestBulkHasLimits: more findings, or exceptions, than one call makes are a clear problem
// and nothing is kept.
func TestBulkHasLimits(t *testing.T) {
	open := func(account, resource string) *store.LatestFinding {
		return &store.LatestFinding{AccountID: account, Finding: posture.Finding{CheckID: "C", Result: posture.Fail, Severity: posture.High,
			Resource: posture.Resource{ID: resource}}}
	}
	for says, l := range map[string]*listing{
		"More than 50000 findings match":       {n: bulkFindings + 1, of: func(i int) *store.LatestFinding { return open("a", itoa(i)) }},
		"These findings take 5001 exceptions,": {n: bulkExceptions + 1, of: func(i int) *store.LatestFinding { return open(itoa(i), "r") }},
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		s := &Server{o: Options{Store: l, Provider: Provider{Checks: []check.Check{{ID: "C"}}},
			Process: Process{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}}}
		in := &postBulkInput{}
		in.Body.Filter, in.Body.Reason, in.Body.Owner = &BulkFilter{}, "known", "ops"
		_, err := postBulk(s, t.Context(), in) // keeping them would panic
		require.Error(t, err)
		p := posture.AsProblem(err)
		require.Equal(t, 422, p.Code.Status())
		require.Contains(t, p.Detail, says)
		require.Contains(t, p.Detail, "narrow the filter")
	}
}
