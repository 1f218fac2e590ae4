package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func raceJobCases() []testCase {
	return []testCase{
		{"100 claims of a queued job: one wins", raceClaim},
		{"100 claims of a job whose lease ended: one wins", raceClaimExpired},
		{"claim against cancel: one of the two", raceClaimCancel},
		{"claim against renew at the end of a lease: one of the two", raceClaimRenew},
		{"claim against save at the end of a lease: one of the two", raceClaimSave},
		{"64 workers recover each lost job once", raceRecover},
		{"100 jobs rung 50 times on 4 workers are done once each", raceDoorbells},
		{"an active key never has two unfinished jobs", raceActiveKey},
		{"64 mixed calls keep every promise", raceMixed},
	}
}

func raceClaims(t *testing.T, s store.Store, id string, now time.Time, attempt int) {
	t.Helper()
	rows, errs := together(100, func(i int) (store.JobRow, error) {
		return s.Claim(t.Context(), id, fmt.Sprint(i), now, lease)
	})
	require.Equal(t, 1, tally(t, errs, store.ErrNotClaimable))
	winner := slices.IndexFunc(errs, func(err error) bool { return err == nil })
	require.Equal(t, fmt.Sprint(winner), rows[winner].Owner)
	require.Equal(t, attempt, rows[winner].Attempt)
	require.Equal(t, rows[winner], job(t, s, id))
}

func raceClaim(t *testing.T, s store.Store) {
	raceClaims(t, s, enqueue(t, s, newJob(t)).ID, noon(), 1)
}

func raceClaimExpired(t *testing.T, s store.Store) {
	raceClaims(t, s, running(t, s).ID, noon().Add(time.Hour), 2)
}

// rounds is the number of repetitions of a race between two callers.
const rounds = 30

func raceClaimCancel(t *testing.T, s store.Store) {
	for range rounds {
		id := enqueue(t, s, newJob(t)).ID
		_, errs := together(2, func(i int) (struct{}, error) {
			if i == 0 {
				_, err := s.Claim(t.Context(), id, "w", noon(), lease)
				return struct{}{}, err
			}
			_, err := s.RequestCancel(t.Context(), id, noon())
			return struct{}{}, err
		})
		require.NoError(t, errs[1])
		got := job(t, s, id)
		require.True(t, got.CancelRequested, "the request is never lost")
		if errs[0] == nil {
			require.Equal(t, posture.JobRunning, got.State)
		} else {
			require.ErrorIs(t, errs[0], store.ErrNotClaimable)
			require.Equal(t, posture.JobCancelled, got.State)
		}
	}
}

func raceClaimRenew(t *testing.T, s store.Store) {
	for range rounds {
		row := running(t, s)
		now := row.LeaseUntil.Add(time.Second)
		_, errs := together(2, func(i int) (struct{}, error) {
			if i == 0 {
				_, err := s.Claim(t.Context(), row.ID, "second", now, lease)
				return struct{}{}, err
			}
			_, err := s.Renew(t.Context(), row.ID, row.Attempt, now, lease)
			return struct{}{}, err
		})
		if errs[0] == nil { // a concurrent claim may not have been visible to the renewal
			_, errs[1] = s.Renew(t.Context(), row.ID, row.Attempt, now, lease)
		}
		require.NotEqual(t, errs[0] == nil, errs[1] == nil, "exactly one holds the job: %v", errs)
		want := map[bool]string{true: "second", false: "worker"}[errs[0] == nil]
		require.Equal(t, want, job(t, s, row.ID).Owner)
	}
}

func raceClaimSave(t *testing.T, s store.Store) {
	for range rounds {
		row := running(t, s)
		in := saveOf(row, assessment(t, row.ID, 50))
		_, errs := together(2, func(i int) (struct{}, error) {
			if i == 0 {
				_, err := s.Claim(t.Context(), row.ID, "second", row.LeaseUntil.Add(time.Second), lease)
				return struct{}{}, err
			}
			return struct{}{}, s.Save(t.Context(), in)
		})
		_, err := s.Assessment(t.Context(), in.Assessment.ID)
		if errs[1] == nil {
			require.ErrorIs(t, errs[0], store.ErrNotClaimable)
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, errs[1], store.ErrFenced)
			require.NoError(t, errs[0])
			require.ErrorIs(t, err, store.ErrNotFound)
		}
	}
}

