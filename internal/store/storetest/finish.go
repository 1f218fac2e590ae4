package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func finishCases() []testCase {
	return []testCase{
		{"finish succeeded keeps the result", finishSucceeded},
		{"finish failed keeps the problem", finishFailed},
		{"finish cancelled", finishCancelled},
		{"finish as a state that is no end is refused", finishNotTerminal},
		{"finished job stays as it is", finishedStays},
		{"cancel of a queued job cancels at once", cancelQueued},
		{"cancel of a running job flags it", cancelRunning},
		{"cancel of a finished job changes nothing", cancelFinished},
		{"cancel of an unknown job is not found", cancelUnknown},
		{"jobs are read by their ids", jobsByID},
		{"every move is one the state machine allows", everyMove},
	}
}

func wantEnded(t *testing.T, got store.JobRow, state posture.JobState, at time.Time) {
	t.Helper()
	require.Equal(t, state, got.State)
	require.Equal(t, keptPtr(at), got.FinishedAt)
	require.Nil(t, got.SealedToken, "a terminal state erases the credential")
	require.Empty(t, got.Owner)
	require.True(t, got.LeaseUntil.IsZero())
}

func finishSucceeded(t *testing.T, s store.Store) {
	row := running(t, s)
	result := json.RawMessage(`{"b": 1.0,  "a":"\u00e4"}`)
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobSucceeded, result, nil, noon().Add(time.Second)))
	got := job(t, s, row.ID)
	wantEnded(t, got, posture.JobSucceeded, noon().Add(time.Second))
	require.Equal(t, string(result), string(got.Result))
	require.Nil(t, got.Error)
}

func finishFailed(t *testing.T, s store.Store) {
	row := running(t, s)
	problem := posture.Invalid("body.zones[0]", "The zone 'x' is unknown.", "x")
	problem.RetryAfterSeconds, problem.BundleID = 7, "b"
	then := newJob(t)
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobFailed, nil, problem, noon().Add(time.Second), then))
	got := job(t, s, row.ID)
	wantEnded(t, got, posture.JobFailed, noon().Add(time.Second))
	require.Equal(t, problem, got.Error)
	require.Nil(t, got.Result)
	require.Equal(t, posture.JobQueued, job(t, s, then.ID).State, "what follows is queued with it")
	late := newJob(t)
	require.ErrorIs(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobFailed, nil, problem, noon(), late), store.ErrFenced)
	_, err := s.Job(t.Context(), late.ID)
	require.ErrorIs(t, err, store.ErrNotFound, "and nothing follows an attempt that lost its lease")
}

func finishCancelled(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobCancelled, nil, nil, noon()))
	wantEnded(t, job(t, s, row.ID), posture.JobCancelled, noon())
}

func finishNotTerminal(t *testing.T, s store.Store) {
	row := running(t, s)
	for _, state := range []posture.JobState{posture.JobQueued, posture.JobRunning, "", "done"} {
		require.Error(t, s.Finish(t.Context(), row.ID, row.Attempt, state, nil, nil, noon()))
	}
	require.Equal(t, row, job(t, s, row.ID))
}

func finishedStays(t *testing.T, s store.Store) {
	row := running(t, s)
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobSucceeded, nil, nil, noon()))
	want := job(t, s, row.ID)
	fencedOut(t, s, row)
	recovered(t, s, noon().Add(time.Hour))
	_, err := s.Orphans(t.Context(), noon().Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, want, job(t, s, row.ID))
}

func cancelQueued(t *testing.T, s store.Store) {
	n := newJob(t)
	n.SealedToken = []byte("sealed")
	enqueue(t, s, n)
	got, err := s.RequestCancel(t.Context(), n.ID, noon().Add(time.Second))
	require.NoError(t, err)
	wantEnded(t, got, posture.JobCancelled, noon().Add(time.Second))
	require.Equal(t, got, job(t, s, n.ID))
}

func cancelRunning(t *testing.T, s store.Store) {
	want := running(t, s)
	for range 2 {
		got, err := s.RequestCancel(t.Context(), want.ID, noon())
		require.NoError(t, err)
		want.CancelRequested = true
		require.Equal(t, want, got)
	}
}

func cancelFinished(t *testing.T, s store.Store) {
	for _, state := range []posture.JobState{posture.JobSucceeded, posture.JobFailed, posture.JobCancelled} {
		row := running(t, s)
		require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, state, nil, nil, noon()))
		want := job(t, s, row.ID)
		got, err := s.RequestCancel(t.Context(), row.ID, noon().Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func cancelUnknown(t *testing.T, s store.Store) {
	_, err := s.RequestCancel(t.Context(), newID(t), noon())
	require.ErrorIs(t, err, store.ErrNotFound)
}

// everyMove brings a job into each state, applies every operation to it and checks the resulting
// transition against the state machine.
func everyMove(t *testing.T, s store.Store) {
	ctx, late := t.Context(), noon().Add(time.Hour)
	moves := map[string]func(id string){
		"claim":      func(id string) { _, _ = s.Claim(ctx, id, "w", noon(), lease) },
		"claim late": func(id string) { _, _ = s.Claim(ctx, id, "w", late, lease) },
		"cancel":     func(id string) { _, _ = s.RequestCancel(ctx, id, noon()) },
		"release":    func(id string) { _ = s.Release(ctx, id, 1, noon()) },
		"retry":      func(id string) { _ = s.Retry(ctx, id, 1, noon()) },
		"progress":   func(id string) { _ = s.SetProgress(ctx, id, 1, posture.Progress{}) },
		"recover":    func(string) { _ = s.Recover(ctx, late) },
		"orphans":    func(string) { _, _ = s.Orphans(ctx, late) },
		"save": func(id string) {
			_ = s.Save(ctx, saveOf(store.JobRow{Job: posture.Job{ID: id, Attempt: 1}}, assessment(t, id, 1)))
		},
		"to running":  func(id string) { _ = s.Finish(ctx, id, 1, posture.JobRunning, nil, nil, noon()) },
		"to queued":   func(id string) { _ = s.Finish(ctx, id, 1, posture.JobQueued, nil, nil, noon()) },
		"to failed":   func(id string) { _ = s.Finish(ctx, id, 1, posture.JobFailed, nil, nil, noon()) },
		"to success":  func(id string) { _ = s.Finish(ctx, id, 1, posture.JobSucceeded, nil, nil, noon()) },
		"to canceled": func(id string) { _ = s.Finish(ctx, id, 1, posture.JobCancelled, nil, nil, noon()) },
	}
	for _, from := range []posture.JobState{posture.JobQueued, posture.JobRunning, posture.JobSucceeded, posture.JobFailed,
		posture.JobCancelled} {
		for name, move := range moves {
			id := enqueue(t, s, newJob(t)).ID
			if from != posture.JobQueued {
				claim(t, s, id, noon())
			}
			if from.Terminal() {
				require.NoError(t, s.Finish(ctx, id, 1, from, nil, nil, noon()))
			}
			move(id)
			got := job(t, s, id).State
			require.True(t, got == from || from.CanBecome(got), "%s made a %s job %s", name, from, got)
		}
	}
}

func jobsByID(t *testing.T, s store.Store) {
	queued, held := enqueue(t, s, newJob(t)), running(t, s)
	got, err := s.JobsByID(t.Context(), []string{held.ID, newID(t), "\x00", queued.ID, held.ID})
	require.NoError(t, err)
	require.ElementsMatch(t, []store.JobRow{queued, held}, got)
	got, err = s.JobsByID(t.Context(), []string{""})
	require.NoError(t, err)
	require.Empty(t, got)
}
