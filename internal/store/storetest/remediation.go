package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func remediationCases() []testCase {
	return []testCase{
		{"plan is kept, and forgotten a day after its end", planKept},
		{"bundle is kept and replaced by the holder of a job only", bundleFenced},
		{"bundle is found by id and by its job", bundleFound},
		{"bundles are listed by account, newest first, and paged", bundleList},
	}
}

func planOf(t testing.TB, after time.Duration) store.PlanRow {
	at := kept(noon().Add(after))
	return store.PlanRow{ID: newID(t), AssessmentID: "assessment", AccountID: providerAccount, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		Sealed: []byte("sealed\\x00")}
}

func planKept(t *testing.T, s store.Store) {
	first := planOf(t, 0)
	require.NoError(t, s.KeepPlan(t.Context(), first))
	got, err := s.Plan(t.Context(), first.ID)
	require.NoError(t, err)
	require.Equal(t, first, got)
	require.Error(t, s.KeepPlan(t.Context(), first), "an id is used once")
	require.NoError(t, s.KeepPlan(t.Context(), planOf(t, 25*time.Hour)))
	_, err = s.Plan(t.Context(), first.ID)
	require.NoError(t, err, "a day has not passed since its end")
	require.NoError(t, s.KeepPlan(t.Context(), planOf(t, 26*time.Hour)))
	_, err = s.Plan(t.Context(), first.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func bundleOf(t testing.TB, jobID, account string, after time.Duration) store.BundleRow {
	return store.BundleRow{JobID: jobID, Sealed: []byte{0, 1, 2}, Mac: []byte{3, 4}, Backup: change.Backup{ID: newID(t),
		CreatedAt: kept(noon().Add(after)), AssessmentID: "assessment", Account: posture.AccountRef{ID: account, Name: "Main\u2028"},
		State: change.StateOpen, Entries: 3, Applied: 1, Verified: 1}}
}

func bundleFenced(t *testing.T, s store.Store) {
	row := running(t, s)
	b := bundleOf(t, row.ID, providerAccount, 0)
	for _, attempt := range []int{row.Attempt - 1, row.Attempt + 1} {
		require.ErrorIs(t, s.KeepBundle(t.Context(), b, row.ID, attempt), store.ErrFenced)
	}
	_, err := s.Bundle(t.Context(), b.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt))
	other := running(t, s)
	b.State, b.Applied, b.Verified, b.Sealed, b.Mac = change.StatePartial, 2, 2, []byte("new"), []byte("mac")
	require.NoError(t, s.KeepBundle(t.Context(), b, other.ID, other.Attempt), "the job that rolls it back")
	got, err := s.Bundle(t.Context(), b.ID)
	require.NoError(t, err)
	require.Equal(t, b, got)
	require.NoError(t, s.Release(t.Context(), row.ID, row.Attempt, noon()))
	require.ErrorIs(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt), store.ErrFenced)
}

func bundleFound(t *testing.T, s store.Store) {
	row := running(t, s)
	_, err := s.BundleOfJob(t.Context(), row.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	b := bundleOf(t, row.ID, providerAccount, 0)
	require.NoError(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt))
	got, err := s.BundleOfJob(t.Context(), row.ID)
	require.NoError(t, err)
	require.Equal(t, b, got)
}

func bundleList(t *testing.T, s store.Store) {
	var want []string
	for i := range 5 {
		row := running(t, s)
		b := bundleOf(t, row.ID, []string{providerAccount, "other"}[i%2], time.Duration(i)*time.Minute)
		require.NoError(t, s.KeepBundle(t.Context(), b, row.ID, row.Attempt))
		if i%2 == 0 {
			want = append([]string{b.ID}, want...)
		}
	}
	var got []string
	for page := (store.Page{Limit: 2}); ; {
		rows, next, err := s.Bundles(t.Context(), []string{providerAccount}, page)
		require.NoError(t, err)
		for _, r := range rows {
			require.Empty(t, r.Sealed, "a list has no secrets in it")
			got = append(got, r.ID)
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	require.Equal(t, want, got)
	all, _, err := s.Bundles(t.Context(), nil, store.Page{})
	require.NoError(t, err)
	require.Len(t, all, 5)
}
