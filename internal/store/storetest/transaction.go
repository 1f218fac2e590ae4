package storetest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// fencedWrite is one write of a worker that must be refused to a zombie.
type fencedWrite struct {
	name  string
	write func(ctx context.Context, t testing.TB, s store.Store, row store.JobRow) error
}

func fencedWrites() []fencedWrite {
	return []fencedWrite{
		{"Renew", func(ctx context.Context, _ testing.TB, s store.Store, row store.JobRow) error {
			_, err := s.Renew(ctx, row.ID, row.Attempt, noon().Add(time.Hour), lease)
			return err
		}},
		{"SetProgress", func(ctx context.Context, _ testing.TB, s store.Store, row store.JobRow) error {
			return s.SetProgress(ctx, row.ID, row.Attempt, posture.Progress{Phase: "zombie"})
		}},
		{"Release", func(ctx context.Context, _ testing.TB, s store.Store, row store.JobRow) error {
			return s.Release(ctx, row.ID, row.Attempt, noon())
		}},
		{"Retry", func(ctx context.Context, _ testing.TB, s store.Store, row store.JobRow) error {
			return s.Retry(ctx, row.ID, row.Attempt, noon())
		}},
		{"Finish", func(ctx context.Context, _ testing.TB, s store.Store, row store.JobRow) error {
			return s.Finish(ctx, row.ID, row.Attempt, posture.JobFailed, nil, posture.Problemf(posture.CodeInternal, "zombie"), noon())
		}},
		{"Save", func(ctx context.Context, t testing.TB, s store.Store, row store.JobRow) error {
			return s.Save(ctx, saveOf(row, assessment(t, row.ID, 20)))
		}},
	}
}

// fencedOut checks that every write of the given attempt is rejected and has no effect.
func fencedOut(t *testing.T, s store.Store, row store.JobRow) {
	t.Helper()
	want, reports, known := job(t, s, row.ID), countReports(t, s), countStates(t, s)
	for _, w := range fencedWrites() {
		require.ErrorIs(t, w.write(t.Context(), t, s, row), store.ErrFenced, w.name)
		require.Equal(t, want, job(t, s, row.ID), w.name)
	}
	require.Equal(t, reports, countReports(t, s))
	require.Equal(t, known, countStates(t, s))
}

func countReports(t testing.TB, s store.Store) int {
	t.Helper()
	rows, _, err := s.Assessments(t.Context(), store.AssessmentFilter{}, store.Page{})
	require.NoError(t, err)
	return len(rows)
}

func countStates(t testing.TB, s store.Store) int {
	t.Helper()
	return len(knownStates(t, s, providerAccount))
}

// knownStates returns the finding states of an account by finding id.
func knownStates(t testing.TB, s store.Store, account string) map[string]posture.KnownState {
	t.Helper()
	all := map[string]posture.KnownState{}
	require.NoError(t, s.FindingStates(t.Context(), account, func(k posture.KnownState) { all[k.FindingID] = k }))
	return all
}

func fenceCases() []testCase {
	cases := []testCase{
		{"zombie is fenced out of an unknown job", func(t *testing.T, s store.Store) {
			for _, w := range fencedWrites() {
				row := store.JobRow{Job: posture.Job{ID: newID(t), Attempt: 1}}
				require.ErrorIs(t, w.write(t.Context(), t, s, row), store.ErrFenced, w.name)
			}
			require.Zero(t, countReports(t, s))
		}},
		{"zombie is fenced out of a queued job", func(t *testing.T, s store.Store) {
			row := enqueue(t, s, newJob(t))
			fencedOut(t, s, row)
		}},
		{"zombie is fenced out of a later attempt number", func(t *testing.T, s store.Store) {
			row := running(t, s)
			row.Attempt++
			fencedOut(t, s, row)
		}},
	}
	for _, w := range fencedWrites() {
		cases = append(cases, testCase{"zombie after a second claim: " + w.name, func(t *testing.T, s store.Store) { zombie(t, s, w) }},
			testCase{"without the attempt number the zombie would win: " + w.name, func(t *testing.T, s store.Store) { unfenced(t, s, w) }})
	}
	return cases
}

// zombie: a worker sleeps past its lease, another one claims the job, then the first one wakes.
func zombie(t *testing.T, s store.Store, w fencedWrite) {
	asleep := running(t, s)
	holder := claim(t, s, asleep.ID, noon().Add(2*lease))
	require.ErrorIs(t, w.write(t.Context(), t, s, asleep), store.ErrFenced)
	require.Equal(t, holder, job(t, s, asleep.ID), "the zombie changed the job")
	require.Zero(t, countReports(t, s))
	require.Zero(t, countStates(t, s))
	// The holder is not affected.
	require.NoError(t, s.Save(t.Context(), saveOf(holder, assessment(t, holder.ID, 5))))
	require.ErrorIs(t, w.write(t.Context(), t, s, asleep), store.ErrFenced)
	require.Equal(t, 1, countReports(t, s))
}

