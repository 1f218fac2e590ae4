package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// callers is the number of goroutines that make the same call concurrently.
const callers = 64

func raceCases() []testCase {
	return []testCase{
		{"64 enqueues of one active key and body make one job", raceEnqueueJoin},
		{"64 enqueues of one active key and 64 bodies make one job", raceEnqueueActive},
		{"64 enqueues of one idempotency key make one job", raceIdempotency},
		{"64 enqueues of one idempotency key and 64 bodies make one job", raceIdempotencyConflict},
		{"64 enqueues of one expired idempotency key make one job", raceIdempotencyExpired},
		{"64 enqueues of both keys make one job", raceBothKeys},
		{"64 accounts of one name leave one", raceName},
		{"64 accounts that learn the same id at the provider leave one with it", raceProvider},
		{"64 people of as many providers with one email address leave one", raceEmail},
		{"64 default accounts leave one default", raceDefault},
		{"64 fires of one due time make one job", raceFire},
		{"a pause stops a fire or comes after it", raceFirePause},
		{"sections that are packed, dropped, forgotten and read at once are whole or gone", racePack},
		{"64 writers of the same sections agree on the first", raceSections},
		{"readers of a report being saved see all of it or none", raceReaders},
	}
}

// together runs fn in n goroutines that start at the same moment and returns their results.
func together[T any](n int, fn func(i int) (T, error)) ([]T, []error) {
	values, errs := make([]T, n), make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			values[i], errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return values, errs
}

// tally counts the calls that succeeded; every other call must have failed with want.
func tally(t testing.TB, errs []error, want error) int {
	t.Helper()
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
		} else {
			require.ErrorIs(t, err, want)
		}
	}
	return n
}

// race enqueues jobs concurrently; refused must accept the error of each call that failed. Exactly one
// job is new; all others joined it.
func race(t *testing.T, s store.Store, make func(i int) store.NewJob, refused func(error) bool) {
	t.Helper()
	jobs := []store.NewJob{}
	for i := range callers {
		jobs = append(jobs, make(i))
	}
	got, errs := together(callers, func(i int) (store.Enqueued, error) { return s.Enqueue(t.Context(), jobs[i]) })
	counts := jobStates(t, s)
	require.Equal(t, map[posture.JobState]int{posture.JobQueued: 1}, counts)
	rows, _, err := s.Jobs(t.Context(), store.JobFilter{States: []posture.JobState{posture.JobQueued}}, store.Page{})
	require.NoError(t, err)
	fresh := 0
	for i := range got {
		if errs[i] != nil {
			require.True(t, refused(errs[i]), "%v", errs[i])
			continue
		}
		require.Equal(t, rows[0].ID, got[i].Job.ID)
		if !got[i].Joined {
			fresh++
		}
	}
	require.Equal(t, 1, fresh)
}

func nothingRefused(error) bool { return false }

func raceEnqueueJoin(t *testing.T, s store.Store) {
	race(t, s, func(int) store.NewJob { return keyed(t, "key", "a") }, nothingRefused)
}

func raceEnqueueActive(t *testing.T, s store.Store) {
	race(t, s, func(i int) store.NewJob { return keyed(t, "key", fmt.Sprint(i)) }, func(err error) bool {
		var active *store.ActiveJobError
		return errors.As(err, &active)
	})
}

func raceIdempotency(t *testing.T, s store.Store) {
	race(t, s, func(int) store.NewJob { return idempotent(t, "k", "r", "a", noon()) }, nothingRefused)
}

func raceIdempotencyConflict(t *testing.T, s store.Store) {
	race(t, s, func(i int) store.NewJob { return idempotent(t, "k", "r", fmt.Sprint(i), noon()) },
		func(err error) bool { return errors.Is(err, store.ErrIdempotencyConflict) })
}

func raceIdempotencyExpired(t *testing.T, s store.Store) {
	row := claim(t, s, enqueue(t, s, idempotent(t, "k", "r", "old", noon())).ID, noon())
	require.NoError(t, s.Finish(t.Context(), row.ID, 1, posture.JobSucceeded, nil, nil, noon()))
	later := noon().Add(50 * 3600e9)
	got, errs := together(callers, func(int) (store.Enqueued, error) {
		return s.Enqueue(t.Context(), idempotent(t, "k", "r", "new", later))
	})
	require.Equal(t, callers, tally(t, errs, nil))
	counts := jobStates(t, s)
	require.Equal(t, 1, counts[posture.JobQueued])
	for _, e := range got {
		require.Equal(t, got[0].Job.ID, e.Job.ID)
	}
}

func raceBothKeys(t *testing.T, s store.Store) {
	race(t, s, func(int) store.NewJob {
		n := idempotent(t, "k", "r", "a", noon())
		n.ActiveKey = "key"
		return n
	}, nothingRefused)
}

