package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

func enqueueCases() []testCase {
	return []testCase{
		{"enqueue keeps every field", enqueueFields},
		{"enqueue keeps the trace of its context, which decides nothing", enqueueTrace},
		{"enqueue refuses an id that is used", enqueueSameID},
		{"enqueue joins an unfinished job of the same body", enqueueJoins},
		{"enqueue names the unfinished job of another body", enqueueActive},
		{"enqueue finds the key free when the job ended", enqueueKeyFree},
		{"enqueue without an active key has no limit", enqueueNoKey},
		{"idempotency key gives the earlier job, also when it ended", idempotencyJoins},
		{"what makes one job makes no second", onceOnly},
		{"idempotency key with another body conflicts", idempotencyConflict},
		{"idempotency key belongs to its route", idempotencyRoute},
		{"idempotency key lives 24 hours", idempotencyLife},
		{"idempotency key is bound to a joined job too", idempotencyOfJoined},
		{"resume copies what was read, not what was denied", resumeCopies},
		{"resume is left out when the job joins another", resumeJoined},
	}
}

func enqueueFields(t *testing.T, s store.Store) {
	n := newJob(t)
	n.Kind, n.Queue, n.ActiveKey, n.SealedToken, n.ScheduleID = posture.JobShip, "delivery", "key", []byte{0, 1}, "schedule"
	want := store.JobRow{Job: posture.Job{ID: n.ID, Kind: posture.JobShip, State: posture.JobQueued, Account: ourAccount,
		ScheduleID: "schedule", CreatedAt: kept(noon())}, Queue: "delivery", Arguments: n.Arguments, BodyHash: "hash", SealedToken: []byte{0, 1},
		DueAt: kept(noon())}
	require.Equal(t, want, enqueue(t, s, n))
	require.Equal(t, want, job(t, s, n.ID))
}

func enqueueTrace(t *testing.T, s store.Store) {
	type key struct{}
	s.Carry(func(ctx context.Context) string { trace, _ := ctx.Value(key{}).(string); return trace })
	in := func(trace string) context.Context { return context.WithValue(t.Context(), key{}, trace) }
	n := with(keyed(t, "key", "a"), func(n *store.NewJob) { n.Idempotency = &store.Idempotency{Key: "once", Route: "/r", BodyHash: "a"} })
	first, err := s.Enqueue(in("one"), n)
	require.NoError(t, err)
	require.Equal(t, "one", first.Job.Trace)
	require.Equal(t, n.BodyHash, first.Job.BodyHash)
	for range 2 { // joined by its body, then by its key
		n = with(keyed(t, "key", "a"), func(next *store.NewJob) { next.Idempotency = n.Idempotency })
		again, err := s.Enqueue(in("two"), n)
		require.NoError(t, err)
		require.True(t, again.Joined)
		require.Equal(t, first.Job.ID, again.Job.ID)
		require.Equal(t, "one", again.Job.Trace)
		n.Idempotency = nil
	}
	row := claim(t, s, first.Job.ID, noon())
	require.Equal(t, "one", row.Trace)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	require.Equal(t, "one", claim(t, s, row.ID, noon()).Trace, "the next attempt is in the same trace")
	own, err := s.Enqueue(in("two"), with(newJob(t), func(n *store.NewJob) { n.Trace = "mine" }))
	require.NoError(t, err)
	require.Equal(t, "mine", own.Job.Trace)
	require.Empty(t, enqueue(t, s, newJob(t)).Trace)
}

func enqueueSameID(t *testing.T, s store.Store) {
	n := newJob(t)
	enqueue(t, s, n)
	_, err := s.Enqueue(t.Context(), n)
	require.Error(t, err)
}

func keyed(t testing.TB, key, hash string) store.NewJob {
	t.Helper()
	return with(newJob(t), func(n *store.NewJob) { n.ActiveKey, n.BodyHash = key, hash })
}

func enqueueJoins(t *testing.T, s store.Store) {
	first := enqueue(t, s, keyed(t, "key", "a"))
	for range 2 { // queued, then running
		got, err := s.Enqueue(t.Context(), keyed(t, "key", "a"))
		require.NoError(t, err)
		require.True(t, got.Joined)
		require.Equal(t, job(t, s, first.ID), got.Job)
		if got.Job.State == posture.JobQueued {
			claim(t, s, first.ID, noon())
		}
	}
	enqueue(t, s, keyed(t, "other key", "a"))
}