// unfenced is the same scenario with the fence disabled: the zombie knows the holder's attempt number.
// Its write succeeds, which shows that the attempt number is what protects the job.
func unfenced(t *testing.T, s store.Store, w fencedWrite) {
	asleep := running(t, s)
	holder := claim(t, s, asleep.ID, noon().Add(2*lease))
	asleep.Attempt = holder.Attempt
	require.NoError(t, w.write(t.Context(), t, s, asleep))
	require.NotEqual(t, holder, job(t, s, asleep.ID))
}

func rollbackCases() []testCase {
	return []testCase{
		{"save that fails half-way leaves nothing", saveRollsBack},
		{"save whose context ends leaves nothing", saveInterrupted},
		{"enqueue that conflicts leaves no idempotency key", enqueueRollsBack},
		{"enqueue and its resumed sections are one", enqueueResumeRollsBack},
		{"account whose name is taken does not move the default", accountRollsBack},
		{"sections of one call are all or none", sectionsInterrupted},
	}
}

func saveRollsBack(t *testing.T, s store.Store) {
	first := saved(t, s, 5, nil)
	row := running(t, s)
	in := saveOf(row, assessment(t, row.ID, 3000))
	in.Assessment.ID = first.ID // inserting the assessment fails after the job was updated
	require.Error(t, s.Save(t.Context(), in))
	require.Equal(t, row, job(t, s, row.ID))
	require.Equal(t, 5, countStates(t, s))
	require.Len(t, findings(t, s, first.ID, store.FindingFilter{}), 5)
	in.Assessment.ID = newID(t)
	require.NoError(t, s.Save(t.Context(), in), "the attempt still holds the job and may try again")
}

// trigger is a context that is cancelled at the n-th call of Done. Each statement calls Done, so the
// cancellation hits the middle of a transaction, at a point that does not depend on timing.
type trigger struct {
	context.Context
	end  func()
	left atomic.Int32
}

func newTrigger(ctx context.Context, end func(), n int) *trigger {
	c := &trigger{Context: ctx, end: end}
	c.left.Store(int32(n))
	return c
}

func (c *trigger) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Done()
}

func saveInterrupted(t *testing.T, s store.Store) {
	row := running(t, s)
	in := saveOf(row, assessment(t, row.ID, 3000))
	interrupted := 0
	for _, after := range []int{1, 2, 3, 5, 8, 13, 21} {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Save(newTrigger(ctx, cancel, after), in)
		cancel()
		if err == nil {
			require.Len(t, findings(t, s, in.Assessment.ID, store.FindingFilter{}), 3000)
			break
		}
		interrupted++
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, row, job(t, s, row.ID))
		require.Zero(t, countReports(t, s))
		require.Zero(t, countStates(t, s))
	}
	require.Positive(t, interrupted)
}

func enqueueRollsBack(t *testing.T, s store.Store) {
	first := enqueue(t, s, keyed(t, "key", "a"))
	n := idempotent(t, "k", "r", "b", noon())
	n.ActiveKey, n.BodyHash = "key", "b"
	var active *store.ActiveJobError
	_, err := s.Enqueue(t.Context(), n)
	require.ErrorAs(t, err, &active)
	_, err = s.RequestCancel(t.Context(), first.ID, noon())
	require.NoError(t, err)
	enqueue(t, s, n) // the refused request has not used up its key
}

func enqueueResumeRollsBack(t *testing.T, s store.Store) {
	old := running(t, s)
	require.NoError(t, s.PutSections(t.Context(), old.ID, old.Attempt, []snapshot.Section{section("a", "", snapshot.OK, "1")}))
	n := with(idempotent(t, "k", "r", "a", noon()), func(n *store.NewJob) { n.ResumeFrom = old.ID })
	enqueue(t, s, n)
	again := idempotent(t, "k", "r", "other", noon())
	again.ResumeFrom = old.ID
	_, err := s.Enqueue(t.Context(), again)
	require.ErrorIs(t, err, store.ErrIdempotencyConflict)
	require.Empty(t, sections(t, s, again.ID))
	require.Len(t, sections(t, s, n.ID), 1)
}

func accountRollsBack(t *testing.T, s store.Store) {
	a := anAccount(t, "a")
	a.Default = true
	put(t, s, a, nil)
	thief := anAccount(t, "a")
	thief.Default = true
	require.ErrorIs(t, s.PutAccount(t.Context(), thief, nil), store.ErrNameTaken)
	got, err := s.DefaultAccount(t.Context())
	require.NoError(t, err)
	require.Equal(t, a, got)
}

func sectionsInterrupted(t *testing.T, s store.Store) {
	id := running(t, s).ID
	many := sectionsOf(1000)
	for _, after := range []int{1, 2, 3, 5, 8} {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.PutSections(newTrigger(ctx, cancel, after), id, 1, many)
		cancel()
		if err == nil {
			require.Len(t, sections(t, s, id), len(many))
			return
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, sections(t, s, id))
	}
}