func raceRecover(t *testing.T, s store.Store) {
	var lost []string
	for range 20 {
		lost = append(lost, running(t, s).ID)
	}
	now := noon().Add(time.Hour)
	_, errs := together(callers, func(int) (struct{}, error) { return struct{}{}, s.Recover(t.Context(), now) })
	require.Equal(t, callers, tally(t, errs, nil))
	recovered(t, s, now) // the ones other callers had locked
	for _, id := range lost {
		got := job(t, s, id)
		require.Equal(t, posture.JobQueued, got.State)
		require.Equal(t, 1, got.Lost, "a lost lease is counted once")
	}
}

// raceDoorbells rings every job repeatedly; each job can be claimed only once, so there is one report
// per job.
func raceDoorbells(t *testing.T, s store.Store) {
	const jobs, rings, workers = 100, 50, 4
	var order []string
	for range jobs {
		id := enqueue(t, s, newJob(t)).ID
		for range rings {
			order = append(order, id)
		}
	}
	// 7919 is coprime to the number of bells, so each rings once, and the bells of one job are far
	// apart and spread over several workers.
	var done atomic.Int32
	_, errs := together(workers, func(w int) (struct{}, error) {
		for i := w; i < len(order); i += workers {
			id := order[i*7919%len(order)]
			row, err := s.Claim(t.Context(), id, fmt.Sprint(w), noon(), lease)
			if errors.Is(err, store.ErrNotClaimable) {
				continue
			}
			if err != nil {
				return struct{}{}, err
			}
			if err := s.Save(t.Context(), saveOf(row, assessment(t, row.ID, 3))); err != nil {
				return struct{}{}, err
			}
			done.Add(1)
		}
		return struct{}{}, nil
	})
	require.Equal(t, workers, tally(t, errs, nil))
	require.EqualValues(t, jobs, done.Load())
	require.Equal(t, jobs, countReports(t, s))
	counts := jobStates(t, s)
	require.Equal(t, map[posture.JobState]int{posture.JobSucceeded: jobs}, counts)
}

// raceActiveKey enqueues, claims and finishes concurrently under one key and checks that at most one
// caller holds it.
func raceActiveKey(t *testing.T, s store.Store) {
	var inside, made atomic.Int32
	_, errs := together(16, func(int) (struct{}, error) {
		for range 10 {
			got, err := s.Enqueue(t.Context(), keyed(t, "key", "a"))
			if err != nil {
				return struct{}{}, err
			}
			if got.Joined {
				continue
			}
			made.Add(1)
			if inside.Add(1) != 1 {
				return struct{}{}, errors.New("two unfinished jobs have one active key")
			}
			row, err := s.Claim(t.Context(), got.Job.ID, "w", noon(), lease)
			if err != nil {
				return struct{}{}, err
			}
			inside.Add(-1)
			if err := s.Finish(t.Context(), row.ID, row.Attempt, posture.JobSucceeded, nil, nil, noon()); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	require.Equal(t, 16, tally(t, errs, nil))
	counts := jobStates(t, s)
	require.Equal(t, map[posture.JobState]int{posture.JobSucceeded: int(made.Load())}, counts)
}

// raceMixed runs all operations concurrently; each caller takes one job through its life cycle, and the
// totals must match.
func raceMixed(t *testing.T, s store.Store) {
	_, errs := together(callers, func(i int) (struct{}, error) {
		ctx, n := t.Context(), newJob(t)
		_, err := s.Enqueue(ctx, n)
		if err != nil {
			return struct{}{}, err
		}
		row, err := s.Claim(ctx, n.ID, fmt.Sprint(i), noon(), lease)
		if err != nil {
			return struct{}{}, err
		}
		_, renewErr := s.Renew(ctx, row.ID, row.Attempt, noon(), lease)
		_, _, listErr := s.Jobs(ctx, store.JobFilter{}, store.Page{Limit: 5})
		recoverErr := s.Recover(ctx, noon())
		_, latestErr := s.LatestAssessment(ctx, "")
		if errors.Is(latestErr, store.ErrNotFound) {
			latestErr = nil
		}
		return struct{}{}, errors.Join(renewErr, listErr, recoverErr, latestErr, s.Ping(ctx),
			s.PutSections(ctx, row.ID, row.Attempt, sectionsOf(5)),
			s.SetProgress(ctx, row.ID, row.Attempt, posture.Progress{Done: i}),
			s.Save(ctx, saveOf(row, assessment(t, row.ID, 20))))
	})
	require.Equal(t, callers, tally(t, errs, nil))
	require.Equal(t, callers, countReports(t, s))
	require.Equal(t, 20, countStates(t, s), "the same findings, whoever saw them")
}