func enqueueActive(t *testing.T, s store.Store) {
	first := enqueue(t, s, keyed(t, "key", "a"))
	_, err := s.Enqueue(t.Context(), keyed(t, "key", "b"))
	var active *store.ActiveJobError
	require.ErrorAs(t, err, &active)
	require.Equal(t, first.ID, active.JobID)
	counts := jobStates(t, s)
	require.Equal(t, map[posture.JobState]int{posture.JobQueued: 1}, counts)
}

func enqueueKeyFree(t *testing.T, s store.Store) {
	for _, state := range []posture.JobState{posture.JobSucceeded, posture.JobFailed, posture.JobCancelled} {
		row := claim(t, s, enqueue(t, s, keyed(t, "key", string(state))).ID, noon())
		require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, state, nil, nil, noon()))
	}
	row := enqueue(t, s, keyed(t, "key", "queued"))
	_, err := s.RequestCancel(t.Context(), row.ID, noon())
	require.NoError(t, err)
	enqueue(t, s, keyed(t, "key", "last"))
}

func enqueueNoKey(t *testing.T, s store.Store) {
	for range 3 {
		enqueue(t, s, keyed(t, "", "a"))
	}
}

func idempotent(t testing.TB, key, route, hash string, at time.Time) store.NewJob {
	t.Helper()
	return with(newJob(t), func(n *store.NewJob) {
		n.Idempotency, n.CreatedAt = &store.Idempotency{Key: key, Route: route, BodyHash: hash}, at
	})
}

func idempotencyJoins(t *testing.T, s store.Store) {
	first := enqueue(t, s, idempotent(t, "k", "r", "a", noon()))
	got, err := s.Enqueue(t.Context(), idempotent(t, "k", "r", "a", noon()))
	require.NoError(t, err)
	require.True(t, got.Joined)
	require.Equal(t, first, got.Job)
	row := claim(t, s, first.ID, noon())
	require.NoError(t, s.Finish(t.Context(), row.ID, row.Attempt, posture.JobFailed, nil, nil, noon()))
	got, err = s.Enqueue(t.Context(), idempotent(t, "k", "r", "a", noon().Add(time.Hour)))
	require.NoError(t, err)
	require.True(t, got.Joined)
	require.Equal(t, job(t, s, first.ID), got.Job)
}

// onceOnly checks that a Once key makes at most one job, and that a call that makes no job does not use
// it up.
func onceOnly(t *testing.T, s store.Store) {
	once := func(key string, at time.Time) store.NewJob {
		return with(newJob(t), func(n *store.NewJob) { n.CreatedAt, n.Once = at, &store.Once{Key: key, Until: at.Add(time.Hour)} })
	}
	enqueue(t, s, once("a", noon()))
	enqueue(t, s, once("b", noon()))
	again := once("a", noon().Add(time.Minute))
	_, err := s.Enqueue(t.Context(), again)
	require.ErrorIs(t, err, store.ErrUsed)
	_, err = s.Job(t.Context(), again.ID)
	require.ErrorIs(t, err, store.ErrNotFound)

	// A repeated call makes no job, so it does not use up the key.
	first := once("c", noon())
	first.Idempotency = &store.Idempotency{Key: "k", Route: "r", BodyHash: first.BodyHash}
	enqueue(t, s, first)
	repeated := once("c", noon())
	repeated.Idempotency = first.Idempotency
	got, err := s.Enqueue(t.Context(), repeated)
	require.NoError(t, err)
	require.True(t, got.Joined)

	// A key of a refused job can still be used.
	busy := enqueue(t, s, keyed(t, "key", "a"))
	refused := with(keyed(t, "key", "b"), func(n *store.NewJob) { n.Once = &store.Once{Key: "d", Until: noon().Add(time.Hour)} })
	_, err = s.Enqueue(t.Context(), refused)
	require.ErrorAs(t, err, new(*store.ActiveJobError), busy.ID)
	enqueue(t, s, once("d", noon()))

	// Long after its end the key is deleted.
	enqueue(t, s, once("e", noon().Add(26*time.Hour)))
	enqueue(t, s, once("a", noon().Add(26*time.Hour)))
}