func raceName(t *testing.T, s store.Store) {
	accounts := []posture.Account{}
	for range callers {
		accounts = append(accounts, anAccount(t, "main"))
	}
	_, errs := together(callers, func(i int) (struct{}, error) {
		return struct{}{}, s.PutAccount(t.Context(), accounts[i], nil)
	})
	require.Equal(t, 1, tally(t, errs, store.ErrNameTaken))
	all, err := s.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func raceProvider(t *testing.T, s store.Store) {
	accounts := []posture.Account{}
	for i := range callers {
		a := anAccount(t, fmt.Sprint(i))
		a.ProviderID = ""
		require.NoError(t, s.PutAccount(t.Context(), a, nil))
		accounts = append(accounts, a)
	}
	provider := "the same"
	_, errs := together(callers, func(i int) (posture.Account, error) {
		return s.ChangeAccount(t.Context(), accounts[i].ID, store.AccountChange{ProviderID: &provider}, noon())
	})
	require.Equal(t, 1, tally(t, errs, store.ErrRegistered))
	for i := range accounts {
		accounts[i] = anAccount(t, fmt.Sprint("new", i))
		accounts[i].ProviderID = "another"
	}
	_, errs = together(callers, func(i int) (struct{}, error) {
		return struct{}{}, s.PutAccount(t.Context(), accounts[i], nil)
	})
	require.Equal(t, 1, tally(t, errs, store.ErrRegistered))
}

func raceEmail(t *testing.T, s store.Store) {
	people := []store.UserRow{}
	for i := range callers {
		u := aUser(t, "ann")
		u.Issuer, u.Subject = fmt.Sprint("https://id", i, ".example.com"), "ann"
		people = append(people, u)
	}
	_, errs := together(callers, func(i int) (struct{}, error) { return struct{}{}, s.AddUser(t.Context(), people[i]) })
	require.Equal(t, 1, tally(t, errs, store.ErrNameTaken))
}

func raceDefault(t *testing.T, s store.Store) {
	accounts := []posture.Account{}
	for i := range callers {
		a := anAccount(t, fmt.Sprint(i))
		a.Default = true
		accounts = append(accounts, a)
	}
	_, errs := together(callers, func(i int) (struct{}, error) {
		return struct{}{}, s.PutAccount(t.Context(), accounts[i], nil)
	})
	require.Equal(t, callers, tally(t, errs, nil))
	all, err := s.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, all, callers)
	defaults := 0
	for _, a := range all {
		if a.Default {
			defaults++
		}
	}
	require.Equal(t, 1, defaults)
}

// sectionsOf makes n sections with different keys.
func sectionsOf(n int) []snapshot.Section {
	out := []snapshot.Section{}
	for i := range n {
		out = append(out, section(fmt.Sprintf("source-%d", i%7), fmt.Sprintf("scope-%04d", i), snapshot.OK, fmt.Sprintf(`{"n":%d}`, i)))
	}
	return out
}

func raceSections(t *testing.T, s store.Store) {
	id := running(t, s).ID
	writers := func(i int) (struct{}, error) {
		all := sectionsOf(20)
		for k := range all {
			all[k].Reason = fmt.Sprint(i) // identifies the writer
		}
		return struct{}{}, s.PutSections(t.Context(), id, 1, all)
	}
	_, errs := together(callers, writers)
	require.Equal(t, callers, tally(t, errs, nil))
	first := sections(t, s, id)
	require.Len(t, first, 20)
	for _, sec := range first {
		require.Equal(t, first[0].Reason, sec.Reason, "one call is one transaction, so one writer wrote all")
	}
	_, errs = together(callers, writers)
	require.Equal(t, callers, tally(t, errs, nil))
	require.Equal(t, first, sections(t, s, id))
}

func raceReaders(t *testing.T, s store.Store) {
	const size = 3000
	row := running(t, s)
	in := saveOf(row, assessment(t, row.ID, size))
	done := make(chan error, 1)
	go func() { done <- s.Save(t.Context(), in) }()
	look := func() bool {
		counts, err := s.CountFindings(t.Context(), in.Assessment.ID, store.FindingFilter{})
		if errors.Is(err, store.ErrNotFound) {
			return false
		}
		require.NoError(t, err)
		sum := 0
		for _, n := range counts {
			sum += n
		}
		require.Equal(t, size, sum)
		require.Equal(t, posture.JobSucceeded, job(t, s, row.ID).State)
		return true
	}
	for {
		select {
		case err := <-done:
			require.NoError(t, err)
			require.True(t, look())
			return
		default:
			look()
		}
	}
}

// raceFire has 64 processes fire the same due time, each with its own job.
func raceFire(t *testing.T, s store.Store) {
	row := scheduled(t, s, nil)
	fires := make([]store.FireSchedule, 64)
	for i := range fires {
		fires[i] = fireOf(t, row)
		fires[i].Then.ActiveKey, fires[i].Then.Account = "", newID(t)
	}
	_, errs := together(len(fires), func(i int) (posture.FireOutcome, error) {
		outcome, _, err := s.Fire(t.Context(), fires[i])
		return outcome, err
	})
	require.Equal(t, 1, tally(t, errs, store.ErrChanged))
	jobs, _, err := s.Jobs(t.Context(), store.JobFilter{}, store.Page{})
	require.NoError(t, err)
	require.Len(t, jobs, 1)
}

// raceFirePause pauses a schedule while its due time is fired: either the fire came first, or there is
// no job.
func raceFirePause(t *testing.T, s store.Store) {
	for range 16 {
		row := scheduled(t, s, nil)
		f := fireOf(t, row)
		f.Then.Account, f.Then.ActiveKey = newID(t), ""
		paused := row
		paused.Paused = true
		_, errs := together(2, func(i int) (struct{}, error) {
			if i == 0 {
				_, _, err := s.Fire(t.Context(), f)
				return struct{}{}, err
			}
			return struct{}{}, s.ChangeSchedule(t.Context(), paused)
		})
		require.NoError(t, errs[1])
		_, err := s.Job(t.Context(), f.Then.ID)
		if errs[0] == nil {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, errs[0], store.ErrChanged)
			require.ErrorIs(t, err, store.ErrNotFound)
		}
	}
}
