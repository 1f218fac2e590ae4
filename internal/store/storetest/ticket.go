package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func ticketCases() []testCase {
	return []testCase{
		{"of an issue there is one ticket of a kind, whoever adds it", ticketsOnce},
		{"a ticket is changed by who has the turn", ticketTurns},
		{"issues tell how many tickets there are, and a run resolves what has one", ticketsCounted},
	}
}

func aTicket(account, check, kind string) (store.IssueWork, store.TicketRow) {
	one := anIssue(account, check)
	return store.IssueWork{Issue: one, Decision: issue.Decision{State: issue.Open}}, store.TicketRow{IssueID: one.ID, AccountID: account,
		CheckID: check, Place: "owner/name", Actor: "local",
		Ticket: issue.Ticket{Kind: kind, State: issue.TicketUnknown, CreatedAt: kept(noon())}}
}

func ticketsOf(t testing.TB, s store.Store, issues, accounts []string) []store.TicketRow {
	t.Helper()
	all, err := s.Tickets(t.Context(), issues, accounts)
	require.NoError(t, err)
	return all
}

func ticketsOnce(t *testing.T, s store.Store) {
	w, row := aTicket("acc", "A", "github")
	require.Empty(t, ticketsOf(t, s, []string{row.IssueID}, nil))
	got, errs := together(8, func(i int) (store.TicketRow, error) {
		mine := row
		mine.Actor = string(rune('a' + i))
		return s.AddTicket(t.Context(), w, mine)
	})
	require.Equal(t, 8, tally(t, errs, nil))
	for _, g := range got {
		require.Equal(t, got[0], g)
	}
	require.EqualValues(t, 1, workOf(t, s, row.IssueID).Revision)
	row.Actor = got[0].Actor
	other, jira := aTicket("other", "A", "jira")
	jira.Key = "SEC-1"
	kept, err := s.AddTicket(t.Context(), other, jira)
	require.NoError(t, err)
	require.Equal(t, jira, kept)
	require.Equal(t, "SEC-1", eventsOf(t, s, jira.IssueID)[0].To)
	require.Equal(t, []store.TicketRow{row}, ticketsOf(t, s, nil, []string{"acc"}))
	require.Equal(t, []store.TicketRow{jira}, ticketsOf(t, s, []string{jira.IssueID}, nil))
	require.Len(t, ticketsOf(t, s, nil, nil), 2)
	require.Empty(t, ticketsOf(t, s, []string{jira.IssueID}, []string{"acc"}))
}

func ticketTurns(t *testing.T, s store.Store) {
	w, row := aTicket("acc", "A", "github")
	at := kept(noon())
	take := func(at time.Time) (store.TicketRow, error) {
		return s.TakeTicket(t.Context(), row.IssueID, "github", at, at.Add(time.Minute))
	}
	_, err := take(at)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.AddTicket(t.Context(), w, row)
	require.NoError(t, err)
	got, errs := together(8, func(int) (store.TicketRow, error) { return take(at) })
	require.Equal(t, 1, tally(t, errs, store.ErrNotClaimable))
	for i := range got {
		if errs[i] == nil {
			row = got[i]
		}
	}
	require.EqualValues(t, 1, row.Turn)
	synced := at.Add(time.Second)
	row.Key, row.URL, row.State, row.Problem, row.LastSyncedAt = "owner/name#7", "https://x.example/7", issue.TicketOpen, "Ж", &synced
	row.SentAt, row.NoteAt, row.Told, row.Notes, row.Acted, row.Closed, row.Gone = at, synced, issue.Open, 3, 2, true, true
	require.NoError(t, s.KeepTicket(t.Context(), row, synced, false))
	require.NoError(t, s.KeepTicket(t.Context(), row, synced, false))
	require.Equal(t, []store.TicketRow{row}, ticketsOf(t, s, nil, nil))
	require.Equal(t, []store.IssueEvent{{At: synced, Actor: "local", Kind: store.IssueTicket, To: row.Key}}, eventsOf(t, s, row.IssueID))
	_, err = take(at.Add(59 * time.Second))
	require.ErrorIs(t, err, store.ErrNotClaimable)
	next, err := take(at.Add(time.Minute))
	require.NoError(t, err)
	require.ErrorIs(t, s.KeepTicket(t.Context(), row, synced, true), store.ErrFenced)
	require.NoError(t, s.KeepTicket(t.Context(), next, synced, true))
	_, err = take(at)
	require.NoError(t, err, "it was given back")
	_, missing := aTicket("acc", "B", "github")
	require.ErrorIs(t, s.KeepTicket(t.Context(), missing, at, true), store.ErrNotFound)
}

func ticketsCounted(t *testing.T, s store.Store) {
	at := kept(noon())
	runOf(t, s, "acc", at, posture.Fail)
	count := func() (n int, state issue.State) {
		all, err := s.LatestIssues(t.Context(), store.IssueScope{Accounts: []string{"acc"}}, at)
		require.NoError(t, err)
		require.Len(t, all, 1)
		return all[0].Tickets, all[0].State
	}
	n, _ := count()
	require.Zero(t, n)
	w, row := aTicket("acc", "A", "github")
	_, err := s.AddTicket(t.Context(), w, row)
	require.NoError(t, err)
	row, err = s.TakeTicket(t.Context(), row.IssueID, "github", at, at.Add(time.Minute))
	require.NoError(t, err)
	n, _ = count()
	require.Zero(t, n, "it is not made yet")
	row.Key = "owner/name#1"
	require.NoError(t, s.KeepTicket(t.Context(), row, at, true))
	n, state := count()
	require.Equal(t, 1, n)
	require.Equal(t, issue.Open, state)
	runOf(t, s, "acc", at.Add(time.Hour), posture.Pass)
	n, state = count()
	require.Equal(t, 1, n)
	require.Equal(t, issue.Resolved, state)
}