func idempotencyConflict(t *testing.T, s store.Store) {
	enqueue(t, s, idempotent(t, "k", "r", "a", noon()))
	n := idempotent(t, "k", "r", "b", noon())
	_, err := s.Enqueue(t.Context(), n)
	require.ErrorIs(t, err, store.ErrIdempotencyConflict)
	_, err = s.Job(t.Context(), n.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func idempotencyRoute(t *testing.T, s store.Store) {
	enqueue(t, s, idempotent(t, "k", "r", "a", noon()))
	enqueue(t, s, idempotent(t, "k", "other", "b", noon()))
	enqueue(t, s, idempotent(t, "K", "r", "b", noon()))
}

func idempotencyLife(t *testing.T, s store.Store) {
	first := enqueue(t, s, idempotent(t, "k", "r", "a", noon()))
	got, err := s.Enqueue(t.Context(), idempotent(t, "k", "r", "a", noon().Add(24*time.Hour)))
	require.NoError(t, err)
	require.True(t, got.Joined, "a key of exactly 24 hours still counts")
	require.Equal(t, first.ID, got.Job.ID)
	later := enqueue(t, s, idempotent(t, "k", "r", "b", noon().Add(24*time.Hour+time.Microsecond)))
	got, err = s.Enqueue(t.Context(), idempotent(t, "k", "r", "b", noon().Add(25*time.Hour)))
	require.NoError(t, err)
	require.True(t, got.Joined)
	require.Equal(t, later.ID, got.Job.ID)
	// Long afterwards other calls delete expired keys; the newer key stays.
	enqueue(t, s, idempotent(t, "x", "r", "a", noon().Add(70*time.Hour)))
	enqueue(t, s, idempotent(t, "k", "r", "c", noon().Add(80*time.Hour)))
}

func idempotencyOfJoined(t *testing.T, s store.Store) {
	first := enqueue(t, s, keyed(t, "key", "a"))
	ask := func() store.NewJob {
		n := idempotent(t, "k", "r", "a", noon())
		n.ActiveKey, n.BodyHash = "key", "a"
		return n
	}
	got, err := s.Enqueue(t.Context(), ask())
	require.NoError(t, err)
	require.True(t, got.Joined)
	_, err = s.RequestCancel(t.Context(), first.ID, noon())
	require.NoError(t, err)
	got, err = s.Enqueue(t.Context(), ask())
	require.NoError(t, err)
	require.True(t, got.Joined, "the key must lead to the job its first request got")
	require.Equal(t, first.ID, got.Job.ID)
}

func resumeCopies(t *testing.T, s store.Store) {
	old := running(t, s)
	all := []snapshot.Section{section("a", "1", snapshot.OK, `{"v":1}`), section("b", "1", snapshot.Absent, ""),
		section("c", "1", snapshot.Denied, ""), section("d", "1", snapshot.Failed, ""),
		section("e", "1", snapshot.NotEntitled, ""), section("f", "1", snapshot.Skipped, "")}
	all[1].ReadAt = kept(noon().Add(-time.Hour))
	require.NoError(t, s.PutSections(t.Context(), old.ID, old.Attempt, all))
	require.NoError(t, s.Finish(t.Context(), old.ID, old.Attempt, posture.JobFailed, nil, nil, noon()))
	n := with(newJob(t), func(n *store.NewJob) { n.ResumeFrom = old.ID })
	enqueue(t, s, n)
	got, err := s.Sections(t.Context(), n.ID)
	require.NoError(t, err)
	want := []snapshot.Section{all[0], all[1], all[4], all[5]}
	for i := range want {
		if want[i].ReadAt.IsZero() {
			want[i].ReadAt = kept(*old.StartedAt) // the new run did not read it
		}
	}
	require.Equal(t, want, got)
	rest, err := s.Sections(t.Context(), old.ID)
	require.NoError(t, err)
	require.Equal(t, all, rest)
}

func resumeJoined(t *testing.T, s store.Store) {
	old := running(t, s)
	require.NoError(t, s.PutSections(t.Context(), old.ID, old.Attempt, []snapshot.Section{section("a", "1", snapshot.OK, "1")}))
	first := enqueue(t, s, keyed(t, "key", "a"))
	got, err := s.Enqueue(t.Context(), with(keyed(t, "key", "a"), func(n *store.NewJob) { n.ResumeFrom = old.ID }))
	require.NoError(t, err)
	require.True(t, got.Joined)
	secs, err := s.Sections(t.Context(), first.ID)
	require.NoError(t, err)
	require.Empty(t, secs)
}
