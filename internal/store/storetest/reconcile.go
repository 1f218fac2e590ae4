package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func reconcileCases() []testCase {
	return []testCase{
		{"overdue rings queued jobs once, oldest first, up to the limit", overdueRings},
		{"overdue rings again when the last ring is too old", overdueRingsAgain},
		{"overdue hands back what lost its lease and leaves the rest", overdueHandsBack},
		{"overdue rings a released job whose attempt was rung", overdueAfterRelease},
		{"overdue fails what lost its last lease", overdueLost},
		{"overdue cancels what was to be cancelled when its worker went", overdueCancels},
		{"orphans hands back every running job and counts the loss", orphansHandsBack},
		{"orphans ends a job that takes the process down each time", orphansEnds},
	}
}

func ids(rows []store.JobRow) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func overdue(t testing.TB, s store.Store, now, rungBefore time.Time, limit int) []store.JobRow {
	t.Helper()
	rows, err := s.Overdue(t.Context(), now, rungBefore, limit)
	require.NoError(t, err)
	return rows
}

func overdueRings(t *testing.T, s store.Store) {
	at := func(d time.Duration) string {
		return enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.CreatedAt = noon().Add(d) })).ID
	}
	third, first, second := at(3*time.Second), at(time.Second), at(2*time.Second)
	now := noon().Add(time.Minute)
	require.Empty(t, overdue(t, s, now, now, 0))
	rows := overdue(t, s, now, now, 2)
	require.Equal(t, []string{first, second}, ids(rows))
	require.Equal(t, kept(now), rows[0].RungAt)
	require.Equal(t, []string{third}, ids(overdue(t, s, now, now, 2)))
	require.Empty(t, overdue(t, s, now, now, 2))
	require.Equal(t, kept(now), job(t, s, third).RungAt)
}

func overdueRingsAgain(t *testing.T, s store.Store) {
	id := enqueue(t, s, newJob(t)).ID
	require.Equal(t, []string{id}, ids(overdue(t, s, noon(), noon(), 10)))
	require.Empty(t, overdue(t, s, noon().Add(time.Minute), noon(), 10))
	require.Equal(t, []string{id}, ids(overdue(t, s, noon().Add(time.Minute), noon().Add(time.Second), 10)))
}

func overdueHandsBack(t *testing.T, s store.Store) {
	lost, held := running(t, s), running(t, s)
	_, err := s.Renew(t.Context(), held.ID, held.Attempt, noon().Add(time.Minute), lease)
	require.NoError(t, err)
	require.Empty(t, overdue(t, s, lost.LeaseUntil, noon(), 10), "the lease ends after its last instant")
	rows := overdue(t, s, lost.LeaseUntil.Add(time.Microsecond), noon(), 10)
	require.Equal(t, []string{lost.ID}, ids(rows))
	require.Equal(t, posture.JobQueued, rows[0].State)
	require.Equal(t, 1, rows[0].Lost)
	require.Equal(t, 1, rows[0].Attempt)
	require.Empty(t, rows[0].Owner)
	require.Equal(t, posture.JobRunning, job(t, s, held.ID).State)
	fencedOut(t, s, lost)
	next := claim(t, s, lost.ID, noon().Add(time.Minute))
	require.Equal(t, 2, next.Attempt)
	require.Equal(t, 1, next.Lost)
}

func overdueAfterRelease(t *testing.T, s store.Store) {
	id := enqueue(t, s, newJob(t)).ID
	overdue(t, s, noon(), noon(), 10)
	row := claim(t, s, id, noon())
	require.NoError(t, s.Release(t.Context(), id, row.Attempt, noon()))
	require.Empty(t, overdue(t, s, noon().Add(time.Second), noon().Add(-time.Minute), 10), "who hands back rings himself")
	require.Equal(t, []string{id}, ids(overdue(t, s, noon().Add(11*time.Second), noon().Add(time.Second), 10)))
}

func overdueLost(t *testing.T, s store.Store) {
	row := running(t, s)
	now := noon()
	for i := 1; i < posture.MaxAttempts; i++ {
		now = now.Add(lease + time.Second)
		require.Len(t, overdue(t, s, now, noon(), 10), 1)
		claim(t, s, row.ID, now)
	}
	now = now.Add(lease + time.Second)
	require.Empty(t, overdue(t, s, now, now, 10))
	wantLost(t, job(t, s, row.ID), now)
}

func overdueCancels(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	now := noon().Add(time.Minute)
	require.Empty(t, overdue(t, s, now, now, 10))
	wantEnded(t, job(t, s, row.ID), posture.JobCancelled, now)
}

func orphansHandsBack(t *testing.T, s store.Store) {
	a, b, queued := running(t, s), running(t, s), enqueue(t, s, newJob(t))
	done := running(t, s)
	require.NoError(t, s.Finish(t.Context(), done.ID, done.Attempt, posture.JobSucceeded, nil, nil, noon()))
	n, err := s.Orphans(t.Context(), noon())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	for _, row := range []store.JobRow{a, b} {
		got := job(t, s, row.ID)
		require.Equal(t, posture.JobQueued, got.State)
		require.Equal(t, 1, got.Lost)
		require.True(t, got.LeaseUntil.IsZero())
		fencedOut(t, s, row)
	}
	require.Equal(t, queued, job(t, s, queued.ID))
	n, err = s.Orphans(t.Context(), noon())
	require.NoError(t, err)
	require.Zero(t, n)
}

func orphansEnds(t *testing.T, s store.Store) {
	row := running(t, s)
	for range posture.MaxAttempts - 1 {
		_, err := s.Orphans(t.Context(), noon())
		require.NoError(t, err)
		claim(t, s, row.ID, noon())
	}
	n, err := s.Orphans(t.Context(), noon())
	require.NoError(t, err)
	require.Zero(t, n)
	wantLost(t, job(t, s, row.ID), noon())
}
