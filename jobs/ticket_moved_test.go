package jobs_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// asked is what a person gets who asks for the ticket of the first issue, or links one with a key.
func (w *tracked) asked(kind, key, url string) posture.JobState {
	w.t.Helper()
	id := uuid.NewString()
	raw, err := json.Marshal(jobs.TicketArguments{IssueID: issue.ID(account, check(0)), AccountID: account, Kind: kind, Key: key, URL: url})
	require.NoError(w.t, err)
	_, err = w.store.Enqueue(w.t.Context(), store.NewJob{ID: id, Kind: posture.JobTicket, Queue: "delivery", Arguments: raw,
		CreatedAt: w.now()})
	require.NoError(w.t, err)
	w.attempt(id)
	job, err := w.store.Job(w.t.Context(), id)
	require.NoError(w.t, err)
	return job.State
}

func (w *tracked) row() store.TicketRow {
	w.t.Helper()
	rows, err := w.store.Tickets(w.t.Context(), nil, nil)
	require.NoError(w.t, err)
	require.Len(w.t, rows, 1)
	return rows[0]
}

// after saves a run with one result and does what follows it.
func (w *tracked) after(result posture.Result) store.TicketRow {
	w.t.Helper()
	w.run([]posture.Result{result})
	w.settled()
	return w.row()
}

// trackedJira gives the simulation besides, to move and change.
func trackedJira(t *testing.T) (*tracked, *tickettest.Jira) {
	t.Helper()
	w := newTracked(t, "jira", 1)
	j := tickettest.NewJira(t, "SEC", "ann@example.com", "canary-token")
	w.tickets = j.Tickets
	w.jiraAt(j.Start(t))
	return w, j
}

func (w *tracked) jiraAt(url string) {
	w.t.Helper()
	w.set(map[string]string{"jiraUrl": url, "jiraEmail": "ann@example.com", "jiraToken": "canary-token"})
}

// TestTicketsOfARenamedTracker go on at its new address or repository: found by their label, or linked again without one.
func TestTicketsOfARenamedTracker(t *testing.T) {
	t.Run("github", func(t *testing.T) {
		w := newTracked(t, "github", 1)
		g := tickettest.NewGitHub(t, "owner/name", "canary-token")
		w.tickets = g.Tickets
		w.set(map[string]string{"githubUrl": g.Start(t), "githubToken": "canary-token"})
		require.Equal(t, "owner/name#1", w.after(posture.Fail).Key)
		g.Former, g.Repository = "owner/name", "owner/new"
		require.Contains(t, w.after(posture.Fail).Problem, "redirect")
		w.set(map[string]string{"githubRepository": "owner/new"})
		row := w.after(posture.Pass)
		require.Empty(t, row.Problem)
		require.Equal(t, "owner/new#1", row.Key)
		require.True(t, w.tickets()[0].Closed)
		require.Len(t, w.tickets(), 1)
	})
	for name, label := range map[string]bool{"jira": true, "jira, linked again": false} {
		t.Run(name, func(t *testing.T) {
			w, j := trackedJira(t)
			w.after(posture.Fail)
			w.after(posture.Pass)
			url := j.Start(t)
			w.jiraAt(url)
			if !label {
				j.Change(1, func(is *tickettest.Ticket) { is.Labels = nil })
				require.Contains(t, w.after(posture.Pass).Problem, "link another ticket")
				require.Equal(t, posture.JobSucceeded, w.asked("jira", "SEC-1", url+"/browse/SEC-1"))
			}
			require.Empty(t, w.after(posture.Pass).Problem)
			require.Len(t, w.tickets()[0].Comments, 1, "what was told is not told again")
			row := w.after(posture.Fail)
			require.Equal(t, url+"/browse/SEC-1", row.URL)
			require.False(t, w.tickets()[0].Closed)
			require.Len(t, w.tickets()[0].Comments, 2)
			require.Len(t, w.tickets(), 1)
		})
	}
}

// TestTicketsOutOfSight are no reason for a second one: while a token has ended, or after the ticket came back.
func TestTicketsOutOfSight(t *testing.T) {
	for name, c := range map[string]struct {
		away, back func(*tickettest.Jira)
		says       string
		asked      posture.JobState // while it is away; "" does not ask
	}{
		"the token has ended": {func(j *tickettest.Jira) { j.Token = "another" }, func(j *tickettest.Jira) { j.Token = "canary-token" },
			"the token has ended", posture.JobFailed},
		"gone, and there again": {func(j *tickettest.Jira) { j.Change(1, func(is *tickettest.Ticket) { is.Deleted = true }) },
			func(j *tickettest.Jira) { j.Change(1, func(is *tickettest.Ticket) { is.Deleted = false }) }, "404", ""},
		"gone, and busy when asked": {func(j *tickettest.Jira) { j.Change(1, func(is *tickettest.Ticket) { is.Deleted = true }) },
			func(j *tickettest.Jira) {
				first := true
				j.Change(1, func(is *tickettest.Ticket) { is.Deleted = false })
				j.Fault = func() (f tickettest.Fault) {
					if first {
						f = tickettest.Before
					}
					first = false
					return f
				}
			}, "404", ""},
		"gone, and none can be made": {func(j *tickettest.Jira) {
			j.Change(1, func(is *tickettest.Ticket) { is.Deleted = true })
			j.Project = "OPS"
		}, func(j *tickettest.Jira) {
			j.Change(1, func(is *tickettest.Ticket) { is.Deleted = false })
			j.Project = "SEC"
		}, "404", posture.JobFailed},
	} {
		t.Run(name, func(t *testing.T) {
			w, j := trackedJira(t)
			w.after(posture.Fail)
			j.Change(1, func(is *tickettest.Ticket) { is.Labels = nil })
			c.away(j)
			require.Contains(t, w.after(posture.Fail).Problem, c.says)
			if c.asked != "" {
				require.Equal(t, c.asked, w.asked("jira", "", ""))
			}
			c.back(j)
			w.asked("jira", "", "")
			w.settled()
			row := w.row()
			require.Equal(t, "SEC-1", row.Key)
			require.Empty(t, row.Problem)
			require.Len(t, w.tickets(), 1)
		})
	}
}
