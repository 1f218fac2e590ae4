package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/exception"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestBulkTakesSoManyFindings: one more than a call accepts is a problem that says what
// to do, and what cannot be accepted does not count.
func TestBulkTakesSoManyFindings(t *testing.T) {
	found := func(id string) *store.LatestFinding {
		return &store.LatestFinding{AccountID: "a", Finding: posture.Finding{CheckID: "C", Result: posture.Fail, Resource: posture.Resource{ID: id}}}
	}
	w := &bulkWork{checks: []string{"C"}, preview: newPreviewing(), accepted: map[string]int{}, targets: make([]exception.Target, bulkFindings-1)}
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
