package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func reconcileCases() []testCase {
	return []testCase{
		{"due lists queued jobs of a queue, oldest first, up to the limit", dueLists},
		{"due leaves out what is released for later", dueLater},
		{"recover hands back what lost its lease and leaves the rest", recoverHandsBack},
		{"what lost its last lease is handed to the worker that ends it", handsBackTheLast},
		{"recover cancels what was to be cancelled when its worker went", recoverCancels},
		{"retry counts tries, release does not", retryCounts},
		{"orphans hands back every running job and counts the loss", orphansHandsBack},
	}
}

func due(t testing.TB, s store.Store, now time.Time) []string {
	t.Helper()
	ids, err := s.Due(t.Context(), "interactive", now, 100)
	require.NoError(t, err)
	return ids
}

func recovered(t testing.TB, s store.Store, now time.Time) {
	t.Helper()
	require.NoError(t, s.Recover(t.Context(), now))
}

func dueLists(t *testing.T, s store.Store) {
	at := func(d time.Duration, queue string) string {
		return enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.CreatedAt, n.Queue = noon().Add(d), queue })).ID
	}
	third, first, second := at(3*time.Second, "interactive"), at(time.Second, "interactive"), at(2*time.Second, "interactive")
	other := at(0, "scheduled")
	running(t, s)
	now := noon().Add(time.Minute)
	require.Equal(t, []string{first, second, third}, due(t, s, now))
	ids, err := s.Due(t.Context(), "interactive", now, 2)
	require.NoError(t, err)
	require.Equal(t, []string{first, second}, ids)
	ids, err = s.Due(t.Context(), "scheduled", now, 2)
	require.NoError(t, err)
	require.Equal(t, []string{other}, ids)
	waiting, err := s.Waiting(t.Context(), noon().Add(2*time.Second))
	require.NoError(t, err)
	require.Equal(t, map[string]store.Waiting{"interactive": {Jobs: 2, Since: kept(noon().Add(time.Second))},
		"scheduled": {Jobs: 1, Since: kept(noon())}}, waiting)
}

func dueLater(t *testing.T, s store.Store) {
	row := running(t, s)
	at := noon().Add(time.Minute)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, at))
	require.Equal(t, kept(at), job(t, s, row.ID).DueAt)
	early := at.Add(-time.Microsecond)
	require.Empty(t, due(t, s, early))
	_, err := s.Claim(t.Context(), row.ID, "w", early, lease)
	require.ErrorIs(t, err, store.ErrNotClaimable)
	fresh := enqueue(t, s, with(newJob(t), func(n *store.NewJob) { n.CreatedAt = at.Add(-time.Second) })).ID
	require.Equal(t, []string{fresh, row.ID}, due(t, s, at), "by when they became due")
	require.Equal(t, 2, claim(t, s, row.ID, at).Attempt)
}

func recoverHandsBack(t *testing.T, s store.Store) {
	lost, held := running(t, s), running(t, s)
	_, err := s.Renew(t.Context(), held.ID, held.Attempt, noon().Add(time.Minute), lease)
	require.NoError(t, err)
	recovered(t, s, lost.LeaseUntil)
	require.Equal(t, posture.JobRunning, job(t, s, lost.ID).State, "the lease ends after its last instant")
	after := lost.LeaseUntil.Add(time.Microsecond)
	recovered(t, s, after)
	require.Equal(t, []string{lost.ID}, due(t, s, after))
	got := job(t, s, lost.ID)
	require.Equal(t, posture.JobQueued, got.State)
	require.Equal(t, 1, got.Lost)
	require.Equal(t, 1, got.Attempt)
	require.Empty(t, got.Owner)
	require.Equal(t, posture.JobRunning, job(t, s, held.ID).State)
	fencedOut(t, s, lost)
	next := claim(t, s, lost.ID, noon().Add(time.Minute))
	require.Equal(t, 2, next.Attempt)
	require.Equal(t, 1, next.Lost)
}

func handsBackTheLast(t *testing.T, s store.Store) {
	lapsed, now := running(t, s).ID, noon()
	for i := range posture.MaxLost {
		now = now.Add(lease + time.Second)
		recovered(t, s, now)
		require.Equal(t, i+1, claim(t, s, lapsed, now).Lost)
	}
	orphaned := running(t, s).ID
	for i := range posture.MaxLost {
		_, err := s.Orphans(t.Context(), now)
		require.NoError(t, err)
		require.Equal(t, i+1, claim(t, s, orphaned, now).Lost)
	}
}

func recoverCancels(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	now := noon().Add(time.Minute)
	recovered(t, s, now)
	wantEnded(t, job(t, s, row.ID), posture.JobCancelled, now)
}

func retryCounts(t *testing.T, s store.Store) {
	row := running(t, s)
	require.NoError(t, s.Retry(t.Context(), row.ID, row.Attempt, noon()))
	row = claim(t, s, row.ID, noon())
	require.Equal(t, 1, row.Tries)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	require.Equal(t, 1, claim(t, s, row.ID, noon()).Tries)
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
