package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func claimCases() []testCase {
	return []testCase{
		{"claim starts an attempt", claimStarts},
		{"claim of a held, finished or unknown job is refused", claimRefused},
		{"claim waits for the end of the lease, to the microsecond", claimLeaseEnd},
		{"claim counts lost leases and keeps the first start", claimCountsLost},
		{"claim of a job handed back with a cancel cancels it", claimCancelled},
		{"renew extends the lease and tells of a cancel", renewExtends},
		{"renew works after the end of the lease while nobody claimed", renewLate},
		{"progress is replaced", progressReplaced},
		{"release does not count a lost lease and can be claimed at once", releaseHandsBack},
	}
}

func claimStarts(t *testing.T, s store.Store) {
	n := newJob(t)
	n.SealedToken = []byte("sealed")
	want := enqueue(t, s, n)
	got, err := s.Claim(t.Context(), n.ID, "worker-1", noon().Add(time.Second), lease)
	require.NoError(t, err)
	want.State, want.Attempt, want.Owner = posture.JobRunning, 1, "worker-1"
	want.StartedAt, want.LeaseUntil = keptPtr(noon().Add(time.Second)), kept(noon().Add(time.Second+lease))
	require.Equal(t, want, got)
	require.Equal(t, want, job(t, s, n.ID))
}

func claimRefused(t *testing.T, s store.Store) {
	held := running(t, s)
	refused := []string{held.ID, newID(t), "", "\x00"}
	for _, state := range []posture.JobState{posture.JobSucceeded, posture.JobFailed, posture.JobCancelled} {
		row := running(t, s)
		require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, state, nil, nil, noon()))
		refused = append(refused, row.ID)
	}
	for _, id := range refused {
		_, err := s.Claim(t.Context(), id, "w", noon(), lease)
		require.ErrorIs(t, err, store.ErrNotClaimable)
	}
	require.Equal(t, held, job(t, s, held.ID))
}

func claimLeaseEnd(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.Claim(t.Context(), row.ID, "w", row.LeaseUntil, lease)
	require.ErrorIs(t, err, store.ErrNotClaimable)
	next := claim(t, s, row.ID, row.LeaseUntil.Add(time.Microsecond))
	require.Equal(t, 2, next.Attempt)
}

func claimCountsLost(t *testing.T, s store.Store) {
	row := running(t, s)
	now := noon()
	for i := 1; i <= posture.MaxLost; i++ {
		now = now.Add(lease + time.Second)
		next := claim(t, s, row.ID, now)
		require.Equal(t, i, next.Lost)
		require.Equal(t, i+1, next.Attempt)
		require.Equal(t, row.StartedAt, next.StartedAt)
		require.Equal(t, []byte("sealed"), next.SealedToken)
	}
}

func claimCancelled(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	require.Equal(t, posture.JobQueued, job(t, s, row.ID).State)
	_, err = s.Claim(t.Context(), row.ID, "w", noon(), lease)
	require.ErrorIs(t, err, store.ErrNotClaimable)
	got := job(t, s, row.ID)
	require.Equal(t, posture.JobCancelled, got.State)
	require.Equal(t, 1, got.Attempt)
	require.Equal(t, keptPtr(noon()), got.FinishedAt)
	require.Nil(t, got.SealedToken)
	require.Nil(t, got.Error)
	// An expired lease with a pending cancel ends the same way.
	row = running(t, s)
	_, err = s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	_, err = s.Claim(t.Context(), row.ID, "w", noon().Add(2*lease), lease)
	require.ErrorIs(t, err, store.ErrNotClaimable)
	require.Equal(t, posture.JobCancelled, job(t, s, row.ID).State)
}

func renewExtends(t *testing.T, s store.Store) {
	row := running(t, s)
	cancel, err := s.Renew(t.Context(), row.ID, row.Attempt, noon().Add(3*time.Second), lease)
	require.NoError(t, err)
	require.False(t, cancel)
	require.Equal(t, kept(noon().Add(3*time.Second+lease)), job(t, s, row.ID).LeaseUntil)
	_, err = s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	cancel, err = s.Renew(t.Context(), row.ID, row.Attempt, noon().Add(6*time.Second), lease)
	require.NoError(t, err)
	require.True(t, cancel)
}

func renewLate(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.Renew(t.Context(), row.ID, row.Attempt, noon().Add(time.Hour), lease)
	require.NoError(t, err)
	_, err = s.Claim(t.Context(), row.ID, "w", noon().Add(time.Hour), lease)
	require.ErrorIs(t, err, store.ErrNotClaimable)
}

func progressReplaced(t *testing.T, s store.Store) {
	row := running(t, s)
	eta := 9
	for _, p := range []posture.Progress{{Phase: "collect", Done: 1, Total: 40, Unit: "reads", Detail: "zöne '1'", Requests: 7,
		ETASeconds: &eta},
		{Phase: "evaluate", WaitingSeconds: 3}, {}} {
		require.NoError(t, s.SetProgress(t.Context(), row.ID, row.Attempt, p))
		require.Equal(t, p, job(t, s, row.ID).Progress)
	}
}

func releaseHandsBack(t *testing.T, s store.Store) {
	row := running(t, s)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon().Add(time.Second)))
	got := job(t, s, row.ID)
	require.Equal(t, posture.JobQueued, got.State)
	require.Zero(t, got.Lost)
	require.Empty(t, got.Owner)
	require.True(t, got.LeaseUntil.IsZero())
	require.Equal(t, []byte("sealed"), got.SealedToken)
	next := claim(t, s, row.ID, noon().Add(time.Second))
	require.Equal(t, 2, next.Attempt)
	require.Zero(t, next.Lost)
}
