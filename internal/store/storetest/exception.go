package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func exceptionCases() []testCase {
	return []testCase{
		{"exceptions hide what they match, until they end", exceptionsHide},
		{"of exceptions that overlap the last to end applies", exceptionsOverlap},
		{"an exception applies to what later runs find", exceptionsOfRuns},
		{"an exception is made once for a key", exceptionsOnce},
		{"exceptions are made together or not at all", exceptionsTogether},
		{"exceptions are made together once for a key", exceptionsTogetherOnce},
		{"findings are found by their ids", findingsByIDs},
		{"exceptions are listed in pages", exceptionsListed},
		{"what the rules match is what is hidden", exceptionsAgree},
		{"a run and an exception at the same time miss nothing", exceptionsRaced},
	}
}

func anException(t testing.TB, m posture.ExceptionMatch, days int) posture.Exception {
	t.Helper()
	e := posture.Exception{ID: newID(t), Match: m, Reason: "known", Owner: "ops", CreatedAt: kept(noon())}
	if days > 0 {
		e.ExpiresAt = keptPtr(noon().AddDate(0, 0, days))
	}
	return e
}

func add(t testing.TB, s store.Store, e posture.Exception) posture.Exception {
	t.Helper()
	made, added, err := s.AddException(t.Context(), e, "", "")
	require.NoError(t, err)
	require.True(t, added)
	return made
}

// open lists the findings that are open at a given time.
func open(t testing.TB, s store.Store, how store.ExceptedFilter, at time.Time) []store.LatestFinding {
	t.Helper()
	return latest(t, s, store.LatestFilter{Statuses: []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}, Excepted: how,
		Now: at, FindingFilter: store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Warning, posture.Unknown}}})
}

