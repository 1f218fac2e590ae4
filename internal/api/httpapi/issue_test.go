package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/store"
)

// contested is a store of one issue, which somebody moves on as soon as one of the two has been read: its list or its decisions.
type contested struct {
	store.Store
	work store.IssueWork
}

func (c *contested) LatestIssues(context.Context, store.IssueScope, time.Time) ([]issue.Issue, error) {
	one := c.work.Issue
	one.State = c.work.State
	c.move()
	return []issue.Issue{one}, nil
}

func (c *contested) IssueWork(context.Context, string) (store.IssueWork, error) {
	w := c.work
	c.move()
	return w, nil
}

func (c *contested) move() { c.work.State, c.work.Revision = issue.InProgress, 2 }

// TestIssueReadWhileItChanges: what a change is based on is no older than the revision it is bound to, or it would undo what somebody else
// decided in between.
func TestIssueReadWhileItChanges(t *testing.T) {
	id := issue.ID("account", "CFL-SSL-001")
	s := &Server{o: Options{Process: Process{Now: time.Now}, Store: &contested{work: store.IssueWork{Issue: issue.Issue{ID: id}, Revision: 1,
		Decision: issue.Decision{State: issue.Open}}}}}
	one, w, err := s.issueNow(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, issue.InProgress, one.State)
	require.EqualValues(t, 1, w.Revision, "so the change is refused and tried again")
}
