package storetest

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

func viewCases() []testCase {
	return []testCase{
		{"views are kept, listed by page and name, and deleted once", viewsKept},
		{"a name of a page is given once to a caller, however often they ask at once", viewsAtOnce},
		{"views are bounded", viewsBounded},
	}
}

func aView(t testing.TB, page, name, query string) store.View {
	t.Helper()
	return store.View{ID: newID(t), Page: page, Name: name, Query: query, CreatedAt: kept(noon())}
}

func addView(t testing.TB, s store.Store, v store.View) store.View {
	t.Helper()
	got, err := s.AddView(t.Context(), v, 200)
	require.NoError(t, err)
	return got
}

func viewsKept(t *testing.T, s store.Store) {
	all, err := s.Views(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.View{}, all)
	long := aView(t, "issues", strings.Repeat("Ж", 60), strings.Repeat("q", 2000))
	b, a := aView(t, "findings", "b", "severity=high"), aView(t, "findings", "a's \"view\"", "")
	same := aView(t, "issues", "b", "x=1")
	for _, v := range []store.View{long, b, a, same} {
		require.Equal(t, v, addView(t, s, v))
	}
	all, err = s.Views(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.View{a, b, same, long}, all)
	require.Equal(t, b, addView(t, s, aView(t, "findings", "b", "severity=high")), "the same again is the same view")
	_, err = s.AddView(t.Context(), aView(t, "findings", "b", "severity=low"), 200)
	require.ErrorIs(t, err, store.ErrNameTaken)
	other := aView(t, "findings", "b", "severity=low")
	other.MadeBy = "user:ö"
	require.Equal(t, other, addView(t, s, other), "another caller's name is free")
	all, err = s.Views(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.View{a, b, other, same, long}, all)
	require.NoError(t, s.DeleteView(t.Context(), b.ID))
	for _, id := range []string{b.ID, "", "\x00", "'"} {
		require.ErrorIs(t, s.DeleteView(t.Context(), id), store.ErrNotFound)
	}
	addView(t, s, aView(t, "findings", "b", "severity=low"))
}

func viewsAtOnce(t *testing.T, s store.Store) {
	ids := make([]string, 8)
	var all sync.WaitGroup
	for i := range ids {
		v := aView(t, "findings", "mine", "severity=high")
		all.Go(func() {
			if got, err := s.AddView(t.Context(), v, 200); err == nil {
				ids[i] = got.ID
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
		require.NotEmpty(t, id)
	}
}

func viewsBounded(t *testing.T, s store.Store) {
	for _, name := range []string{"a", "b"} {
		_, err := s.AddView(t.Context(), aView(t, "issues", name, ""), 2)
		require.NoError(t, err)
	}
	_, err := s.AddView(t.Context(), aView(t, "findings", "c", ""), 2)
	require.ErrorIs(t, err, store.ErrTooMany)
	_, err = s.AddView(t.Context(), aView(t, "issues", "b", ""), 2)
	require.NoError(t, err, "what is there already is no more")
	other := aView(t, "issues", "c", "")
	other.MadeBy = "user:ana"
	_, err = s.AddView(t.Context(), other, 2)
	require.NoError(t, err, "another caller has none")
}