func exceptionsHide(t *testing.T, s store.Store) {
	report := saved(t, s, 40, otherAccount(providerAccount, 0))
	all := open(t, s, store.ExceptedShown, noon())
	e := add(t, s, anException(t, posture.ExceptionMatch{Severities: []posture.Severity{posture.High}}, 10))
	require.Equal(t, posture.ExceptionActive, e.State)
	hidden := open(t, s, store.ExceptedOnly, noon())
	require.NotEmpty(t, hidden)
	require.Len(t, hidden, e.Hides)
	require.Len(t, open(t, s, store.ExceptedHidden, noon()), len(all)-len(hidden))
	for _, f := range open(t, s, store.ExceptedShown, noon()) {
		require.Equal(t, f.Severity == posture.High, f.Exception != nil)
		if f.Exception != nil {
			require.Equal(t, e.ID, *f.Exception)
		}
	}
	n, err := s.CountLatest(t.Context(), store.LatestFilter{Excepted: store.ExceptedOnly, Now: noon()})
	require.NoError(t, err)
	require.Equal(t, len(hidden), n)
	one, err := s.LatestFinding(t.Context(), hidden[0].ID, noon())
	require.NoError(t, err)
	require.Equal(t, hidden[0], one)

	// It expires without any write.
	after := noon().AddDate(0, 0, 10)
	require.Len(t, open(t, s, store.ExceptedOnly, after.Add(-time.Second)), len(hidden))
	require.Empty(t, open(t, s, store.ExceptedOnly, after))
	require.Equal(t, all, open(t, s, store.ExceptedHidden, after))
	rows, _, err := s.Exceptions(t.Context(), after, store.Page{})
	require.NoError(t, err)
	require.Equal(t, posture.ExceptionExpired, rows[0].State)
	require.Zero(t, rows[0].Hides)

	// Revoking it has the same effect; a second revoke changes nothing.
	for range 2 {
		require.NoError(t, s.RevokeException(t.Context(), e.ID, noon().Add(time.Hour)))
	}
	require.Equal(t, all, open(t, s, store.ExceptedHidden, noon()))
	rows, _, err = s.Exceptions(t.Context(), noon().AddDate(1, 0, 0), store.Page{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, posture.ExceptionRevoked, rows[0].State)
	require.Equal(t, keptPtr(noon().Add(time.Hour)), rows[0].RevokedAt)
	require.ErrorIs(t, s.RevokeException(t.Context(), "no such", noon()), store.ErrNotFound)
	require.Equal(t, report.Findings, findings(t, s, report.ID, store.FindingFilter{}), "a saved assessment never changes")
}

func exceptionsOverlap(t *testing.T, s store.Store) {
	saved(t, s, 40, otherAccount(providerAccount, 0))
	match := posture.ExceptionMatch{Severities: []posture.Severity{posture.High}}
	long, short := anException(t, match, 20), anException(t, match, 10)
	wide := anException(t, posture.ExceptionMatch{Pattern: "host-*"}, 5)
	added := []posture.Exception{add(t, s, short), add(t, s, long), add(t, s, wide)}
	require.Positive(t, added[0].Hides)
	require.Equal(t, added[0].Hides, added[1].Hides)
	by := func() map[string]int {
		rows, _, err := s.Exceptions(t.Context(), noon(), store.Page{})
		require.NoError(t, err)
		out := map[string]int{}
		for _, r := range rows {
			out[r.ID] = r.Hides
		}
		return out
	}
	high, rest := added[0].Hides, added[2].Hides
	require.Equal(t, map[string]int{short.ID: 0, long.ID: high, wide.ID: rest}, by())
	require.NoError(t, s.RevokeException(t.Context(), long.ID, noon()))
	require.Equal(t, map[string]int{short.ID: high, long.ID: 0, wide.ID: rest}, by(), "the next one takes its place")
	require.NoError(t, s.RevokeException(t.Context(), short.ID, noon()))
	require.Equal(t, map[string]int{short.ID: 0, long.ID: 0, wide.ID: high + rest}, by())
	require.Empty(t, open(t, s, store.ExceptedHidden, noon()))
	require.NoError(t, s.RevokeException(t.Context(), wide.ID, noon()))
	require.Empty(t, open(t, s, store.ExceptedOnly, noon()))
}

func exceptionsOfRuns(t *testing.T, s store.Store) {
	here := anException(t, posture.ExceptionMatch{CheckIDs: []string{"check-001"}}, 0)
	here.Account = ourAccount // by the id of the registered account, before any run has reported the provider's id
	add(t, s, here)
	elsewhere := anException(t, posture.ExceptionMatch{CheckIDs: []string{"check-002"}}, 0)
	elsewhere.Account = "another account"
	add(t, s, elsewhere)
	require.Empty(t, open(t, s, store.ExceptedOnly, noon()))
	saved(t, s, 20, nil)
	got := open(t, s, store.ExceptedOnly, noon())
	require.Len(t, got, 1)
	require.Equal(t, "check-001", got[0].CheckID)
	saved(t, s, 20, func(in *store.SaveAssessment) {
		in.Assessment.StartedAt = noon().Add(time.Hour)
		in.Assessment.Findings[1].CheckID = "check-003"
	})
	require.Empty(t, open(t, s, store.ExceptedOnly, noon()), "each run decides anew")
}

func exceptionsOnce(t *testing.T, s store.Store) {
	e := anException(t, posture.ExceptionMatch{CheckIDs: []string{"check-001"}}, 1)
	first, added, err := s.AddException(t.Context(), e, "key", "hash")
	require.NoError(t, err)
	require.True(t, added)
	twin := e
	twin.ID = newID(t)
	again, added, err := s.AddException(t.Context(), twin, "key", "hash")
	require.NoError(t, err)
	require.False(t, added)
	require.Equal(t, first.ID, again.ID)
	_, _, err = s.AddException(t.Context(), twin, "key", "other")
	require.ErrorIs(t, err, store.ErrIdempotencyConflict)
	twin.CreatedAt = kept(noon().Add(25 * time.Hour))
	_, added, err = s.AddException(t.Context(), twin, "key", "other")
	require.NoError(t, err)
	require.True(t, added, "a key is remembered for a day")
	_, errs := together(8, func(int) (posture.Exception, error) {
		e := e
		e.ID = newID(t)
		made, _, err := s.AddException(t.Context(), e, "at once", "hash")
		return made, err
	})
	require.Equal(t, 8, tally(t, errs, nil))
	rows, _, err := s.Exceptions(t.Context(), noon(), store.Page{})
	require.NoError(t, err)
	require.Len(t, rows, 3)
}

func exceptionsTogether(t *testing.T, s store.Store) {
	saved(t, s, 40, otherAccount(providerAccount, 0))
	one, two := anException(t, posture.ExceptionMatch{CheckIDs: []string{"check-001"}}, 1),
		anException(t, posture.ExceptionMatch{CheckIDs: []string{"check-002"}}, 1)
	twice := two
	twice.ID = one.ID
	_, _, err := s.AddExceptions(t.Context(), []posture.Exception{one, twice}, "key", "hash", noon())
	require.Error(t, err, "the second has the id of the first")
	rows, _, err := s.Exceptions(t.Context(), noon(), store.Page{})
	require.NoError(t, err)
	require.Empty(t, rows)
	require.Empty(t, open(t, s, store.ExceptedOnly, noon()))

	made, added, err := s.AddExceptions(t.Context(), []posture.Exception{one, two}, "key", "hash", noon())
	require.NoError(t, err, "what failed binds no key")
	require.True(t, added)
	require.Len(t, made, 2)
	require.Equal(t, []string{one.ID, two.ID}, []string{made[0].ID, made[1].ID})
	require.Equal(t, []int{1, 1}, []int{made[0].Hides, made[1].Hides})
	require.Len(t, open(t, s, store.ExceptedOnly, noon()), 2)
	none, added, err := s.AddExceptions(t.Context(), nil, "", "", noon())
	require.NoError(t, err)
	require.False(t, added)
	require.Empty(t, none)
}

func exceptionsTogetherOnce(t *testing.T, s store.Store) {
	several := func(at time.Time) []posture.Exception {
		out := make([]posture.Exception, 3)
		for i := range out {
			out[i] = anException(t, posture.ExceptionMatch{CheckIDs: []string{fmt.Sprintf("check-%03d", i)}}, 0)
			out[i].CreatedAt = kept(at)
		}
		return out
	}
	ids := func(all []posture.Exception) map[string]bool {
		out := map[string]bool{}
		for _, e := range all {
			out[e.ID] = true
		}
		return out
	}
	made, errs := together(8, func(int) (map[string]bool, error) {
		made, _, err := s.AddExceptions(t.Context(), several(noon()), "key", "hash", noon())
		return ids(made), err
	})
	require.Equal(t, 8, tally(t, errs, nil))
	for _, m := range made {
		require.Len(t, m, 3)
		require.Equal(t, made[0], m)
	}
	looked, added, err := s.AddExceptions(t.Context(), nil, "key", "hash", noon())
	require.NoError(t, err)
	require.False(t, added)
	require.Equal(t, made[0], ids(looked), "none at all looks for what the key made")
	_, _, err = s.AddExceptions(t.Context(), several(noon()), "key", "other", noon())
	require.ErrorIs(t, err, store.ErrIdempotencyConflict)
	rows, _, err := s.Exceptions(t.Context(), noon(), store.Page{})
	require.NoError(t, err)
	require.Len(t, rows, 3)
	later := noon().Add(25 * time.Hour)
	again, added, err := s.AddExceptions(t.Context(), several(later), "key", "other", later)
	require.NoError(t, err)
	require.True(t, added, "a key is remembered for a day")
	looked, _, err = s.AddExceptions(t.Context(), nil, "key", "other", later)
	require.NoError(t, err)
	require.Equal(t, ids(again), ids(looked))
}

func findingsByIDs(t *testing.T, s store.Store) {
	saved(t, s, 40, otherAccount("one", 0))
	saved(t, s, 40, otherAccount("two", 1))
	all := open(t, s, store.ExceptedShown, noon())
	chosen := []store.LatestFinding{all[1], all[7], all[len(all)-1]}
	f := store.LatestFilter{IDs: []string{chosen[2].ID, chosen[0].ID, "no such", chosen[1].ID}, Now: noon()}
	require.Equal(t, chosen, latest(t, s, f))
	f.Accounts = []string{chosen[0].AccountID}
	for _, found := range latest(t, s, f) {
		require.Equal(t, chosen[0].AccountID, found.AccountID)
	}
}

func exceptionsListed(t *testing.T, s store.Store) {
	var want []string
	for i := range 25 {
		e := anException(t, posture.ExceptionMatch{CheckIDs: []string{"check-001"}}, 1)
		e.CreatedAt = kept(noon().Add(time.Duration(i/3) * time.Second))
		add(t, s, e)
		want = append([]string{e.ID}, want...)
	}
	got := pages(t, 7, func(p store.Page) ([]posture.Exception, string, error) { return s.Exceptions(t.Context(), noon(), p) }, func() {})
	for i := range got {
		require.Equal(t, want[i], got[i].ID)
	}
	require.Len(t, got, 25)
	active, err := s.ActiveExceptions(t.Context(), noon().AddDate(0, 0, 2))
	require.NoError(t, err)
	require.Empty(t, active)
}

// exceptionsAgree adds random exceptions and checks that the store shows on each finding the exception
// that package exception finds, at any time and after any of them is revoked.
func exceptionsAgree(t *testing.T, s store.Store) {
	random := rand.New(rand.NewPCG(7, 8))
	saved(t, s, 120, otherAccount("one", 0))
	saved(t, s, 120, otherAccount("two", 1))
	var all []posture.Exception
	agree := func(at time.Time) {
		for _, f := range open(t, s, store.ExceptedShown, at) {
			bare := f.Finding
			want := exception.For(all, at, f.AccountID).Of(&bare)
			require.Equal(t, want != nil, f.Exception != nil, "%+v", f.Resource)
			if want != nil {
				require.Equal(t, want.ID, *f.Exception)
			}
		}
	}
	for round := range 20 {
		m := posture.ExceptionMatch{}
		if random.IntN(2) == 0 {
			m.CheckIDs = []string{fmt.Sprintf("check-%03d", random.IntN(120)), fmt.Sprintf("check-%03d", random.IntN(120))}
		}
		if random.IntN(3) == 0 {
			m.Zones = []string{fmt.Sprintf("ZONE%02d.example", random.IntN(20)), fmt.Sprintf("zone-%02d", random.IntN(20))}
		}
		if random.IntN(3) == 0 {
			m.Severities = []posture.Severity{posture.Severities()[random.IntN(5)]}
		}
		if random.IntN(3) == 0 || len(m.CheckIDs)+len(m.Zones)+len(m.Severities) == 0 {
			m.Pattern = fmt.Sprintf("host-%d*", random.IntN(12))
		}
		e := anException(t, m, random.IntN(4)*10)
		e.Account = []string{"", "one", "two"}[random.IntN(3)]
		hiddenBefore := map[string]bool{}
		for _, f := range open(t, s, store.ExceptedOnly, noon()) {
			hiddenBefore[f.ID] = true
		}
		preview := 0
		for _, f := range open(t, s, store.ExceptedHidden, noon()) {
			if (e.Account == "" || e.Account == f.AccountID) && exception.Matches(m, &f.Finding) {
				preview++
			}
		}
		all = append(all, add(t, s, e))
		require.Len(t, open(t, s, store.ExceptedOnly, noon()), len(hiddenBefore)+preview, "a preview is what then is hidden")
		agree(noon())
		if round%3 == 2 {
			i := random.IntN(len(all))
			if all[i].RevokedAt == nil {
				require.NoError(t, s.RevokeException(t.Context(), all[i].ID, noon()))
				all[i].RevokedAt = keptPtr(noon())
			}
			agree(noon())
		}
	}
}

// exceptionsRaced adds exceptions while runs are saved: whichever is first, each finding an exception
// matches ends up hidden.
func exceptionsRaced(t *testing.T, s store.Store) {
	const runs = 6
	rows := make([]store.JobRow, runs)
	for i := range rows {
		rows[i] = running(t, s)
	}
	_, errs := together(2*runs, func(i int) (struct{}, error) {
		if i < runs {
			in := saveOf(rows[i], assessment(t, rows[i].ID, 30))
			otherAccount(fmt.Sprint("account", i), 0)(&in)
			return struct{}{}, s.Save(context.WithoutCancel(t.Context()), in)
		}
		_, _, err := s.AddException(context.WithoutCancel(t.Context()),
			anException(t, posture.ExceptionMatch{CheckIDs: []string{fmt.Sprintf("check-%03d", i)}}, 0), "", "")
		return struct{}{}, err
	})
	require.Equal(t, 2*runs, tally(t, errs, nil))
	active, err := s.ActiveExceptions(t.Context(), noon())
	require.NoError(t, err)
	require.Len(t, active, runs)
	for _, f := range open(t, s, store.ExceptedShown, noon()) {
		bare := f.Finding
		require.Equal(t, exception.For(active, noon(), f.AccountID).Of(&bare) != nil, f.Exception != nil, "%s of %s", f.CheckID, f.AccountID)
	}
}
